/** A disk that becomes full under a running server: it says so once, goes on, and is whole again when there is room. */
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AccessEntry, LogEntry } from '../../src/contract/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { fillDisk, mountSmall } from '../kit/mounts.ts';
import { prepareServer, type ServerUnderTest } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

async function toldToPerson(server: ServerUnderTest): Promise<LogEntry[]> {
  return (await server.ipc.ok('GET', '/logs?audience=user')) as LogEntry[];
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

describe('a log folder without room', () => {
  it('P1: costs the logs and nothing else; it is said once, and what is missing is told when there is room', async () => {
    const mount = await mountSmall(cleanup, 1_024);
    const configDirectory = join(await cleanup.temporaryDirectory(), 'c');
    await mkdir(configDirectory, { mode: 0o700 });
    await symlink(mount, join(configDirectory, 'logs'));
    const server = await prepareServer(cleanup, { configDirectory });
    await server.start();
    await server.ipc.ok('POST', '/logs', { level: 'info', source: 'test', message: 'before' }, 204);
    // Made with its first line, which comes after the answer.
    await eventually('the first line', async () =>
      (await readFile(join(mount, 'access.log'), 'utf8').catch(() => '')).includes('/logs'),
    );

    await fillDisk(mount);
    // The file may have room left up to the end of its last page.
    await eventually('the access log to be refused', async () => {
      for (let time = 0; time < 20; time++) await server.ipc.ok('POST', '/ui/clients/nobody', { focused: true }, 404);
      await server.ipc.ok('POST', '/logs', { level: 'info', source: 'test', message: 'goes on' }, 204);
      return server.errors.includes('access log') || (await toldToPerson(server)).length > 0;
    });
    const told = await toldToPerson(server);
    const complaints = told.filter(({ message }) => message.startsWith('the access log cannot be written'));
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatchObject({ level: 'error', source: 'access-log' });
    expect(complaints[0]?.data_json).toContain('ENOSPC');

    // Terminals, settings and readers do not notice.
    const { session_id } = await server.ipc.createSession({ shell: '/bin/cat' });
    await server.ipc.write(session_id, 'hello\n');
    await eventually('the echo', async () => (await server.ipc.textOutput(session_id)).data.includes('hello'));
    await server.ipc.ok('PUT', '/config', { theme: 'light' });
    expect(await server.ipc.ok('GET', '/logs/access?limit=1')).toHaveLength(1);
    expect((await toldToPerson(server)).filter(({ source }) => source === 'access-log')).toHaveLength(1);
    expect(server.isRunning).toBe(true);

    await rm(join(mount, 'filler'));
    await eventually(
      'the access log to be written again',
      async () => {
        await server.ipc.ok('PUT', `/sessions/${session_id}/name`, { name: 'after' });
        return (await toldToPerson(server)).some(({ message }) => message === 'the access log is written again');
      },
      60_000,
    );
    const again = (await toldToPerson(server)).find(({ message }) => message === 'the access log is written again');
    const { lost } = JSON.parse(again?.data_json ?? '{}') as { lost?: number };
    expect(lost).toBeGreaterThan(0);
    const [newest] = (await server.ipc.ok('GET', '/logs/access?limit=1')) as AccessEntry[];
    expect(newest).toMatchObject({ route: '/sessions/:id/name', session_id });
    const lines = (await readFile(join(mount, 'access.log'), 'utf8')).trimEnd().split('\n');
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();

    await server.stop();
    // The server's own log lies there too: one complaint at most, and no trace of a crash.
    expect(count(server.errors, /The log cannot be written/g)).toBeLessThanOrEqual(1);
    expect(server.errors).not.toMatch(/^\s+at .+:\d+/m);
  });
});

describe('a configuration folder without room', () => {
  it('P1: refuses what it cannot keep, with a text that says so, and keeps what it had', async () => {
    const mount = await mountSmall(cleanup, 4_096);
    const configDirectory = join(mount, 'c');
    const server = await prepareServer(cleanup, { configDirectory });
    await server.start();
    await server.ipc.ok('PUT', '/config', { theme: 'before' });
    const before = await readFile(join(configDirectory, 'config.json'), 'utf8');
    const { session_id } = await server.ipc.createSession({ shell: '/bin/cat' });
    await fillDisk(mount);

    const large = 'x'.repeat(64 * 1_024);
    for (const [path, body] of [
      ['/config', { theme: large }],
      ['/config/notes', { text: large }],
    ] as const) {
      const { status, text } = await server.ipc.request('PUT', path, { body });
      const { error, code } = JSON.parse(text) as { error: string; code: string };
      expect([path, status, code]).toEqual([path, 500, 'storage_failed']);
      expect(error).toMatch(/cannot be written: .*ENOSPC/);
    }
    expect(await readFile(join(configDirectory, 'config.json'), 'utf8')).toBe(before);
    expect(await server.ipc.ok('GET', '/config')).toMatchObject({ theme: 'before' });
    await server.ipc.write(session_id, 'still here\n');
    await eventually('the echo', async () => (await server.ipc.textOutput(session_id)).data.includes('still here'));
    expect(server.isRunning).toBe(true);

    await rm(join(mount, 'filler'));
    await server.ipc.ok('PUT', '/config', { theme: 'after' });
    await server.restart();
    expect(await server.ipc.ok('GET', '/config')).toMatchObject({ theme: 'after' });
    expect(server.errors).not.toMatch(/^\s+at .+:\d+/m);
  });
});
