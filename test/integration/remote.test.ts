/** The remote listener of the real server: opt-in, name and password, own certificate, and a rebind that touches nothing else. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { makeNamespace, whyNoNamespace } from '../kit/namespace.ts';
import { listeningSockets } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import {
  basic,
  changeSettings,
  cheapHash,
  LOGIN,
  listenersOf,
  occupy,
  openRemote,
  remoteClient,
} from '../kit/remote.ts';
import { findFreePort, type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream, UpgradeRefused } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
const certificates = fileURLToPath(new URL('../fixtures/certificates/', import.meta.url));

let first: Promise<ServerUnderTest> | undefined;
/** One server for the tests that leave it as it was: without remote access. */
async function withServer(work: (server: ServerUnderTest) => Promise<void>): Promise<void> {
  first ??= startServer(shared);
  const server = await first;
  try {
    await work(server);
  } finally {
    await changeSettings(server, { services: { server: { enabled: false }, tls: { mode: 'off' } } });
  }
}

async function readLogs(server: ServerUnderTest): Promise<string> {
  const folder = join(server.configDirectory, 'logs');
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

const isRefused = { code: 'ECONNREFUSED' };

describe('switching remote access on', () => {
  it('D2 X05: is needed; without a password it does not listen and says why; the server goes on', () =>
    withServer(async (server) => {
      expect((await listenersOf(server)).remote.state).toBe('off');
      const port = await findFreePort();
      const report = await changeSettings(server, {
        services: { server: { enabled: true, port }, auth: { password_hash: '' } },
      });
      expect(report.remote).toMatchObject({ state: 'failed', reason: expect.stringContaining('no password') });
      await expect(remoteClient(port).get('/health')).rejects.toMatchObject(isRefused);
      expect(listeningSockets([server.pid]).map((socket) => socket.port)).toEqual([server.port, server.port]);
      expect((await server.local.get('/health')).status).toBe(200);
    }));

  it('D2: listens on all addresses and lets in by name and password only', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      expect(listeningSockets([server.pid])).toContainEqual({ address: '00000000', port });
      const token = (await readFile(join(server.configDirectory, 'token'), 'utf8')).trim();
      for (const [headers, status] of [
        [{}, 401],
        [{ authorization: basic('wrong') }, 401],
        [{ authorization: basic(LOGIN.password, 'somebody') }, 401],
        [{ authorization: `Bearer ${token}` }, 401],
        [{ authorization: basic() }, 200],
      ] as const) {
        const answer = await remoteClient(port, headers).get('/health');
        expect([headers, answer.status]).toEqual([headers, status]);
        if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="TUICommander"/);
      }
      const login = await remoteClient(port, { authorization: basic() }).get('/sessions');
      const [cookie = ''] = login.headers['set-cookie'] ?? [];
      expect(cookie).toMatch(
        new RegExp(`^tui-session-${port}=\\S+; HttpOnly; SameSite=Strict; Path=/; Max-Age=86400$`),
      );
      const browser = { cookie: cookie.split(';')[0] ?? '', origin: `http://127.0.0.1:${port}` };
      expect((await remoteClient(port, browser).get('/sessions')).status).toBe(200);
      // A browser shows it to every port of the name; it opens nothing on local TCP.
      const elsewhere = { 'user-agent': 'Mozilla/5.0', origin: server.origin };
      const carried = browser.cookie.replace(`-${port}=`, `-${server.port}=`);
      expect((await server.local.with({ ...elsewhere, cookie: carried }).get('/sessions')).status).toBe(401);
    }));

  it('D2: listens on IPv6 as well when asked, and on one port only', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const { remote } = await changeSettings(server, { services: { server: { ipv6_enabled: true } } });
      expect(remote).toMatchObject({ state: 'listening', address: '::', port });
      for (const host of ['127.0.0.1', '::1']) {
        const name = host === '::1' ? `[::1]:${port}` : `${host}:${port}`;
        const client = remoteClient(port, { authorization: basic(), host: name });
        Object.assign(client.target, { host });
        expect((await client.get('/health')).status, host).toBe(200);
      }
      await changeSettings(server, { services: { server: { ipv6_enabled: false } } });
    }));

  it('a taken port: the next two are tried; with all three taken the reason is told and the server goes on', () =>
    withServer(async (server) => {
      const port = await findFreePort();
      const password_hash = await cheapHash(LOGIN.password);
      await changeSettings(server, { services: { auth: { username: LOGIN.username, password_hash } } });
      await occupy(cleanup, port);
      const { remote } = await changeSettings(server, { services: { server: { enabled: true, port } } });
      expect(remote).toMatchObject({ state: 'listening', port: port + 1 });
      await changeSettings(server, { services: { server: { enabled: false } } });
      await occupy(cleanup, port + 1);
      await occupy(cleanup, port + 2);
      const failed = await changeSettings(server, { services: { server: { enabled: true } } });
      expect(failed.remote).toMatchObject({
        state: 'failed',
        reason: expect.stringMatching(new RegExp(`${port}, ${port + 1}, ${port + 2}.*services\\.server\\.port`)),
      });
      expect((await server.local.get('/health')).status).toBe(200);
    }));
});

describe('a change of the settings', () => {
  it('P1: of the port moves the door alone: no stream ends, over IPC, local or remote', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
      const authorization = basic();
      const streams = await Promise.all([
        openStream(server.ipc.target, id, { format: 'bytes', offset: 0, keep: true }),
        openStream({ port: server.port }, id, { format: 'bytes', offset: 0, keep: true }),
        openStream({ port }, id, { format: 'bytes', offset: 0, keep: true, headers: { authorization } }),
      ]);
      const next = await findFreePort();
      // Asked over the very listener that goes away: the answer comes all the same.
      const answer = await remoteClient(port, { authorization }).request('PUT', '/config', {
        body: { services: { server: { port: next } } },
      });
      expect(answer.status).toBe(200);
      expect((await listenersOf(server)).remote).toMatchObject({ state: 'listening', port: next });
      await expect(remoteClient(port, { authorization }).get('/health')).rejects.toMatchObject(isRefused);
      expect((await remoteClient(next, { authorization }).get('/health')).status).toBe(200);
      await puppet.write('still here');
      for (const stream of streams) {
        await stream.untilOffset(10);
        expect([stream.content, stream.close]).toEqual(['still here', undefined]);
        stream.cut();
      }
    }));

  it('X01: of the password ends what came in by the old one, and nothing else', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
      const old = remoteClient(port, { authorization: basic() });
      const cookie = (await old.get('/health')).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const headers = { authorization: basic() };
      const remote = await openStream({ port }, id, { format: 'bytes', offset: 0, headers });
      const events = await openEvents({ port }, { headers });
      const ipc = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, keep: true });
      const answer = await old.request('PUT', '/config', {
        body: { services: { auth: { password_hash: await cheapHash('another') } } },
      });
      expect(answer.status).toBe(200);
      expect((await remote.closed).code).toBe(1001);
      await events.until('the stream to end', () => events.ended);
      expect((await old.get('/health')).status).toBe(401);
      const origin = `http://127.0.0.1:${port}`;
      expect((await remoteClient(port, { cookie, origin }).get('/health')).status).toBe(401);
      expect((await remoteClient(port, { authorization: basic('another') }).get('/health')).status).toBe(200);
      await puppet.write('still here');
      await ipc.untilOffset(10);
      expect([ipc.content, ipc.close]).toEqual(['still here', undefined]);
      ipc.cut();
      expect(await readLogs(server)).toContain('the remote login changed');
    }));

  it('P2: to off ends remote connections after their answers; the log says what is affected and what is not', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const { id } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
      const headers = { authorization: basic() };
      const remote = await openStream({ port }, id, { format: 'bytes', headers });
      const local = await openStream({ port: server.port }, id, { format: 'bytes' });
      const answer = await remoteClient(port, headers).request('PUT', '/config', {
        body: { services: { server: { enabled: false } } },
      });
      expect(answer.status).toBe(200);
      expect((await remote.closed).code).toBe(1001);
      expect((await listenersOf(server)).remote.state).toBe('off');
      await expect(remoteClient(port).get('/health')).rejects.toMatchObject(isRefused);
      expect(local.close).toBeUndefined();
      local.cut();
      const logs = await readLogs(server);
      expect(logs).toContain('remote TCP was switched off; IPC and local TCP are not affected');
      expect(logs).toContain('remote TCP listens; IPC and local TCP are not affected');
    }));

  it('of the local port moves local TCP alone; a taken one changes nothing; a file changed by hand is followed', async () => {
    const configDirectory = await cleanup.temporaryDirectory();
    const file = join(configDirectory, 'config.json');
    const [before, taken, next] = [await findFreePort(), await findFreePort(), await findFreePort()];
    await writeFile(file, JSON.stringify({ mcp_port: before }));
    const server = await startServer(cleanup, { configDirectory, environment: { TUIC_PORT: undefined } });
    expect(server.port).toBe(before);
    const { id, puppet } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
    const stream = await openStream({ port: before }, id, { format: 'bytes', offset: 0, keep: true });
    for (const offset of [0, 1, 2]) await occupy(cleanup, taken + offset);
    const stays = await changeSettings(server, { mcp_port: taken });
    expect(stays.local).toMatchObject({ state: 'listening', port: before });
    await writeFile(file, JSON.stringify({ mcp_port: next }));
    const moved = await changeSettings(server, {});
    expect(moved.local).toMatchObject({ state: 'listening', port: next });
    expect((await remoteClient(next).get('/health')).json()).toMatchObject({ port: next });
    await expect(remoteClient(before).get('/health')).rejects.toMatchObject(isRefused);
    expect(JSON.parse(await readFile(join(configDirectory, 'server.json'), 'utf8'))).toMatchObject({ port: next });
    await puppet.write('still here');
    await stream.untilOffset(10);

    // Switched off and on again: what came in that way ends, and IPC stays.
    const off = await changeSettings(server, { local_server_enabled: false });
    expect(off.local.state).toBe('off');
    expect((await stream.closed).code).toBe(1001);
    await expect(remoteClient(next).get('/health')).rejects.toMatchObject(isRefused);
    expect(JSON.parse(await readFile(join(configDirectory, 'server.json'), 'utf8'))).not.toHaveProperty('port');
    expect(await server.ipc.ok('POST', '/login/ticket', {})).not.toHaveProperty('url');
    const on = await changeSettings(server, { local_server_enabled: true });
    expect(on.local).toMatchObject({ state: 'listening', port: next });
  });

  it('many at once: what was stored last is what listens in the end, once', () =>
    withServer(async (server) => {
      await openRemote(server);
      const ports = await Promise.all(Array.from({ length: 6 }, () => findFreePort()));
      await Promise.all(
        ports.map((port, index) =>
          server.ipc.ok('PUT', '/config', { services: { server: { port, enabled: index !== 3 } } }),
        ),
      );
      const { services } = (await server.ipc.ok('GET', '/config')) as {
        services: { server: { port: number; enabled: boolean } };
      };
      const { remote } = await listenersOf(server);
      const found = listeningSockets([server.pid]).filter((socket) => socket.address === '00000000');
      if (services.server.enabled) {
        expect(remote.state).toBe('listening');
        const port = 'port' in remote ? remote.port : 0;
        expect(port - services.server.port).toBeOneOf([0, 1, 2]);
        expect(found).toEqual([{ address: '00000000', port }]);
      } else expect([remote.state, found]).toEqual(['off', []]);
    }));

  it('X01: rotation ends every login but the one that asked', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const { id } = await startPuppet(cleanup, server.ipc, { mode: 'raw' });
      const origin = `http://127.0.0.1:${port}`;
      const logIn = async () =>
        (await remoteClient(port, { authorization: basic() }).get('/health')).headers['set-cookie']?.[0]?.split(
          ';',
        )[0] ?? '';
      const cookie = await logIn();
      const stream = await openStream({ port }, id, { format: 'bytes', headers: { cookie, origin } });
      const script = await openStream(server.ipc.target, id, { format: 'bytes' });
      const asked = await remoteClient(port, { cookie, origin }).post('/api/auth/rotate-token', {});
      expect(asked.status).toBe(200);
      const renewed = asked.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      expect(renewed).not.toBe(cookie);
      expect((await stream.closed).code).toBe(1001);
      expect((await remoteClient(port, { cookie, origin }).get('/health')).status).toBe(401);
      expect((await remoteClient(port, { cookie: renewed, origin }).get('/health')).status).toBe(200);
      await expect(openStream({ port }, id, { headers: { cookie, origin } })).rejects.toThrow(UpgradeRefused);
      expect(script.close).toBeUndefined();
      script.cut();
      // Stored before it counts: a restart knows it.
      await server.restart();
      expect((await remoteClient(port, { cookie: renewed, origin }).get('/health')).status).toBe(200);
    }));
});

describe('an own certificate', () => {
  const tls = (cert: string, key: string) => ({
    services: { tls: { mode: 'manual', cert_path: join(certificates, cert), key_path: join(certificates, key) } },
  });

  function askTls(port: number): Promise<{ status: number; cookie: string }> {
    return new Promise((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port,
          path: '/health',
          headers: { authorization: basic() },
          rejectUnauthorized: false,
          agent: false,
        },
        (answer) => {
          answer.resume();
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.[0] ?? '' }),
          );
        },
      );
      call.on('error', reject);
      call.end();
    });
  }

  it('that cannot be used is named, nothing is served in cleartext instead, and the server goes on', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      for (const [cert, key, reason] of [
        ['missing.pem', 'own.key.pem', /cert_path: there is no file .*missing\.pem/],
        ['own.cert.pem', 'other.key.pem', /key_path: .* does not belong to the certificate/],
        ['own.cert.pem', 'locked.key.pem', /key_path: .* without a passphrase/],
        ['own.key.pem', 'own.key.pem', /cert_path: .* holds no certificate/],
        ['', 'own.key.pem', /cert_path: .* cannot be read/],
      ] as const) {
        const { remote } = await changeSettings(server, tls(cert, key));
        expect(remote).toMatchObject({ state: 'failed', reason: expect.stringMatching(reason) });
        await expect(remoteClient(port).get('/health')).rejects.toMatchObject(isRefused);
      }
      expect((await server.local.get('/health')).status).toBe(200);
    }));

  it('serves the same over TLS, with a cookie for TLS only, and no cleartext', () =>
    withServer(async (server) => {
      const port = await openRemote(server);
      const before = await openEvents({ port }, { headers: { authorization: basic() } });
      const { remote } = await changeSettings(server, tls('own.cert.pem', 'own.key.pem'));
      expect(remote).toEqual({ state: 'listening', port, address: '0.0.0.0', tls: true });
      // What came in as cleartext ends with it.
      await before.until('the stream to end', () => before.ended);
      const { status, cookie } = await askTls(port);
      expect([status, cookie]).toEqual([200, expect.stringContaining('; Secure')]);
      await expect(remoteClient(port).get('/health')).rejects.toThrow();
      // Renewal: half of it is there for a moment, and the listener goes on with the old one.
      const half = await changeSettings(server, tls('other.cert.pem', 'own.key.pem'));
      expect(half.remote).toMatchObject({ state: 'listening', reason: expect.stringContaining('does not belong') });
      expect((await askTls(port)).status).toBe(200);
      const whole = await changeSettings(server, tls('other.cert.pem', 'other.key.pem'));
      expect(whole.remote).toEqual({ state: 'listening', port, address: '0.0.0.0', tls: true });
      expect((await askTls(port)).status).toBe(200);
    }));
});

describe('brute force', () => {
  it('X01: is held back with Retry-After; whoever is logged in already is not', async () => {
    const server = await startServer(cleanup);
    const port = await openRemote(server);
    const login = await remoteClient(port, { authorization: basic() }).get('/health');
    const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    await changeSettings(server, { services: { auth: { auth_rate_limit_max: 3, auth_rate_limit_window_secs: 60 } } });
    const guess = (password: string) => remoteClient(port, { authorization: basic(password) }).get('/health');
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(`guess ${index}`)));
    expect(statuses.filter(({ status }) => status === 401)).toHaveLength(3);
    const held = statuses.filter(({ status }) => status === 429);
    expect(held).toHaveLength(9);
    expect(Number(held[0]?.headers['retry-after'])).toBeGreaterThan(50);
    expect((await guess(LOGIN.password)).status).toBe(429);
    const browser = { cookie, origin: `http://127.0.0.1:${port}` };
    expect((await remoteClient(port, browser).get('/health')).status).toBe(200);
    const logs = await readLogs(server);
    expect(logs.match(/a login with name and password failed/g)).toHaveLength(3);
    expect(logs).not.toContain('guess');

    // A start that cannot have the remote listener says so, and serves everything else.
    await changeSettings(server, { services: { auth: { password_hash: '' } } });
    await server.restart();
    expect(server.errors).toContain('Remote access does not listen: there is no password');
    expect((await server.local.get('/health')).status).toBe(200);
  });
});

const missing = await whyNoNamespace();

describe('another machine', () => {
  it.skipIf(missing !== undefined)(
    `P4: a network namespace gets in by the password, and by nothing else${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    () =>
      withServer(async (server) => {
        const port = await openRemote(server);
        const space = await makeNamespace(cleanup);
        const remote = `http://${space.hostAddress}:${port}/sessions`;
        expect(await space.askStatus(remote)).toBe('401');
        expect(await space.askStatus('-u', `${LOGIN.username}:wrong`, remote)).toBe('401');
        expect(await space.askStatus('-u', `${LOGIN.username}:${LOGIN.password}`, remote)).toBe('200');
        const token = (await readFile(join(server.configDirectory, 'token'), 'utf8')).trim();
        expect(await space.askStatus('-H', `Authorization: Bearer ${token}`, remote)).toBe('401');
        expect(
          await space.askStatus('-u', `${LOGIN.username}:${LOGIN.password}`, '-H', 'Host: evil.example', remote),
        ).toBe('403');
        // Local TCP cannot be reached from there at all.
        expect(await space.askStatus(`http://${space.hostAddress}:${server.port}/sessions`)).toBe('000');
      }),
  );
});
