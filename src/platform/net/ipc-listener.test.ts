import { spawn } from 'node:child_process';
import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { systemClock } from '../../base/index.ts';
import { AppError } from '../../contract/index.ts';
import { acceptsConnections, type IpcListener, listenIpc } from './ipc-listener.ts';
import { preparePrivateDirectory, resolveIpcPlace } from './ipc-path.ts';

let folder: string;
const listeners: IpcListener[] = [];
const servers: Server[] = [];
const lines: string[] = [];
const log = {
  info: (_: object, message: string) => lines.push(message),
  warn: (_: object, message: string) => lines.push(message),
  error: (_: object, message: string) => lines.push(message),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tuic-ipc-'));
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
  for (const server of servers.splice(0)) if (server.listening) await new Promise((done) => server.close(done));
  lines.length = 0;
  await rm(folder, { recursive: true, force: true });
});

function remember(): Server {
  const server = createServer((socket) => {
    // A probe that only connects is gone before the greeting.
    socket.on('error', () => {});
    socket.end('here');
  });
  servers.push(server);
  return server;
}

async function open(
  configDirectory = folder,
  clock = systemClock,
  createOwn: () => Server = remember,
  isNamed = false,
) {
  const listener = await listenIpc({ configDirectory, clock, log, createServer: createOwn, isNamed });
  listeners.push(listener);
  return listener;
}

function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(path)
      .setEncoding('utf8')
      .on('data', (part: string) => {
        text += part;
      })
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

function refusal(work: Promise<unknown>): Promise<AppError> {
  return work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error)),
  );
}

/** A socket file with nobody behind it, as a killed server leaves one. */
async function leaveDeadSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(`${path}.x`, ready));
  await link(`${path}.x`, path);
  await new Promise((done) => server.close(done));
  await expect(ask(path)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}

describe('IPC listener', () => {
  it('is 0600 from the start whatever the umask is, and removes its socket at the end', async () => {
    const before = process.umask(0);
    try {
      const listener = await open();
      expect((await lstat(listener.path)).mode & 0o777).toBe(0o600);
      expect(process.umask()).toBe(0);
      expect(await ask(listener.path)).toBe('here');
      await listener.close();
      expect(await readdir(folder)).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  it('replaces a socket whose owner was killed', async () => {
    const path = join(folder, 'mcp.sock');
    const program = `require('net').createServer().listen(process.argv[1], () => console.log(1))`;
    const child = spawn(process.execPath, ['-e', program, path]);
    await new Promise((ready) => child.stdout.once('data', ready));
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await gone;
    const listener = await open();
    expect(await ask(listener.path)).toBe('here');
    expect(await readdir(folder)).toEqual(['mcp.sock']);
  });

  it('a named instance has a short name and a pointer to it; two names for one directory are one instance', async () => {
    const named = () => open(folder, systemClock, remember, true);
    const first = await named();
    expect(first.path).toMatch(/\/tuic-\d+\/[0-9a-f]{8}\.sock$/);
    expect((await readFile(join(folder, 'mcp.sock.path'), 'utf8')).trim()).toBe(first.path);
    expect((await refusal(open())).code).toBe('server_running');
    expect((await refusal(named())).code).toBe('server_running');
    await first.close();
    expect(await readdir(folder)).toEqual([]);
    const unnamed = await open();
    expect((await refusal(named())).message).toContain(folder);
    expect(await ask(unnamed.path)).toBe('here');
    await unnamed.close();
    // What a killed server left would be found first by clients.
    await leaveDeadSocket(join(folder, 'mcp.sock'));
    await named();
    expect((await readdir(folder)).filter((name) => !name.endsWith('.x'))).toEqual(['mcp.sock.path']);
  });

  it('refuses a second server and names the holder by its own answer', async () => {
    const path = join(folder, 'mcp.sock');
    const holder = createHttpServer((_, response) => response.end(JSON.stringify({ pid: 4711, port: 9876 })));
    servers.push(holder);
    await new Promise<void>((done) => holder.listen(path, done));
    const error = await refusal(open());
    expect(error.code).toBe('server_running');
    for (const part of ['pid 4711', folder, 'http://127.0.0.1:9876']) expect(error.message).toContain(part);
    expect((await lstat(path)).isSocket()).toBe(true);
  });

  it('refuses a second server when the holder hangs, and takes its name from the record', async () => {
    const first = await open(folder, systemClock, () => {
      const silent = createServer(() => {});
      servers.push(silent);
      return silent;
    });
    await writeFile(join(folder, 'server.json'), JSON.stringify({ pid: 815, port: 1234 }));
    const clock = new ManualClock();
    const refused = refusal(open(folder, clock));
    await clock.timerArmed();
    // The probe's timer comes first, the question's second: move until the refusal is there.
    let isDone = false;
    void refused.finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advanceAsync(1_000);
    expect((await refused).message).toContain('pid 815');
    expect(first.path).toBe(join(folder, 'mcp.sock'));
  });

  it('of many that start together on a dead socket exactly one wins', async () => {
    await leaveDeadSocket(join(folder, 'mcp.sock'));
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => open()));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'server_running' });
      }
      expect(await ask(join(folder, 'mcp.sock'))).toBe('here');
      expect(await readdir(folder)).toEqual(['mcp.sock']);
      for (const listener of listeners.splice(0)) await listener.close();
      await leaveDeadSocket(join(folder, 'mcp.sock'));
    }
  });

  it('goes on after a start that was killed in the middle of a take-over', async () => {
    const path = join(folder, 'mcp.sock');
    await leaveDeadSocket(path);
    const claim = `${path}.${(await lstat(path, { bigint: true })).ino}.dead`;
    await link(path, claim);
    const blocked = await refusal(open());
    expect(blocked.code).toBe('storage_failed');
    const listener = await open(folder, { ...systemClock, now: () => Date.now() + 6_000 });
    expect(await ask(listener.path)).toBe('here');
    expect(await readdir(folder)).toEqual(['mcp.sock']);
  });

  it('leaves a file alone that is no socket', async () => {
    await writeFile(join(folder, 'mcp.sock'), 'mine');
    expect((await refusal(open())).code).toBe('storage_failed');
    expect(await readFile(join(folder, 'mcp.sock'), 'utf8')).toBe('mine');
  });

  it('gives one clear error where nothing can be bound', async () => {
    await writeFile(join(folder, 'file'), '');
    const clock = new ManualClock();
    expect((await refusal(open(join(folder, 'file', 'below'), clock))).message).toContain('cannot be written');
  });

  it('tries three times, 100 ms apart', async () => {
    const clock = new ManualClock();
    let attempts = 0;
    const refused = refusal(
      open(join(folder, 'missing'), clock, () => {
        attempts++;
        return remember();
      }),
    );
    await clock.timerArmed(100);
    expect(attempts).toBe(1);
    await clock.advanceAsync(100);
    await clock.timerArmed(100);
    await clock.advanceAsync(100);
    expect((await refused).code).toBe('storage_failed');
    expect(attempts).toBe(3);
  });

  it('binds again 200 ms after the accept loop ended', async () => {
    const clock = new ManualClock();
    const listener = await open(folder, clock);
    const [first] = servers;
    await new Promise((done) => first?.close(done));
    await expect(ask(listener.path)).rejects.toThrow();
    await clock.timerArmed(200);
    clock.advance(200);
    await new Promise<void>((done) => {
      const look = () => (servers.length > 1 && servers[1]?.listening ? done() : setImmediate(look));
      look();
    });
    expect(await ask(listener.path)).toBe('here');
    expect(lines).toContain('the IPC listener ended; it is bound again');
  });

  it('uses a short name and a pointer when the path is too long', async () => {
    const long = join(folder, 'x'.repeat(90));
    await mkdir(long);
    const listener = await open(long);
    expect(Buffer.byteLength(listener.path)).toBeLessThanOrEqual(100);
    expect(listener.path).toMatch(/\/tuic-\d+\/[0-9a-f]{8}\.sock$/);
    expect((await readFile(join(long, 'mcp.sock.path'), 'utf8')).trim()).toBe(listener.path);
    expect(await ask(listener.path)).toBe('here');
    await listener.close();
    expect(await readdir(long)).toEqual([]);
  });

  it('resolves places by length in bytes, and falls back to a short temporary directory', () => {
    const at = (configDirectory: string, temporaryDirectory = '/tmp') =>
      resolveIpcPlace({ configDirectory, temporaryDirectory, uid: 7, platform: 'linux' });
    expect(at(`/${'a'.repeat(89)}`).path).toBe(`/${'a'.repeat(89)}/mcp.sock`);
    expect(at(`/${'a'.repeat(91)}`).path).toMatch(/^\/tmp\/tuic-7\/[0-9a-f]{8}\.sock$/);
    expect(at(`/${'é'.repeat(46)}`).pointer).toBe(`/${'é'.repeat(46)}/mcp.sock.path`);
    expect(at(`/${'a'.repeat(91)}`, `/${'t'.repeat(95)}`).directory).toBe('/tmp/tuic-7');
  });

  it('refuses a private directory that others may enter or that is a link', async () => {
    const wide = join(folder, 'wide');
    await preparePrivateDirectory(wide);
    await preparePrivateDirectory(wide);
    await chmod(wide, 0o755);
    expect((await refusal(preparePrivateDirectory(wide))).code).toBe('storage_failed');
    await symlink(folder, join(folder, 'link'));
    expect((await refusal(preparePrivateDirectory(join(folder, 'link')))).code).toBe('storage_failed');
    expect((await refusal(preparePrivateDirectory(join(folder, 'other'), 12_345))).code).toBe('storage_failed');
  });
});

describe('who asks whether somebody listens', () => {
  it('hears of a live socket, of one that is left over, of none and of a file', async () => {
    const path = (await open()).path;
    const asked = [await acceptsConnections(path, systemClock)];
    await writeFile(join(folder, 'file'), '');
    const orphan = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(join(folder, 'orphan'))}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await new Promise((resolve) => orphan.once('close', resolve));
    expect((await lstat(join(folder, 'orphan'))).isSocket()).toBe(true);
    for (const name of ['orphan', 'nothing', 'file'])
      asked.push(await acceptsConnections(join(folder, name), systemClock));
    expect(asked).toEqual([true, false, false, false]);
  });
});
