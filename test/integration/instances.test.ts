/** One server on one configuration directory: start, stop, a second one, taken ports, what a session inherits. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BASH } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { ApiClient } from '../kit/http.ts';
import { descriptorsOf, hostOf, processesOf } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import { findFreePort, prepareServer, SERVER_PROGRAM, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();

/** A failed start says one thing and shows no stack. */
function expectOneClearMessage(text: string): void {
  const lines = text.trim().split('\n');
  expect(lines.length, text).toBeLessThanOrEqual(4);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(text).not.toMatch(/UnhandledPromise|uncaught/i);
}

describe('a second server', () => {
  it('is refused and names the holder; the first goes on', async () => {
    const first = await startServer(cleanup);
    const { id } = await startPuppet(cleanup, first.ipc);
    const second = await prepareServer(cleanup, { configDirectory: first.configDirectory });
    second.launch();
    const { code } = await second.exited;
    expect(code).not.toBe(0);
    const text = second.output + second.errors;
    expect(text).toContain(String(first.pid));
    expect(text).toContain(first.configDirectory);
    expect(text).toContain(String(first.port));
    expectOneClearMessage(text);
    expect((await first.ipc.get('/health')).status).toBe(200);
    expect((await first.ipc.listSessions()).map((session) => session.session_id)).toEqual([id]);
  });

  it('started at the same time as the first: exactly one lives, with exactly one host', async () => {
    const configDirectory = await cleanup.temporaryDirectory();
    const servers = await Promise.all([
      prepareServer(cleanup, { configDirectory }),
      prepareServer(cleanup, { configDirectory }),
      prepareServer(cleanup, { configDirectory }),
    ]);
    for (const server of servers) server.launch();
    const codes: (number | null)[] = [];
    for (const server of servers) void server.exited.then(({ code }) => codes.push(code));
    await eventually('two of three to give up', () => codes.length === 2);
    expect(codes.every((code) => code !== 0)).toBe(true);
    const [winner] = servers.filter((server) => server.isRunning);
    await winner?.linkPrinted();
    const created = await winner?.ipc.createSession({ shell: '/bin/sleep', args: ['600'] });
    expect(created?.session_id).toBeTruthy();
    const hosts = processesOf(configDirectory).filter((entry) =>
      entry.arguments.some((argument) => argument.endsWith('pty-host/main.cjs')),
    );
    expect(hosts).toHaveLength(1);
  });

  it('starts after a kill -9 of the first, though the dead socket is still there', async () => {
    const server = await startServer(cleanup);
    await server.kill9();
    expect(existsSync(server.socketPath)).toBe(true);
    await server.start();
    expect((await server.ipc.get('/health')).status).toBe(200);
  });
});

describe('named instances', () => {
  it('live beside each other with directories and sockets of their own; a command reaches the one it names', async () => {
    const home = await cleanup.temporaryDirectory();
    const start = async (name: string | undefined) => {
      const folder = name === undefined ? 'tuicommander' : `tuicommander-${name}`;
      const server = await prepareServer(cleanup, {
        configDirectory: join(home, '.config', folder),
        environment: { HOME: home, TUIC_CONFIG_DIR: undefined, XDG_CONFIG_HOME: undefined, TUIC_INSTANCE: name },
      });
      server.launch();
      await server.linkPrinted();
      return server;
    };
    const plain = await start(undefined);
    const work = await start('work');
    expect(existsSync(join(work.configDirectory, 'mcp.sock'))).toBe(false);
    const socketPath = readFileSync(join(work.configDirectory, 'mcp.sock.path'), 'utf8').trim();
    expect(socketPath).toMatch(/\/tuic-\d+\/[0-9a-f]{8}\.sock$/);
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    const { puppet } = await startPuppet(cleanup, new ApiClient({ socketPath }));
    const { environment } = (await puppet.do('environment')) as { environment: Record<string, string> };
    expect(environment).toMatchObject({ TUIC_INSTANCE: 'work', TUIC_CONFIG_DIR: work.configDirectory });

    const ask = (...args: string[]) => {
      const { TUIC_CONFIG_DIR: _, XDG_CONFIG_HOME: __, ...env } = process.env;
      const done = spawnSync(process.execPath, [SERVER_PROGRAM, ...args], {
        env: { ...env, HOME: home },
        encoding: 'utf8',
      });
      return { code: done.status, ...done };
    };
    expect(JSON.parse(ask('--instance', 'work', 'ls', '--json').stdout)).toHaveLength(1);
    expect(JSON.parse(ask('ls', '--json').stdout)).toHaveLength(0);
    const nobody = ask('--instance=other', 'ls');
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('tuicommander-other')]);
    for (const args of [
      ['--instance', '../x', 'ls'],
      ['--instance', 'Work', 'start'],
    ]) {
      const refused = ask(...args);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('TUIC_INSTANCE')]);
      expectOneClearMessage(refused.stderr);
    }
    expect(plain.isRunning).toBe(true);
  });

  it('a directory whose path is too long for a socket: the socket is short, and clients find it', async () => {
    const configDirectory = join(await cleanup.temporaryDirectory(), 'x'.repeat(110));
    const server = await prepareServer(cleanup, { configDirectory });
    server.launch();
    await server.linkPrinted();
    const done = spawnSync(process.execPath, [SERVER_PROGRAM, 'status', '--json'], {
      env: { ...process.env, TUIC_CONFIG_DIR: configDirectory },
      encoding: 'utf8',
    });
    expect([done.status, done.stdout]).toEqual([0, expect.stringContaining(String(server.pid))]);
  });
});

async function occupy(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  cleanup.defer(() => new Promise((resolve) => server.close(resolve)));
  return server;
}

describe('a taken port', () => {
  it('the next two are tried', async () => {
    const port = await findFreePort();
    await occupy(port);
    const server = await startServer(cleanup, { port });
    expect(server.port).toBe(port + 1);
    expect((await server.local.get('/health')).status).toBe(200);
    const health = (await server.ipc.ok('GET', '/health')) as { port?: number };
    expect(health.port).toBe(port + 1);
  });

  it('a bad TUIC_PORT is one clear error', async () => {
    for (const value of ['nonsense', '70000', '-1']) {
      const server = await prepareServer(cleanup, { environment: { TUIC_PORT: value } });
      server.launch();
      const { code } = await server.exited;
      expect(code).not.toBe(0);
      expect(server.output + server.errors).toContain('TUIC_PORT');
      expectOneClearMessage(server.output + server.errors);
    }
  });
});

describe('stop and start', () => {
  it('P2: sessions live through an orderly restart; viewers are told to come back', async () => {
    const server = await startServer(cleanup);
    const { id, alias, puppet } = await startPuppet(cleanup, server.ipc, { display_name: 'my work', mode: 'raw' });
    await puppet.write('before the restart');
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0 });
    await viewer.untilOffset(18);
    const host = hostOf(server.configDirectory)?.pid;
    const { code } = await server.stop();
    expect(code).toBe(0);
    expect((await viewer.closed).code).toBe(1001);
    expect(server.output + server.errors, 'it says what keeps running').toMatch(/1 (session|terminal)/);
    await puppet.write(' and while it was away');
    await server.start();
    expect(hostOf(server.configDirectory)?.pid).toBe(host);
    const [entry] = await server.ipc.listSessions();
    expect(entry).toMatchObject({ session_id: id, alias, display_name: 'my work', lifecycle: 'live' });
    const back = await openStream(server.ipc.target, id, { format: 'bytes', offset: 18, keep: true });
    await back.untilOffset(40);
    expect(back.content).toBe(' and while it was away');
    await server.ipc.write(id, 'hello');
    await puppet.untilRead(5);
    // An alias is never given twice.
    const next = await startPuppet(cleanup, server.ipc);
    expect(next.alias).not.toBe(alias);
  });

  it('Ctrl-C to the whole group of the server does not touch the terminals', async () => {
    const server = await startServer(cleanup);
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    process.kill(-server.pid, 'SIGINT');
    expect((await server.exited).code).toBeOneOf([0, 130]);
    await server.start();
    await server.ipc.write(id, 'alive');
    await puppet.untilRead(5);
  });

  it('a login survives kill -9 and restart', async () => {
    const server = await startServer(cleanup);
    const { url } = (await server.ipc.ok('POST', '/login/ticket', {})) as { url: string };
    const { pathname, search } = new URL(url);
    const answer = await server.local.get(pathname + search, { headers: { 'user-agent': 'Mozilla/5.0' } });
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const browser = { cookie, 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' };
    expect((await server.local.get('/sessions', { headers: browser })).status).toBe(200);
    await server.kill9();
    await server.start();
    expect((await server.local.get('/sessions', { headers: browser })).status).toBe(200);
  });

  it('many sessions are there again after kill -9, each with its own screen', async () => {
    const server = await startServer(cleanup);
    const ids: string[] = [];
    for (let number = 0; number < 20; number++) {
      const { session_id } = await server.ipc.createSession({
        shell: '/bin/sh',
        args: ['-c', `echo screen number ${number}.; exec sleep 600`],
      });
      ids.push(session_id);
    }
    for (const [number, id] of ids.entries()) {
      await eventually('its output', async () => (await server.ipc.textOutput(id)).data.includes(`number ${number}.`));
    }
    await server.kill9();
    await server.start();
    const list = await server.ipc.listSessions();
    expect(list.map((session) => session.session_id).sort()).toEqual([...ids].sort());
    expect(list.every((session) => session.lifecycle === 'live')).toBe(true);
    for (const [number, id] of ids.entries()) {
      expect((await server.ipc.textOutput(id)).data).toContain(`screen number ${number}.`);
    }
  });
});

describe('T22: what a session inherits', () => {
  it('T22: marks of agents and multiplexers are stripped, ours are set, the rest stays', async () => {
    const marks = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      TMUX: '/tmp/tmux-0/default,1,0',
      TMUX_PANE: '%1',
      STY: '1.pts',
      NO_COLOR: '1',
      GIT_DIR: '/elsewhere',
      GIT_WORK_TREE: '/elsewhere',
      GIT_INDEX_FILE: '/elsewhere/index',
      ZELLIJ: '0',
      COLUMNS: '300',
      LINES: '100',
      TERM: 'dumb',
      TERM_PROGRAM: 'another',
    };
    const server = await startServer(cleanup, { environment: { ...marks, KEPT_FOR_THE_PROGRAM: 'yes' } });
    const { puppet } = await startPuppet(cleanup, server.ipc, { env: { FROM_THE_CALLER: 'also' } });
    const { environment } = (await puppet.do('environment')) as { environment: Record<string, string> };
    const left = Object.keys(marks).filter((name) => !name.startsWith('TERM') && name in environment);
    expect(left).toEqual([]);
    expect(environment).toMatchObject({
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      TERM_PROGRAM: 'tuicommander',
      TUIC_CONFIG_DIR: server.configDirectory,
      KEPT_FOR_THE_PROGRAM: 'yes',
      FROM_THE_CALLER: 'also',
    });
    expect(environment.TUIC_SESSION).toMatch(/^[0-9a-f-]{36}$/);
    expect(environment.TERM_PROGRAM_VERSION).toMatch(/^\d+\.\d+/);
  });

  it('T22: a session inherits no descriptor of the host but its terminal', async () => {
    const server = await startServer(cleanup);
    for (let count = 0; count < 5; count++) await server.ipc.createSession({ shell: '/bin/sleep', args: ['600'] });
    const { session_id } = await server.ipc.createSession(BASH);
    const viewer = await openStream(server.ipc.target, session_id, { format: 'raw' });
    await viewer.until('the prompt', () => viewer.text.includes('ready> '));
    const { pid } = (await server.ipc.ok('GET', `/sessions/${session_id}/leaf-pid`)) as { pid: number };
    const targets = descriptorsOf(pid);
    expect(targets.length).toBeGreaterThanOrEqual(3);
    expect(new Set(targets).size, targets.join(' ')).toBe(1);
    expect(targets[0]).toMatch(/^\/dev\/pts\/\d+$/);
  });
});
