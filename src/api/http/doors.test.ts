/** The doors (D3, D4), over every row of the route table: generated, so that a new row is tested by being written down. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cleanup } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { openSocket, type RawAnswer, rawLines, rawRequest, type Target } from '../../../test/kit/http.ts';
import { asOtherUser } from '../../../test/kit/other-user.ts';
import { entryOf, isJudgedByTicket, pathOf, requestOf } from '../../../test/kit/route-entries.ts';
import { LIMITS, ROUTES, type Route } from '../../contract/index.ts';

const cleanup = new Cleanup();
let front: TestFront;

beforeAll(async () => {
  // Rotation ends the sessions that the other rows are tried with; it has its own test.
  front = await startFront(cleanup, {
    change: ({ access }) => ({ access: { ...access, rotateSessions: async () => {} } }),
  });
});

afterAll(() => cleanup.run());

interface Attempt {
  host?: string | null;
  headers?: string[];
  target?: Target;
  path?: string;
}

function attempt(route: Route, { host, headers = [], target = front.local, path }: Attempt = {}): Promise<RawAnswer> {
  const { lines, body } = requestOf(route);
  lines.push(...headers);
  if (host !== null) lines.unshift(`Host: ${host ?? `127.0.0.1:${front.local.port}`}`);
  return rawRequest(target, rawLines(`${route.method} ${path ?? pathOf(route)} HTTP/1.1`, lines, body));
}

const passedStatus = (route: Route) => entryOf(route).passes;

async function workDone(work: () => Promise<unknown>): Promise<unknown[]> {
  front.sessions.calls.length = 0;
  const shutdowns = front.shutdowns;
  await work();
  return [...front.sessions.calls, ...(front.shutdowns === shutdowns ? [] : ['shutdown'])];
}

const rows = ROUTES.map((route: Route) => [`${route.method} ${route.path}`, route] as const);

describe.each(rows)('%s', (_name, route) => {
  it('X05: lets the owner in on local TCP without set-up, and over IPC', async () => {
    expect((await attempt(route)).status).toBe(passedStatus(route));
    const ipc = await attempt(route, { target: front.ipc, host: 'localhost' });
    const { passes, passesIpc = passes } = entryOf(route);
    expect(ipc.status).toBe(passesIpc);
  });

  it('X02: refuses a foreign Host before any work', async () => {
    const { port } = front.local;
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '[::1]',
      'localhost',
      '127.0.0.1',
      '0.0.0.0',
      `0.0.0.0:${port}`,
      '',
      `localhost:${port + 1}`,
      `localhost.:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `user@localhost:${port}`,
      `localhost:${port}@evil.example`,
      `localhost:${port}, evil.example`,
      `[::ffff:127.0.0.1]:${port}`,
    ];
    const done = await workDone(async () => {
      for (const host of hosts) {
        // The token does not help: the Host is judged first.
        const answer = await attempt(route, { host, headers: [`Authorization: Bearer ${front.token}`] });
        expect([host, answer.status]).toEqual([host, 403]);
      }
    });
    expect(done).toEqual([]);
  });

  it('X02: refuses two Hosts, none, and a target that names a host', async () => {
    const { port } = front.local;
    const done = await workDone(async () => {
      for (const headers of [[`Host: 127.0.0.1:${port}`], ['host: evil.example']]) {
        expect((await attempt(route, { headers })).status).toBe(400);
      }
      expect((await attempt(route, { host: null })).status).toBe(400);
      for (const start of [`http://evil.example`, `http://127.0.0.1:${port}`, '*']) {
        expect((await attempt(route, { path: start === '*' ? '*' : start + pathOf(route) })).status).toBe(400);
      }
    });
    expect(done).toEqual([]);
  });

  it('X01 X04: refuses a foreign Origin, whatever the browser adds by itself', async () => {
    const { port } = front.local;
    const origins = [
      'http://evil.example',
      'null',
      `http://localhost:${port}`,
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
      'file://',
    ];
    const own = [`Cookie: ${front.cookie}`, 'Authorization: Basic dXNlcjpwYXNz'];
    const done = await workDone(async () => {
      for (const origin of origins) {
        for (const extra of [[], own, [`Cookie: ${front.cookie}`, 'Sec-Fetch-Site: same-site']]) {
          const answer = await attempt(route, { headers: [`Origin: ${origin}`, ...extra] });
          expect([origin, answer.status]).toEqual([origin, 403]);
        }
      }
      expect((await attempt(route, { target: front.ipc, headers: ['Origin: http://evil.example'] })).status).toBe(403);
    });
    expect(done).toEqual([]);
  });

  it('X04: takes a cookie from our own pages only', async () => {
    const cookie = `Cookie: ${front.cookie}`;
    const foreign = [
      [cookie, 'Sec-Fetch-Site: same-site'],
      [cookie, 'Sec-Fetch-Site: cross-site'],
      [cookie, `Origin: ${front.origin}`, 'Sec-Fetch-Site: cross-site'],
    ];
    const isOpen = isJudgedByTicket(route);
    for (const headers of foreign) {
      if (!isOpen) expect((await attempt(route, { headers })).status).toBe(401);
    }
    for (const headers of [
      [cookie, `Origin: ${front.origin}`, 'User-Agent: Mozilla/5.0'],
      [cookie, 'Sec-Fetch-Site: same-origin', 'User-Agent: Mozilla/5.0'],
    ]) {
      expect((await attempt(route, { headers })).status).toBe(passedStatus(route));
    }
    const unproven = [cookie, 'User-Agent: Mozilla/5.0'];
    const needsProof = route.method !== 'GET' || route.kind === 'upgrade' || route.kind === 'stream';
    expect((await attempt(route, { headers: unproven })).status).toBe(needsProof ? 401 : passedStatus(route));
  });

  it('X01 D3: asks for a credential as soon as a browser or a forwarder may stand behind the connection', async () => {
    if (isJudgedByTicket(route)) return;
    const hints = [
      `Origin: ${front.origin}`,
      'Sec-Fetch-Site: none',
      'Sec-Fetch-Site: same-origin',
      'Sec-Fetch-Dest: document',
      'Forwarded: for=10.0.0.1',
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-Host: evil.example',
      'X-Real-IP: 10.0.0.1',
      'Via: 1.1 proxy',
      'Referer: http://evil.example/',
      'User-Agent: Mozilla/5.0 (X11; Linux) Gecko',
    ];
    const done = await workDone(async () => {
      for (const hint of hints) {
        const answer = await attempt(route, { headers: [hint] });
        expect([hint, answer.status]).toEqual([hint, 401]);
        expect(answer.body).toContain('tuic open');
      }
    });
    expect(done).toEqual([]);
    const answer = await attempt(route, { headers: [...hints.slice(2, 3), `Authorization: Bearer ${front.token}`] });
    expect(answer.status).toBe(passedStatus(route));
  });

  it('X01: refuses a wrong credential, and lets a right token in from anywhere', async () => {
    if (isJudgedByTicket(route)) return;
    const wrong = ['Bearer wrong', `Bearer ${front.token}x`, 'Bearer', 'Basic dXNlcjpwYXNz', `Token ${front.token}`];
    const done = await workDone(async () => {
      for (const value of wrong) {
        expect([401, 429]).toContain((await attempt(route, { headers: [`Authorization: ${value}`] })).status);
      }
      const stale = `Cookie: tui-session-${front.local.port}=${'x'.repeat(43)}`;
      expect((await attempt(route, { headers: [stale, `Origin: ${front.origin}`] })).status).toBe(401);
    });
    expect(done).toEqual([]);
    const headers = ['Origin: http://other.example', `Authorization: Bearer ${front.token}`];
    expect((await attempt(route, { headers })).status).toBe(passedStatus(route));
  });

  it('X10: takes no permanent token from the URL, and no ticket where none belongs', async () => {
    const page = ['User-Agent: Mozilla/5.0'];
    const path = pathOf(route);
    for (const name of ['token', 'access_token', 'ticket']) {
      const answer = await attempt(route, { path: `${path}?${name}=${front.token}`, headers: page });
      expect(answer.status).toBe(401);
    }
    if (route.ticket === 'stream') return;
    const ticket = front.access.issueTicket('stream', true);
    expect((await attempt(route, { path: `${path}?ticket=${ticket}`, headers: page })).status).toBe(401);
    expect(front.log.recent().join('\n')).not.toContain(front.token);
    expect(front.log.recent().join('\n')).not.toContain(ticket);
  });

  it('refuses a WebSocket where there is none', async () => {
    if (route.kind === 'upgrade') return;
    const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const { body } = requestOf(route);
    const text = rawLines(
      `${route.method} ${pathOf(route)} HTTP/1.1`,
      [`Host: 127.0.0.1:${front.local.port}`, ...headers, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
      body,
    );
    const done = await workDone(async () => expect((await rawRequest(front.local, text)).status).toBe(400));
    expect(done).toEqual([]);
  });

  it('413 for a body announced as far too large, on every method, before it is sent', async () => {
    const headers = [`Content-Length: ${LIMITS.refusedBody + 1}`, 'Content-Type: application/json'];
    const lines = [`Host: 127.0.0.1:${front.local.port}`, ...headers];
    if (route.kind === 'upgrade') return;
    const answer = await rawRequest(front.local, rawLines(`${route.method} ${pathOf(route)} HTTP/1.1`, lines, 'x'));
    expect(answer.status).toBe(413);
  });
});

describe('doors beside the table', () => {
  it('D3: lets scripts of the owner in with the fetch of Node', async () => {
    const answer = await fetch(`${front.origin}/health`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true }]);
  });

  it('judges unknown paths, methods and malformed targets like any other', async () => {
    const requests = [
      ['POST', '/unknown', 405],
      ['PATCH', '/health', 405],
      ['PROPFIND', '/', 405],
      ['TRACE', '/health', 405],
      ['GET', '/sessions/known/write', 405],
      ['GET', '/%zz', 400],
      ['DELETE', '/', 405],
      ['HEAD', '/health', 200],
      ['HEAD', '/login?ticket=x', 405],
      ['HEAD', '/events', 405],
    ] as const;
    for (const [method, path, status] of requests) {
      const ask = (...headers: string[]) =>
        rawRequest(front.local, rawLines(`${method} ${path} HTTP/1.1`, [...headers, 'Connection: close']));
      const own = `Host: 127.0.0.1:${front.local.port}`;
      expect([method, path, (await ask(own)).status]).toEqual([method, path, status]);
      if (path === '/%zz') continue;
      expect([method, path, (await ask('Host: evil.example')).status]).toEqual([method, path, 403]);
      expect([method, path, (await ask(own, 'Origin: http://evil.example')).status]).toEqual([method, path, 403]);
      expect([method, path, (await ask(own, 'Sec-Fetch-Site: none')).status]).toEqual([method, path, 401]);
    }
  });

  it('answers a preflight for anybody with nothing but the rules, and only on our Host', async () => {
    const ask = (host: string) =>
      rawRequest(
        front.local,
        rawLines('OPTIONS /sessions HTTP/1.1', [
          `Host: ${host}`,
          'Origin: http://other.example',
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Headers: authorization',
          'Connection: close',
        ]),
      );
    const answer = await ask(`127.0.0.1:${front.local.port}`);
    expect(answer.status).toBe(204);
    expect(answer.head.toLowerCase()).toContain('access-control-allow-origin: *');
    expect(answer.head.toLowerCase()).not.toContain('allow-credentials');
    expect((await ask('evil.example')).status).toBe(403);
  });

  it('X01: other users of this machine are refused on every route, and the owner is not', async () => {
    const script = `
      const http = require('node:http');
      const port = Number(process.argv[1]);
      const rows = JSON.parse(process.argv[2]);
      (async () => {
        const statuses = [];
        for (const [method, path, extra] of rows) {
          statuses.push(await new Promise((resolve, reject) => {
            const asking = http.request({ host: '127.0.0.1', port, method, path, agent: false, headers: extra }, (answer) => {
              resolve(answer.statusCode); answer.destroy();
            });
            asking.on('upgrade', () => resolve(101));
            asking.on('error', reject);
            asking.end();
          }));
        }
        console.log(JSON.stringify(statuses));
        process.exit(0);
      })();
    `;
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const list = ROUTES.map((route: Route) => [route.method, pathOf(route), route.kind === 'upgrade' ? upgrade : {}]);
    const done = await workDone(async () => {
      const statuses = JSON.parse(
        await asOtherUser(script, [String(front.local.port), JSON.stringify(list)]),
      ) as number[];
      expect(statuses).toEqual(ROUTES.map(() => 401));
    });
    expect(done).toEqual([]);
  });

  it('X01: another user that sends a request and is gone at once gets nothing done', async () => {
    const script = `
      const net = require('node:net');
      let left = 60;
      for (let index = 0; index < 60; index++) {
        const socket = net.connect(Number(process.argv[1]), '127.0.0.1', () => {
          socket.write('POST /sessions HTTP/1.1\\r\\nHost: 127.0.0.1:' + process.argv[1] + '\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{}');
          socket.end();
          if (index % 2) socket.destroy();
        });
        socket.on('error', () => {});
        socket.on('close', () => { if (--left === 0) process.exit(0); });
        socket.resume();
      }
    `;
    const done = await workDone(() => asOtherUser(script, [String(front.local.port)]));
    expect(done).toEqual([]);
  });

  it('X01: a login link of the owner cannot be guessed, and works once for whoever has it', async () => {
    const ask = (ticket: string, ...headers: string[]) =>
      rawRequest(
        front.local,
        rawLines(`GET /login?ticket=${ticket} HTTP/1.1`, [
          `Host: 127.0.0.1:${front.local.port}`,
          'User-Agent: Mozilla/5.0',
          'Connection: close',
          ...headers,
        ]),
      );
    const ticket = front.access.issueTicket('login', false);
    for (const purpose of [
      'Sec-Purpose: prefetch',
      'Sec-Purpose: prefetch;prerender',
      'Purpose: prefetch',
      'X-Moz: prefetch',
    ]) {
      expect((await ask(ticket, purpose)).status).toBe(403);
    }
    const both = await Promise.all([ask(ticket), ask(ticket)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 401]);
    const won = both.find(({ status }) => status === 303);
    expect(won?.head).toMatch(/^location: \/\r?$/im);
    expect(won?.head).toContain(`set-cookie: ${front.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=86400`);
    const refused = both.find(({ status }) => status === 401);
    expect(refused?.body).toContain('tuic open');
    expect(refused?.head).not.toContain('set-cookie');
    const page = await ask(ticket, 'Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document');
    expect(page.status).toBe(401);
    expect(page.body).toContain('<h1>This link does not work any more</h1>');
    expect(page.body).toContain('<a href="/">');
    expect((await ask(front.access.issueTicket('stream', true))).status).toBe(401);
    expect(front.log.recent().join('\n')).not.toContain(ticket);
  });

  it('X01 X04: a cookie that another user got to see is of no use to him', async () => {
    const script = `
      const http = require('node:http');
      const [port, cookie, origin] = process.argv.slice(1);
      const asking = http.request({ host: '127.0.0.1', port, path: '/sessions', agent: false,
        headers: { cookie, origin, 'sec-fetch-site': 'same-origin' } }, (answer) => {
        console.log(answer.statusCode); process.exit(0);
      });
      asking.end();
    `;
    expect(await asOtherUser(script, [String(front.local.port), front.cookie, front.origin])).toBe('401');
    const theirs = `tui-session-${front.local.port}=${front.access.issueSession('user-65534')}`;
    expect(await asOtherUser(script, [String(front.local.port), theirs, front.origin])).toBe('200');
    const forged = front.cookie.replace(/user-\d+/, 'user-65534');
    expect(await asOtherUser(script, [String(front.local.port), forged, front.origin])).toBe('401');
  });

  it('X10: a stream ticket opens one stream, also from another origin, and is gone when shown', async () => {
    const { port } = front.local;
    const ask = (ticket: string, ...headers: string[]) =>
      rawRequest(
        front.local,
        rawLines(`GET /events?ticket=${ticket} HTTP/1.1`, [
          `Host: 127.0.0.1:${port}`,
          'User-Agent: Mozilla/5.0',
          ...headers,
          'Connection: close',
        ]),
      );
    const first = front.access.issueTicket('stream', false);
    expect((await ask(first)).status).toBe(200);
    expect((await ask(first)).status).toBe(401);
    const second = front.access.issueTicket('stream', false);
    expect((await ask(second, 'Origin: http://other.example')).status).toBe(200);
    expect((await ask(second, 'Origin: http://other.example')).status).toBe(403);
    const third = front.access.issueTicket('stream', false);
    expect((await ask(third, `Authorization: Bearer ${front.token}`)).status).toBe(200);
    expect((await ask(third)).status).toBe(401);
    expect((await ask(front.access.issueTicket('login', false))).status).toBe(401);
  });

  it('holds failed tokens back for a while, never the right one', async () => {
    const own = new Cleanup();
    try {
      const other = await startFront(own);
      const ask = (value: string) =>
        rawRequest(
          other.local,
          rawLines('GET /health HTTP/1.1', [
            `Host: 127.0.0.1:${other.local.port}`,
            `Authorization: Bearer ${value}`,
            'Connection: close',
          ]),
        );
      for (let index = 0; index < 5; index++) expect((await ask('wrong')).status).toBe(401);
      const held = await ask('wrong');
      expect(held.status).toBe(429);
      expect(held.head).toMatch(/^retry-after: (300|299)\r?$/im);
      expect((await ask(other.token)).status).toBe(200);
    } finally {
      await own.run();
    }
  });

  it('lets listed hosts in with a credential only', async () => {
    const own = new Cleanup();
    try {
      const other = await startFront(own, { allowedHosts: ['Tunnel.Example', 'exact.example:8443', 'not a host'] });
      const { port } = other.local;
      const ask = (host: string, ...headers: string[]) =>
        rawRequest(
          other.local,
          rawLines('GET /health HTTP/1.1', [`Host: ${host}`, 'Connection: close', ...headers]),
        ).then(({ status }) => status);
      const token = `Authorization: Bearer ${other.token}`;
      expect(await ask('tunnel.example', token)).toBe(200);
      expect(await ask(`TUNNEL.example:${port}`, token)).toBe(200);
      expect(await ask('exact.example:8443', token)).toBe(200);
      expect(await ask('tunnel.example')).toBe(401);
      expect(await ask('tunnel.example:1', token)).toBe(403);
      expect(await ask('exact.example', token)).toBe(403);
      expect(await ask('not a host', token)).toBe(403);
      expect(await ask('tunnel.example', `Cookie: ${other.cookie}`, 'Origin: https://tunnel.example')).toBe(401);
      const cookie = `Cookie: tui-session-${port}=${other.access.issueSession('anybody')}`;
      expect(await ask('tunnel.example', cookie, 'Origin: https://tunnel.example')).toBe(200);
      expect(await ask('tunnel.example', cookie, 'Origin: https://evil.example')).toBe(403);
      expect(await ask('tunnel.example', cookie, `Origin: http://127.0.0.1:${port}`)).toBe(403);
      const login = await rawRequest(
        other.local,
        rawLines(`GET /login?ticket=${other.access.issueTicket('login', false)} HTTP/1.1`, [
          'Host: tunnel.example',
          'Connection: close',
        ]),
      );
      expect(login.head).toContain(`set-${cookie.toLowerCase().slice(0, 7)} ${cookie.slice(8)};`);
    } finally {
      await own.run();
    }
  });

  it('X02: knows its IPv6 loopback name with the right port, and the owner behind it', async () => {
    const server = front.fronts[1]?.createServer();
    if (server === undefined) throw new Error('no front');
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    cleanup.defer(() => server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const ask = (host: string) =>
      rawRequest(
        { host: '::1', port: address.port },
        rawLines('GET /health HTTP/1.1', [`Host: ${host}`, 'Connection: close']),
      ).then(({ status }) => status);
    expect(await ask(`[::1]:${address.port}`)).toBe(200);
    expect(await ask(`localhost:${address.port}`)).toBe(200);
    expect(await ask(`[::1]:${front.local.port}`)).toBe(403);
    expect(await ask(`[::]:${address.port}`)).toBe(403);
    expect(await ask(`[0:0:0:0:0:0:0:1]:${address.port}`)).toBe(403);
  });

  it('takes a bounded number of connections, so that nobody can use up our descriptors', async () => {
    const server = front.fronts[1]?.createServer();
    if (server === undefined) throw new Error('no front');
    expect(server.maxConnections).toBe(LIMITS.connections);
    server.maxConnections = 2;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.defer(() => server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const target = { port: address.port };
    const held = [await openSocket(target), await openSocket(target)];
    for (const socket of held) cleanup.defer(() => socket.destroy());
    const text = rawLines('GET /health HTTP/1.1', [`Host: 127.0.0.1:${address.port}`, 'Connection: close']);
    expect((await rawRequest(target, text)).status).toBe(0);
    const gone = new Promise((resolve) => held[0]?.once('close', resolve));
    held[0]?.destroy();
    await gone;
    await eventually('room for another', async () => (await rawRequest(target, text)).status === 200);
  });

  it('ignores offers of other protocols and answers plainly, body included', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const host = `Host: 127.0.0.1:${front.local.port}`;
    const ask = (line: string, body: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(front.local.port, '127.0.0.1');
        let text = '';
        socket.on('error', reject);
        socket.on('data', (part: Buffer) => {
          text += part.toString('latin1');
          if (text.includes('"ok":true')) {
            socket.destroy();
            resolve(text);
          }
        });
        const headers = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
        socket.write(rawLines(line, [host, ...offer, ...headers], body));
      });
    expect(await ask('GET /health HTTP/1.1', '')).toMatch(/^HTTP\/1\.1 200 /);
    front.sessions.calls.length = 0;
    expect(await ask('POST /sessions/known/write HTTP/1.1', '{"data":"over h2c"}')).toMatch(/^HTTP\/1\.1 200 /);
    expect(front.sessions.calls).toEqual([['write', 'known', 'over h2c']]);
  });

  it('X08: leaves a line for each change, with route, session and who, and no content', async () => {
    await rawRequest(
      front.local,
      rawLines(
        'POST /sessions/known/write HTTP/1.1',
        [
          `Host: 127.0.0.1:${front.local.port}`,
          'Content-Type: application/json',
          'Content-Length: 22',
          'x-tuic-client: some-client',
          'Connection: close',
        ],
        '{"data":"top secret!"}',
      ),
    );
    const [entry] = await front.accessLog.read({ limit: 1 });
    expect(entry).toMatchObject({
      listener: 'local',
      client: 'some-client',
      credential: 'same-user',
      method: 'POST',
      route: '/sessions/:id/write',
      session_id: 'known',
      status: 200,
    });
    expect(JSON.stringify(entry)).not.toContain('top secret');
    expect(front.log.recent().join('\n')).not.toContain('top secret');
  });
});
