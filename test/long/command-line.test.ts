/** The tuic command over faults that take their time. */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { baseEnvironment, SERVER_PROGRAM, startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

describe('tuic tail', () => {
  it('P2: tail -f goes on over a kill -9 of the server, byte for byte; a reader that leaves ends it quietly', async () => {
    const server = await startServer(cleanup);
    const { alias, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const env = baseEnvironment({ configDirectory: server.configDirectory, port: server.port });
    const tail = spawn(process.execPath, [SERVER_PROGRAM, 'tail', '-f', alias], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    cleanup.defer(() => tail.kill());
    const printed: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      tail[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    }
    await puppet.write('\x1b[31mone\x1b[0m\r\n');
    await eventually('the first line', () => printed.stdout.includes('one\n'));
    await server.kill9();
    await puppet.write('while no server was there\r\n');
    await server.start();
    await eventually('the second line', () => printed.stdout.includes('there\n'));
    expect(printed.stdout.slice(printed.stdout.indexOf('one'))).toBe('one\nwhile no server was there\n');
    expect(printed.stderr).toContain('the server is back');

    const ended = new Promise((resolve) => tail.on('close', (code, signal) => resolve({ code, signal })));
    tail.stdout.destroy();
    await eventually('tail to end', async () => {
      await puppet.write('more\r\n');
      return tail.exitCode !== null;
    });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(printed.stderr).not.toMatch(/EPIPE|^\s+at /m);
  });
});
