/** The tuic command over faults that take their time. */
import { spawn } from 'node:child_process';
import { verify } from '@node-rs/bcrypt';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { baseEnvironment, SERVER_PROGRAM, type ServerUnderTest, startServer } from '../kit/server.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer(shared);
});

describe('tuic tail', () => {
  it('P2: tail -f goes on over a kill -9 of the server, byte for byte; a reader that leaves ends it quietly', async () => {
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

describe('at a terminal', () => {
  async function open(args: string[], size: { rows?: number; cols?: number } = {}) {
    const { session_id } = await server.ipc.createSession({
      shell: process.execPath,
      args: [SERVER_PROGRAM, ...args],
      ...size,
    });
    const shown = async () => (await server.ipc.rawOutput(session_id)).data;
    const until = (part: string) => eventually(`"${part}"`, async () => (await shown()).includes(part));
    const exited = () =>
      eventually('its end', async () => {
        const found = (await server.ipc.listSessions(true)).find((one) => one.session_id === session_id);
        return found?.lifecycle === 'exited' && { code: found.exit_code };
      });
    return { id: session_id, shown, until, exited };
  }

  it('hash-password shows nothing of what is typed, and Ctrl-C leaves the terminal as it was', async () => {
    const asked = await open(['hash-password']);
    await asked.until('Password: ');
    await server.ipc.write(asked.id, 'hunter2\r');
    await asked.until('Again: ');
    await server.ipc.write(asked.id, 'hunter2\r');
    expect(await asked.exited()).toEqual({ code: 0 });
    const text = await asked.shown();
    expect(text).not.toContain('hunter');
    expect(await verify('hunter2', /\$2b\$\S+/.exec(text)?.[0] ?? '')).toBe(true);

    const script = `"${process.execPath}" "${SERVER_PROGRAM}" hash-password; echo "code $?"; stty -a`;
    const { session_id: id } = await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', script], cols: 200 });
    const shown = async () => (await server.ipc.rawOutput(id)).data;
    await eventually('the question', async () => (await shown()).includes('Password: '));
    await server.ipc.write(id, 'secret\x03');
    await eventually('the modes', async () => (await shown()).includes('icanon'));
    expect(await shown()).toContain('code 130');
    expect(await shown()).toMatch(/ icanon .* echo /s);
  });

  it('attach works in a window of one cell, and leaves it', async () => {
    const { alias, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    await puppet.write('\x1b[?1049h漢字 and more than one cell');
    const tiny = await open(['attach', alias], { rows: 1, cols: 1 });
    await puppet.until('the size', () => puppet.sizes.some(({ columns, rows }) => columns === 1 && rows === 1));
    await server.ipc.write(tiny.id, 'x\x1d');
    expect(await tiny.exited()).toEqual({ code: 0 });
    await puppet.untilRead(1);
  });
});
