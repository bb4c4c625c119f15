/** Who gets in, against the real server on local TCP. Each route of the route table is tried. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROUTES, type Route } from '../../src/contract/index.ts';
import { cleanupAfterAll, cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { rawLines, rawRequest } from '../kit/http.ts';
import { asOtherUser } from '../kit/other-user.ts';
import { listeningSockets, processesOf } from '../kit/processes.ts';
import { startPuppet } from '../kit/puppet.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream, UpgradeRefused } from '../kit/stream-client.ts';

const shared = cleanupAfterAll();
const cleanup = cleanupAfterEach();
let server: ServerUnderTest;
let sessionId: string;
let token: string;

beforeAll(async () => {
  server = await startServer(shared);
  sessionId = (await startPuppet(shared, server.ipc)).id;
  token = (await readFile(join(server.configDirectory, 'token'), 'utf8')).trim();
});

const UPGRADE = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];

function rowsOf(route: Route): { line: string; extra: string[]; body: string } {
  const path = route.path
    .replace(':id', sessionId)
    .replace(':client_id', crypto.randomUUID())
    .replace('*', 'index.html');
  const body = route.method === 'POST' || route.method === 'PUT' ? '{}' : '';
  const extra =
    route.kind === 'upgrade'
      ? ['Connection: Upgrade', ...UPGRADE]
      : ['Connection: close', ...(body === '' ? [] : ['Content-Type: application/json', 'Content-Length: 2'])];
  return { line: `${route.method} ${path} HTTP/1.1`, extra, body };
}

/** Sends one request for each route of the table and one for a path that no route has. */
async function tryEveryRoute(headers: readonly string[], check: (status: number, what: string, body: string) => void) {
  const unknown: Route = {
    id: 'unknown',
    method: 'POST',
    path: '/no/such/route',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  };
  expect(ROUTES.length).toBeGreaterThan(20);
  for (const route of [...ROUTES, unknown]) {
    const { line, extra, body } = rowsOf(route);
    const answer = await rawRequest({ port: server.port }, rawLines(line, [...headers, ...extra], body));
    check(answer.status, `${line} with ${headers.join(', ')}`, answer.body);
  }
  expect((await server.ipc.get('/health')).status).toBe(200);
  expect((await server.ipc.listSessions()).map((session) => session.session_id)).toEqual([sessionId]);
}

const host = () => `Host: 127.0.0.1:${server.port}`;

describe('X01 and X04: a web page', () => {
  it('X01: a foreign Origin is refused on every route, with and without our cookie', async () => {
    for (const origin of ['http://evil.example', 'null', `http://localhost:${server.port + 1}`, 'https://127.0.0.1']) {
      await tryEveryRoute([host(), `Origin: ${origin}`], (status, what) => expect(status, what).toBe(403));
    }
  });

  it('X01: a create from a foreign page opens nothing', async () => {
    const answer = await server.local.post('/sessions', {}, { headers: { origin: 'http://evil.example' } });
    expect(answer.status).toBe(403);
    expect(await server.ipc.listSessions()).toHaveLength(1);
  });

  it('X01: what a browser sends without a credential is refused, also without an Origin', async () => {
    const browserLike = [
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: none'],
      ['User-Agent: Mozilla/5.0 (X11; Linux x86_64)'],
      [`Referer: http://127.0.0.1:${server.port}/`],
      ['X-Forwarded-For: 127.0.0.1'],
      ['Forwarded: for=127.0.0.1'],
    ];
    for (const headers of browserLike) {
      const answer = await rawRequest(
        { port: server.port },
        rawLines('GET /sessions HTTP/1.1', [host(), 'Connection: close', ...headers]),
      );
      expect([401, 403], headers[0]).toContain(answer.status);
      expect(answer.body, 'the next step is named').toContain('tuic open');
    }
  });

  it('X04: a cookie alone opens no stream: not from another origin, another port, or without an origin', async () => {
    const cookie = await logIn();
    const at = { port: server.port };
    const foreign = [
      'http://evil.example',
      `http://localhost:${server.port + 1}`,
      `http://127.0.0.1:${server.port + 1}`,
      `https://127.0.0.1:${server.port}`,
    ];
    const browser = { cookie, 'user-agent': 'Mozilla/5.0' };
    for (const origin of foreign) {
      await expect(openStream(at, sessionId, { headers: { ...browser, origin } })).rejects.toThrow(UpgradeRefused);
      await expect(openEvents(at, { headers: { ...browser, origin } })).rejects.toThrow(/40[13]/);
    }
    await expect(openStream(at, sessionId, { headers: browser })).rejects.toThrow(UpgradeRefused);
    await expect(openEvents(at, { headers: browser })).rejects.toThrow(/40[13]/);

    const own = await openStream(at, sessionId, { format: 'bytes', headers: { ...browser, origin: server.origin } });
    await own.frame('snapshot');
    own.cut();
    const sameOrigin = await openEvents(at, { headers: { ...browser, 'sec-fetch-site': 'same-origin' } });
    sameOrigin.cut();
  });

  it('X01: CORS is open to all without credentials', async () => {
    const answer = await rawRequest(
      { port: server.port },
      rawLines('GET /health HTTP/1.1', [
        host(),
        'Connection: close',
        'Origin: http://elsewhere.example',
        `Authorization: Bearer ${token}`,
      ]),
    );
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/^access-control-allow-origin: \*$/im);
    expect(answer.head).not.toMatch(/access-control-allow-credentials/i);
  });
});

describe('X02: DNS rebinding', () => {
  it('X02: a foreign, doubled, missing or empty Host is refused on every route', async () => {
    const port = server.port;
    const hosts = [
      ['Host: evil.example'],
      [`Host: evil.example:${port}`],
      [`Host: localhost.evil.example:${port}`],
      [`Host: 127.0.0.1.evil.example:${port}`],
      ['Host: [::1]'],
      [`Host: 0.0.0.0:${port}`],
      [`Host: 127.0.0.1:${port + 1}`],
      [`Host: user@127.0.0.1:${port}`],
      ['Host:'],
      [host(), 'Host: evil.example'],
      ['Host: evil.example', host()],
      [host(), host()],
      [],
    ];
    for (const headers of hosts) {
      await tryEveryRoute(headers, (status, what) => expect([400, 403], `${what}: ${status}`).toContain(status));
    }
  });

  it('X02: loopback names with our port are welcome, in IPv4 and IPv6', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const target = name === '[::1]' ? { port: server.port, host: '::1' } : { port: server.port };
      const answer = await rawRequest(
        target,
        rawLines('GET /health HTTP/1.1', [`Host: ${name}:${server.port}`, 'Connection: close']),
      );
      expect(answer.status, name).toBe(200);
    }
  });

  it('X02: absolute targets, and upgrades where none belong, are refused', async () => {
    const absolute = await rawRequest(
      { port: server.port },
      rawLines(`GET http://127.0.0.1:${server.port}/health HTTP/1.1`, [host(), 'Connection: close']),
    );
    expect(absolute.status).toBe(400);
    const plain = await rawRequest(
      { port: server.port },
      rawLines('GET /health HTTP/1.1', [host(), 'Connection: Upgrade', ...UPGRADE]),
    );
    expect(plain.status).toBe(400);
    const newer = await rawRequest(
      { port: server.port },
      rawLines('GET /health HTTP/1.1', [host(), 'Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c']),
    );
    expect(newer.status, 'a client that offers h2c is served as usual').toBe(200);
  });
});

async function logIn(): Promise<string> {
  const ticket = await server.ipc.post('/login/ticket', {});
  const { url } = ticket.json() as { url: string };
  const answer = await server.local.get(new URL(url).pathname + new URL(url).search, {
    headers: { 'user-agent': 'Mozilla/5.0' },
  });
  expect(answer.status).toBe(303);
  const cookie = answer.headers['set-cookie']?.[0] ?? '';
  expect(cookie).toMatch(new RegExp(`^tui-session-${server.port}=\\S+; `));
  for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=']) expect(cookie).toContain(attribute);
  return cookie.split(';')[0] ?? '';
}

describe('X05: closed by default', () => {
  it('X05: the sockets are loopback only, the IPC socket and the token are private', async () => {
    const sockets = listeningSockets([server.pid]);
    expect(sockets.map((socket) => socket.port)).toEqual([server.port, server.port]);
    const loopback = ['0100007F', '00000000000000000000000001000000'];
    expect(sockets.map((socket) => socket.address).sort()).toEqual(loopback.sort());
    for (const name of ['mcp.sock', 'token']) {
      expect((await stat(join(server.configDirectory, name))).mode & 0o777, name).toBe(0o600);
    }
    expect((await stat(server.configDirectory)).mode & 0o077).toBe(0);
    for (const name of await readdir(server.configDirectory)) {
      const { mode } = await stat(join(server.configDirectory, name));
      expect(mode & 0o077, `${name} is ${(mode & 0o777).toString(8)}`).toBe(0);
    }
  });

  it('the owner gets in without any set-up; a token or a login works for a browser', async () => {
    expect((await server.local.get('/sessions')).status).toBe(200);
    const browser = server.local.with({ 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' });
    expect((await browser.get('/sessions')).status).toBeOneOf([401, 403]);
    expect((await browser.with({ authorization: `Bearer ${token}` }).get('/sessions')).status).toBe(200);
    expect((await browser.with({ authorization: 'Bearer wrong' }).get('/sessions')).status).toBe(401);
    const cookie = await logIn();
    expect((await browser.with({ cookie }).get('/sessions')).status).toBe(200);
  });

  it('a login ticket works once; a prefetch does not use it up', async () => {
    const { ticket } = (await server.ipc.ok('POST', '/login/ticket', {})) as { ticket: string };
    const browser = server.local.with({ 'user-agent': 'Mozilla/5.0' });
    const prefetch = await browser.get(`/login?ticket=${ticket}`, { headers: { 'sec-purpose': 'prefetch' } });
    expect(prefetch.headers['set-cookie']).toBeUndefined();
    expect((await browser.get(`/login?ticket=${ticket}`)).status).toBe(303);
    const again = await browser.get(`/login?ticket=${ticket}`);
    expect(again.status).toBe(401);
    expect(again.text).toContain('tuic open');
    expect((await browser.get('/login?ticket=unknown')).status).toBe(401);
  });

  it('a stream ticket opens one stream, is no login and works nowhere else', async () => {
    const { ticket } = (await server.ipc.ok('POST', '/login/ticket', { purpose: 'stream' })) as { ticket: string };
    const headers = { 'user-agent': 'Mozilla/5.0' };
    const browser = server.local.with(headers);
    expect((await browser.get(`/sessions?ticket=${ticket}`)).status).toBeOneOf([401, 403]);
    expect((await browser.get(`/login?ticket=${ticket}`)).status).toBe(401);
    const fresh = (await server.ipc.ok('POST', '/login/ticket', { purpose: 'stream' })) as { ticket: string };
    const at = { port: server.port };
    const viewer = await openStream(at, sessionId, { headers, query: { ticket: fresh.ticket } });
    viewer.cut();
    await expect(openStream(at, sessionId, { headers, query: { ticket: fresh.ticket } })).rejects.toThrow(
      UpgradeRefused,
    );
  });
});

describe('another user of this machine', () => {
  it('P4: is refused on local TCP and cannot open the IPC socket', async () => {
    const script = `
      const { request } = require('node:http');
      const [, port, socketPath] = process.argv;
      const ask = (options) => new Promise((resolve) => {
        const call = request({ ...options, agent: false }, (answer) => {
          let body = '';
          answer.on('data', (part) => { body += part; });
          answer.on('end', () => resolve({ status: answer.statusCode, body }));
        });
        call.on('error', (error) => resolve({ error: error.code }));
        call.end(options.method === 'POST' ? '{}' : undefined);
      });
      (async () => {
        const headers = { 'content-type': 'application/json' };
        const answers = [];
        for (const host of ['127.0.0.1', '::1']) {
          answers.push(await ask({ host, port, path: '/sessions' }));
          answers.push(await ask({ host, port, path: '/sessions', method: 'POST', headers }));
        }
        answers.push(await ask({ socketPath, path: '/health' }));
        console.log(JSON.stringify(answers));
      })();`;
    const printed = await asOtherUser(script, [String(server.port), server.socketPath]);
    const answers = JSON.parse(printed) as { status?: number; body?: string; error?: string }[];
    for (const answer of answers.slice(0, 4)) {
      expect(answer.status).toBeOneOf([401, 403]);
      expect(answer.body).toContain('tuic open');
    }
    expect(answers[4]?.error).toBe('EACCES');
    expect(await server.ipc.listSessions()).toHaveLength(1);
  });

  it('P4: a request whose sender has closed at once opens nothing', async () => {
    const before = (await server.ipc.ok('GET', '/metrics')) as { total_spawned: number };
    const script = `
      const { connect } = require('node:net');
      const port = Number(process.argv[1]);
      let open = 40;
      for (let count = 0; count < 40; count++) {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write('POST /sessions HTTP/1.1\\r\\nHost: 127.0.0.1:' + port +
            '\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}');
          if (count % 2) socket.end(); else setImmediate(() => socket.destroy());
        });
        socket.on('error', () => {});
        // An answer that nobody reads would keep its socket from closing.
        socket.resume();
        socket.on('close', () => { if (--open === 0) console.log('done'); });
      }`;
    expect(await asOtherUser(script, [String(server.port)])).toBe('done');
    expect((await server.ipc.get('/health')).status).toBe(200);
    const after = (await server.ipc.ok('GET', '/metrics')) as { total_spawned: number };
    expect(after.total_spawned).toBe(before.total_spawned);
    expect(await server.ipc.listSessions()).toHaveLength(1);
  });
});

describe('X07: what we spawn', () => {
  it('X07: opens no port: neither the host nor a terminal listens', async () => {
    const { id } = await startPuppet(cleanup, server.ipc);
    const spawned = processesOf(server.configDirectory).filter((entry) => entry.pid !== server.pid);
    expect(spawned.length).toBeGreaterThanOrEqual(2);
    expect(listeningSockets(spawned.map((entry) => entry.pid))).toEqual([]);
    await server.ipc.remove(id);
  });
});

describe('X10: secrets in logs', () => {
  it('X10: neither tickets nor tokens nor cookies nor terminal content reach the log', async () => {
    const secrets = [token];
    const cookie = await logIn();
    secrets.push(cookie.split('=')[1] ?? '');
    const { ticket } = (await server.ipc.ok('POST', '/login/ticket', { purpose: 'stream' })) as { ticket: string };
    secrets.push(ticket, 'a-secret-in-a-query', 'typed-into-the-terminal');
    const headers = { 'user-agent': 'Mozilla/5.0' };
    await server.local.get('/events?access_token=a-secret-in-a-query', { headers });
    (await openEvents({ port: server.port }, { headers, query: { ticket } })).cut();
    await server.local.get(`/sessions?token=${token}`, { headers });
    await server.local.with({ authorization: `Bearer ${token}` }).get('/sessions');
    await server.ipc.write(sessionId, 'typed-into-the-terminal');
    await server.local.get('/no-such-page?ticket=a-secret-in-a-query', { headers });
    let logged = server.output.replace(/^workspace: .*$/m, '') + server.errors;
    for (const name of await readdir(server.configDirectory, { recursive: true })) {
      if (/\.log$|^logs\/[^/]+$/.test(name)) logged += await readFile(join(server.configDirectory, name), 'utf8');
    }
    expect(logged.length, 'there is a log to look at').toBeGreaterThan(0);
    for (const secret of secrets) expect(logged, `the log contains ${secret}`).not.toContain(secret);
  });
});
