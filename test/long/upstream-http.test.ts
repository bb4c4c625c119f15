/** Streamable HTTP servers behind ours, as a client meets them. */
import { describe, expect, it } from 'vitest';
import { type JsonObject, systemClock } from '../../src/base/index.ts';
import { upstreamServerSchema } from '../../src/contract/index.ts';
import { Upstream } from '../../src/domain/upstreams/upstream.ts';
import { HttpLink, McpSession } from '../../src/platform/mcp-links/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { FakeHttpUpstream, type HttpSwitches } from '../kit/fake-http-upstream.ts';
import { RICH_RESULT } from '../kit/fake-upstream.mjs';
import { settle } from '../kit/manual-clock.ts';

const cleanup = cleanupAfterEach();
const limits = { timeout: 20_000 };
const signal = new AbortController().signal;

async function serve(switches: HttpSwitches = {}): Promise<FakeHttpUpstream> {
  const server = new FakeHttpUpstream(switches);
  await server.start();
  cleanup.defer(() => server.stop());
  return server;
}

function connect(server: FakeHttpUpstream, token?: string): { upstream: Upstream; changes: () => number } {
  let changes = 0;
  const upstream = new Upstream({
    server: upstreamServerSchema.parse({ id: 'a', name: 'a', transport: { type: 'http', url: server.url } }),
    clock: systemClock,
    version: '1',
    log: { info: () => {}, warn: () => {} },
    openLink: async (_, events) =>
      new HttpLink({ url: server.url, token: async () => token, clock: systemClock, events }),
    onStatus: () => {},
    onTools: () => changes++,
    onContent: () => {},
  });
  upstream.start();
  cleanup.defer(() => upstream.stop());
  return { upstream, changes: () => changes };
}

async function call(upstream: Upstream, input: JsonObject, name = 'write'): Promise<unknown> {
  const tool = upstream.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}; ${upstream.status}: ${upstream.lastError}`);
  return upstream.call(tool, { arguments: input }, { signal });
}

describe.each([
  ['by JSON', {}],
  ['by events', { streams: true }],
  ['without a stream of notices', { noNotices: true }],
] as [string, HttpSwitches][])('a server that answers %s', (_, switches) => {
  it('HTP-1, M12: is spoken to in one session; results arrive as they are', async () => {
    const server = await serve(switches);
    const { upstream } = connect(server);
    await upstream.firstAttempt;
    expect(upstream.tools.map(({ name }) => name)).toEqual(['echo', 'write']);
    for (const isError of [true, false]) {
      expect(await call(upstream, { do: 'rich', isError })).toEqual({ ...RICH_RESULT, isError });
    }
    await expect(call(upstream, { do: 'fail' })).rejects.toMatchObject({ code: -32_000, data: { why: 'because' } });
    const posts = server.requests.filter(({ method }) => method === 'POST').slice(1);
    expect(new Set(posts.map(({ headers }) => headers['mcp-session-id'])).size).toBe(1);
    expect(new Set(posts.map(({ headers }) => headers['mcp-protocol-version']))).toEqual(new Set(['2025-11-25']));
    await upstream.stop();
    expect(server.sessions.size).toBe(0);
  });
});

describe('renewal', () => {
  it.each([404, 400, 'empty'] as const)(
    'M03, M07: a session that the server no longer knows (%s) is made again; no empty success',
    async (unknownSession) => {
      const server = await serve({ unknownSession, noNotices: true });
      const { upstream } = connect(server);
      await upstream.firstAttempt;
      server.sessions.clear();
      const first = call(upstream, { do: 'rich' }, unknownSession === 'empty' ? 'echo' : 'write');
      expect(await first).toEqual(RICH_RESULT);
      expect(server.runs).toBe(1);
    },
  );

  it('M03: a restarted server is found again without a person', async () => {
    const server = await serve();
    const { upstream } = connect(server);
    await upstream.firstAttempt;
    await server.stop();
    // Our side has to see the end of its idle connection; a request on it would be cut, and might have run.
    await settle();
    await server.start();
    expect(await call(upstream, { do: 'rich' })).toEqual(RICH_RESULT);
    expect(server.runs).toBe(1);
  });

  it('a call whose answer was cut may have run: only a tool that does no harm is asked again', async () => {
    const server = await serve();
    const { upstream } = connect(server);
    await upstream.firstAttempt;
    server.cutsNextCall = true;
    await expect(call(upstream, {}, 'write')).rejects.toThrow(/broke/);
    expect(server.runs).toBe(1);
    server.cutsNextCall = true;
    await expect(call(upstream, {}, 'echo')).resolves.toMatchObject({ content: [{ type: 'text' }] });
    expect(server.runs).toBe(3);
  });

  it('M09: notices reach us while nothing else is said', async () => {
    const server = await serve();
    const { upstream, changes } = connect(server);
    await upstream.firstAttempt;
    await eventually('a stream of notices', () => server.notices.size === 1);
    server.changeTools([{ name: 'new' }], (message) => server.push(message), 20);
    await eventually('the new list', () => upstream.tools.length === 1);
    expect(upstream.tools).toEqual([{ name: 'new' }]);
    expect(changes()).toBe(1);
  });
});

describe('credentials', () => {
  it('HTP-2, HTP-4: a token is sent; without one the challenge decides what is told', async () => {
    const server = await serve({ token: 'right', challenge: 'bearer realm="x", resource_metadata="http://y"' });
    const right = connect(server, 'right').upstream;
    await right.firstAttempt;
    expect(right.status).toBe('ready');
    const wrong = connect(server, 'wrong').upstream;
    await wrong.firstAttempt;
    expect(wrong.status).toBe('needs_auth');
    server.switches.challenge = 'Basic realm="x"';
    const other = connect(server).upstream;
    await other.firstAttempt;
    expect([other.status, other.lastError]).toEqual(['connecting', expect.stringContaining('401')]);
  });

  it('a redirect is told and not followed', async () => {
    const redirecting: typeof fetch = async () =>
      new Response(null, { status: 307, headers: { location: 'http://evil' } });
    const link = new HttpLink({
      url: 'http://127.0.0.1:9/mcp',
      token: async () => 'secret',
      clock: systemClock,
      events: { onNotification: () => {}, onEnd: () => {}, onOddity: () => {} },
      fetch: redirecting,
    });
    await expect(McpSession.open(link, { version: '1', ...limits })).rejects.toThrow(/redirects to http:\/\/evil/);
    await link.close();
  });
});

describe('the transport before Streamable HTTP', () => {
  it('is spoken to by its stream; when that ends, it is opened again', async () => {
    const server = await serve({ old: 'here', early: true });
    const { upstream, changes } = connect(server);
    await upstream.firstAttempt;
    expect(await call(upstream, { do: 'rich', isError: true })).toEqual({ ...RICH_RESULT, isError: true });
    server.changeTools([{ name: 'write' }], (message) => server.push(message));
    await eventually('the new list', () => changes() === 1);
    for (const response of server.notices) response.destroy();
    await settle();
    expect(await call(upstream, { do: 'rich' })).toEqual(RICH_RESULT);
    expect(server.messages('initialize')).toHaveLength(2);
  });

  it('gets nothing at an address of another origin', async () => {
    const server = await serve({ old: 'elsewhere' });
    const link = new HttpLink({
      url: server.url,
      token: async () => 'secret',
      clock: systemClock,
      events: { onNotification: () => {}, onEnd: () => {}, onOddity: () => {} },
    });
    await expect(McpSession.open(link, { version: '1', ...limits })).rejects.toThrow(/404/);
    await link.close();
    expect(server.received).toEqual([]);
  });
});

it('a server of the modern era alone is spoken to in its own way', async () => {
  const server = await serve({ modernOnly: true });
  const { upstream } = connect(server);
  await upstream.firstAttempt;
  expect(await call(upstream, { do: 'rich' })).toEqual(RICH_RESULT);
  const last = server.requests.at(-1)?.headers;
  expect(last).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'write',
  });
  expect(last).not.toHaveProperty('mcp-session-id');
});
