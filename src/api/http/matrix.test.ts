/** Every row of the route table × every listener × every credential (D2-D4): one table of who passes where, and nothing beside it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cleanup } from '../../../test/kit/cleanup.ts';
import { startFront, TEST_LOGIN, type TestFront } from '../../../test/kit/front.ts';
import { rawLines, rawRequest } from '../../../test/kit/http.ts';
import { BASIC, entryOf, isJudgedByTicket, pathOf, requestOf } from '../../../test/kit/route-entries.ts';
import { ROUTES, type Route } from '../../contract/index.ts';

const cleanup = new Cleanup();
let front: TestFront;

beforeAll(async () => {
  front = await startFront(cleanup, {
    settings: {
      services: {
        // Thousands of wrong credentials are shown here on purpose; the limit has its own tests.
        auth: { username: TEST_LOGIN.username, password_hash: TEST_LOGIN.hash, auth_rate_limit_max: 0 },
      },
    },
    // Rotation ends the sessions that the other rows are tried with; it has its own test.
    change: ({ access }) => ({ access: { ...access, rotateSessions: async () => {} } }),
  });
});

afterAll(() => cleanup.run());

type Listener = 'ipc' | 'local' | 'remote';
const LISTENERS: readonly Listener[] = ['ipc', 'local', 'remote'];

/** A page of the browser: it has no credential but the ones that stand beside it. */
const BROWSER = 'User-Agent: Mozilla/5.0';

interface Credential {
  /** Header lines; the port is the one of the listener. */
  lines: (listener: Listener) => string[];
  query?: () => string;
  /** Who gets in by it. IPC lets in whoever could open the socket. */
  local: boolean | ((route: Route) => boolean);
  remote: boolean | ((route: Route) => boolean);
  /** Gets in also from a page of another origin. */
  crossesOrigins?: { local: boolean | ((route: Route) => boolean); remote: boolean | ((route: Route) => boolean) };
}

const portOf = (listener: Listener) => (listener === 'remote' ? front.remote.port : front.local.port);
const sessionOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
const isStream = (route: Route) => route.ticket === 'stream';
const own = (listener: Listener) => (listener === 'ipc' ? [] : [`Origin: http://127.0.0.1:${portOf(listener)}`]);
const cookie = (listener: Listener, value: string) => [`Cookie: tui-session-${portOf(listener)}=${value}`, BROWSER];

const CREDENTIALS: Readonly<Record<string, Credential>> = {
  'no credential, from a browser': { lines: () => [BROWSER], local: false, remote: false },
  'no credential, the same user': { lines: () => [], local: true, remote: false },
  'the bearer token': {
    lines: () => [`Authorization: Bearer ${front.token}`, BROWSER],
    local: true,
    remote: false,
    crossesOrigins: { local: true, remote: false },
  },
  'a wrong bearer token': { lines: () => ['Authorization: Bearer wrong'], local: false, remote: false },
  'name and password': { lines: () => [BASIC], local: true, remote: true },
  'name and wrong password': {
    lines: () => [`Authorization: Basic ${Buffer.from('owner:wrong').toString('base64')}`],
    local: false,
    remote: false,
  },
  'the cookie of local TCP, from our page': {
    lines: (listener) => [...cookie(listener, sessionOf(front.cookie)), ...own(listener)],
    local: true,
    remote: false,
  },
  'the cookie of the remote listener, from our page': {
    lines: (listener) => [...cookie(listener, sessionOf(front.remoteCookie)), ...own(listener)],
    local: false,
    remote: true,
  },
  'a stream ticket': {
    lines: () => [BROWSER],
    query: () => `?ticket=${front.access.issueTicket('stream', true)}`,
    local: isStream,
    remote: isStream,
    crossesOrigins: { local: isStream, remote: isStream },
  },
};

function ask(route: Route, listener: Listener, headers: readonly string[], query = '', host?: string) {
  const { lines, body } = requestOf(route);
  const line = `${route.method} ${pathOf(route)}${query} HTTP/1.1`;
  const own = `Host: ${host ?? `127.0.0.1:${portOf(listener)}`}`;
  return rawRequest(front[listener], rawLines(line, [own, ...headers, ...lines], body));
}

/** What the row answers to a caller that the door of this listener let in. */
function passed(route: Route, listener: Listener): number {
  const { passes, passesIpc } = entryOf(route);
  if (listener === 'remote' && route.exposure === 'local') return 404;
  return listener === 'ipc' ? (passesIpc ?? passes) : passes;
}

function isLetIn(rule: boolean | ((route: Route) => boolean), route: Route): boolean {
  return typeof rule === 'boolean' ? rule : rule(route);
}

const rows = ROUTES.map((route: Route) => [`${route.method} ${route.path}`, route] as const);

describe.each(rows)('D3 D4 matrix: %s', (_name, route) => {
  it('lets in by each credential exactly where it counts', async () => {
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      for (const listener of LISTENERS) {
        const { status } = await ask(route, listener, credential.lines(listener), credential.query?.());
        // A login link and the files of a tab are judged by their ticket alone, and here they have none.
        const isIn = listener === 'ipc' || isJudgedByTicket(route) || isLetIn(credential[listener], route);
        const wanted = isIn ? passed(route, listener) : 401;
        expect(`${name} on ${listener}: ${status}`).toBe(`${name} on ${listener}: ${wanted}`);
      }
    }
  });

  it('X02: refuses a foreign Host, whatever is shown, before any work', async () => {
    front.sessions.calls.length = 0;
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      for (const listener of ['local', 'remote'] as const) {
        const host = `evil.example:${portOf(listener)}`;
        const { status } = await ask(route, listener, credential.lines(listener), credential.query?.(), host);
        expect(`${name} on ${listener}: ${status}`).toBe(`${name} on ${listener}: 403`);
      }
    }
    expect(front.sessions.calls).toEqual([]);
  });

  it('X01 X04: refuses a foreign Origin, but for credentials that no browser sends by itself', async () => {
    for (const [name, credential] of Object.entries(CREDENTIALS)) {
      for (const listener of LISTENERS) {
        const lines = credential.lines(listener).filter((line) => !line.startsWith('Origin:'));
        const foreign = [...lines, 'Origin: http://evil.example'];
        const { status } = await ask(route, listener, foreign, credential.query?.());
        const crosses = credential.crossesOrigins;
        const isIn = crosses !== undefined && isLetIn(listener === 'ipc' ? crosses.local : crosses[listener], route);
        const wanted = isIn ? passed(route, listener) : 403;
        expect(`${name} on ${listener}: ${status}`).toBe(`${name} on ${listener}: ${wanted}`);
      }
    }
  });
});

describe('what the remote listener does not serve', () => {
  const absent = ROUTES.filter((route: Route) => route.exposure === 'local');

  it('D2: is absent there for every method, and no page stands in for it', async () => {
    expect(absent.length).toBeGreaterThan(0);
    const before = front.shutdowns;
    const host = `Host: 127.0.0.1:${front.remote.port}`;
    for (const route of absent) {
      // Another row may be served on the same path; then this method alone is absent.
      const isShared = ROUTES.some(({ path, exposure }: Route) => path === route.path && exposure !== 'local');
      for (const method of isShared ? [route.method] : ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const line = `${method} ${pathOf(route)} HTTP/1.1`;
        const answer = await rawRequest(front.remote, rawLines(line, [host, BASIC, 'Connection: close']));
        expect([line, answer.status]).toEqual([line, 404]);
        const stranger = await rawRequest(front.remote, rawLines(line, [host, 'Connection: close']));
        expect([line, stranger.status]).toEqual([line, 401]);
      }
      const encoded = pathOf(route).replace(/o/, '%6f');
      const answer = await rawRequest(
        front.remote,
        rawLines(`${route.method} ${encoded} HTTP/1.1`, [host, BASIC, 'Connection: close']),
      );
      expect([encoded, answer.status]).toEqual([encoded, 404]);
    }
    expect(front.shutdowns).toBe(before);
  });

  it('unknown paths and methods are judged like any other', async () => {
    const host = `Host: 127.0.0.1:${front.remote.port}`;
    for (const [method, path, status] of [
      ['POST', '/unknown', 405],
      ['PATCH', '/health', 405],
      ['HEAD', '/health', 200],
      ['GET', '/sessions/known/write', 405],
    ] as const) {
      const line = `${method} ${path} HTTP/1.1`;
      const answer = await rawRequest(front.remote, rawLines(line, [host, BASIC, 'Connection: close']));
      expect([line, answer.status]).toEqual([line, status]);
      expect((await rawRequest(front.remote, rawLines(line, [host, 'Connection: close']))).status).toBe(401);
    }
  });
});

describe('names of the remote listener', () => {
  it('X02: are loopback names, the addresses of the machine and allowed hosts, each with its port', async () => {
    const own = new Cleanup();
    try {
      const other = await startFront(own, {
        allowedHosts: ['tunnel.example'],
        change: () => ({ isOwnAddress: (host) => host === '10.1.2.3' || host === '[2001:db8::7]' }),
      });
      const { port } = other.remote;
      const askBy = (host: string, ...headers: string[]) =>
        rawRequest(
          other.remote,
          rawLines('GET /health HTTP/1.1', [`Host: ${host}`, 'Connection: close', ...headers]),
        ).then(({ status }) => status);
      for (const host of [`localhost:${port}`, `10.1.2.3:${port}`, `[2001:db8::7]:${port}`, 'tunnel.example']) {
        expect([host, await askBy(host, BASIC)]).toEqual([host, 200]);
        expect([host, await askBy(host)]).toEqual([host, 401]);
      }
      for (const host of ['10.1.2.3', `10.1.2.3:${port + 1}`, `10.1.2.4:${port}`, `box.local:${port}`]) {
        expect([host, await askBy(host, BASIC)]).toEqual([host, 403]);
      }
      // The addresses are names of the remote listener only.
      const line = rawLines('GET /health HTTP/1.1', [`Host: 10.1.2.3:${other.local.port}`, BASIC, 'Connection: close']);
      expect((await rawRequest(other.local, line)).status).toBe(403);
    } finally {
      await own.run();
    }
  });

  it('X04: Basic counts from our own pages, from programs and for a link that somebody follows, as browsers send it by themselves', async () => {
    const host = `Host: 127.0.0.1:${front.remote.port}`;
    const send = (line: string, ...headers: string[]) =>
      rawRequest(front.remote, rawLines(line, [host, BASIC, 'Connection: close', ...headers])).then(
        ({ status }) => status,
      );
    const crossSite = 'Sec-Fetch-Site: cross-site';
    expect(await send('GET /sessions HTTP/1.1')).toBe(200);
    expect(await send('GET /sessions HTTP/1.1', 'Sec-Fetch-Site: same-origin')).toBe(200);
    expect(await send('GET /sessions HTTP/1.1', crossSite)).toBe(401);
    expect(await send('GET /events HTTP/1.1', crossSite)).toBe(401);
    expect(await send('POST /sessions/known/pause HTTP/1.1', 'Sec-Fetch-Site: same-site')).toBe(401);
    expect(await send('GET /any/page HTTP/1.1', crossSite, 'Sec-Fetch-Mode: navigate')).toBe(404);
    expect(await send('GET /any/page HTTP/1.1', crossSite, 'Sec-Fetch-Mode: no-cors')).toBe(401);
  });
});
