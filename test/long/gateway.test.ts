/** Other MCP servers behind our endpoint, from a client's side: rows of the cases of transport, gateway and naming. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { UpstreamReport, UpstreamServer } from '../../src/contract/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { FakeHttpUpstream, type HttpSwitches } from '../kit/fake-http-upstream.ts';
import { EXACT_NUMBER, RICH_RESULT } from '../kit/fake-upstream.mjs';
import { startFront, type TestFrontOptions } from '../kit/front.ts';
import { ApiClient } from '../kit/http.ts';
import { sendRequest } from '../kit/open-response.ts';

type Fields = Record<string, unknown>;

const PROGRAM = fileURLToPath(new URL('../kit/programs/fake-upstream.mjs', import.meta.url));
const cleanup = cleanupAfterEach();

const stdio = (name: string, switches: object = {}, more: object = {}) => ({
  id: `id of ${name}`,
  name,
  transport: { type: 'stdio', command: process.execPath, args: [PROGRAM, JSON.stringify(switches)] },
  ...more,
});
const http = (name: string, url: string, more: object = {}) => ({
  id: `id of ${name}`,
  name,
  transport: { type: 'http', url },
  ...more,
});

async function serve(switches: HttpSwitches = {}): Promise<FakeHttpUpstream> {
  const server = new FakeHttpUpstream(switches);
  await server.start();
  cleanup.defer(() => server.stop());
  return server;
}

async function setUp(servers: object[] = [], options: TestFrontOptions = {}) {
  const front = await startFront(cleanup, options);
  if (servers.length > 0)
    await writeFile(join(front.configDirectory, 'mcp-upstreams.json'), JSON.stringify({ servers }));
  const told = new Promise<void>((resolve) => front.upstreams.registry.changes.on(resolve));
  front.upstreams.registry.start();
  const api = new ApiClient(front.ipc);
  const post = async (message: object, headers: Record<string, string> = {}) =>
    JSON.parse((await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, ...message }, headers })).text) as {
      id: unknown;
      result: Fields;
      error?: Fields;
    };
  const call = async (name: string, input: object = {}, params: object = {}, headers: Record<string, string> = {}) =>
    (await post({ method: 'tools/call', params: { name, arguments: input, ...params } }, headers)).result;
  const list = async () =>
    ((await post({ method: 'tools/list' })).result.tools as { name: string }[]).map(({ name }) => name);
  const foreign = async () => (await list()).filter((name) => name.includes('__'));
  const status = async () =>
    ((await api.ok('GET', '/mcp/upstream-status')) as { upstreams: UpstreamReport[] }).upstreams;
  const ready = (count: number) =>
    eventually(
      `${count} servers`,
      async () => (await status()).filter(({ status: is }) => is === 'ready').length === count,
    );
  const read = async () => (await api.ok('GET', '/mcp/upstreams')) as { servers: UpstreamServer[] };
  const save = async (change: (servers: UpstreamServer[]) => object[]) => {
    const base = await read();
    return api.request('PUT', '/mcp/upstreams', { body: { base, config: { servers: change(base.servers) } } });
  };
  const stream = async (session: string) => {
    const headers = { 'mcp-session-id': session };
    return sendRequest(cleanup, front.ipc, { method: 'GET', path: '/mcp', headers }).answered;
  };
  return { front, api, post, call, list, foreign, status, ready, read, save, stream, told };
}

const textOf = (result: Fields) => (result.content as { text: string }[])[0]?.text ?? '';

describe('results', () => {
  it('M01, M12, TRN-20: arrive as they are under the id of the client, directly and by call_tool, by both transports', async () => {
    const server = await serve({ streams: true });
    const { post } = await setUp([stdio('near'), http('far', server.url)]);
    await post({ method: 'tools/list' });
    for (const id of ['1', 'init-1', 42, 0, '', 2 ** 53]) {
      for (const [tool, isError] of [
        ['near__write', true],
        ['far__write', false],
      ] as const) {
        const input = { do: 'rich', isError };
        for (const params of [
          { name: tool, arguments: input },
          { name: 'call_tool', arguments: { tool_name: tool, arguments: input } },
        ]) {
          const answer = await post({ id, method: 'tools/call', params });
          expect(answer).toEqual({ jsonrpc: '2.0', id, result: { ...RICH_RESULT, isError } });
        }
        const failed = await post({ id, method: 'tools/call', params: { name: tool, arguments: { do: 'fail' } } });
        expect([failed.id, failed.result.isError]).toEqual([id, true]);
        expect(JSON.parse(textOf(failed.result))).toEqual({
          error: 'it went wrong',
          code: -32_000,
          data: { why: 'because' },
        });
      }
    }
  });

  it('P6: no number is changed on its way, in either direction and in either era', async () => {
    const server = await serve();
    const { api, list } = await setUp([stdio('near'), http('far', server.url)]);
    await list();
    const numbers = '"big":9007199254740993,"long":0.12345678901234567891,"n":[1e999,-18446744073709551616]';
    const meta =
      '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}';
    for (const tool of ['near__echo', 'far__echo']) {
      const params = `"name":"${tool}","arguments":{"do":"exact",${numbers}}`;
      const old = await api.request('POST', '/mcp', {
        rawBody: `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{${params}}}`,
      });
      const modern = await api.request('POST', '/mcp', {
        rawBody: `{"jsonrpc":"2.0","id":"m","method":"tools/call","params":{${meta},${params}}}`,
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': tool,
        },
      });
      expect(old.text).toContain('"id":9007199254740993,');
      for (const { text } of [old, modern]) expect(text).toContain(`"structuredContent":${EXACT_NUMBER}`);
    }
    const calls = server.bodies.filter((body) => body.includes('tools/call'));
    expect(calls).toHaveLength(2);
    for (const body of calls) expect(body).toContain(numbers);
  });

  it('TRN-20: what is no result of a call is wrapped as text', async () => {
    const { call, list } = await setUp([stdio('a')]);
    await list();
    expect(await call('a__echo', { do: 'empty' })).toEqual({
      content: [{ type: 'text', text: '{"kite":1}' }],
      isError: false,
    });
  });

  it('M16: progress comes under the token of the client, same type; without a token none, and none of anybody else', async () => {
    const { call, list, stream } = await setUp([stdio('a')]);
    await list();
    const notices = await stream('s');
    const headers = { 'mcp-session-id': 's' };
    await call('a__echo', { do: 'progress' }, {}, headers);
    expect(
      textOf(await call('a__echo', { do: 'progress' }, { _meta: { progressToken: 'tok', 'x.org/y': 1 } }, headers)),
    ).toMatch(/^\{"x.org\/y":1,"progressToken":\d+\}$/);
    await call('a__echo', { do: 'progress' }, { _meta: { progressToken: 7 } }, headers);
    await notices.seen('"progressToken":7,"progress":2');
    const told = [...notices.text.matchAll(/"progressToken":([^,}]+)/g)].map(([, token]) => token);
    expect(told.join()).toBe('"tok","tok",7,7');
  });

  it('TRN-33, M16: progress goes out before the result on the answer itself, when the client takes events', async () => {
    const { api, list } = await setUp([stdio('a')]);
    await list();
    const ask = (meta: object, headers: Record<string, string>) =>
      api.request('POST', '/mcp', {
        body: {
          jsonrpc: '2.0',
          id: 'x',
          method: 'tools/call',
          params: { name: 'a__echo', arguments: { do: 'progress' }, _meta: meta },
        },
        headers: { accept: 'application/json, text/event-stream', ...headers },
      });
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    };
    const routed = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'a__echo' };
    for (const [meta, headers] of [
      [{}, {}],
      [modern, routed],
    ] as const) {
      const events = await ask({ ...meta, progressToken: 7 }, headers);
      expect(events.headers['content-type']).toContain('text/event-stream');
      const messages = [...events.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Fields);
      expect(messages.map(({ id, params }) => id ?? (params as Fields).progress)).toEqual([1, 2, 'x']);
      expect(messages.slice(0, 2).map(({ params }) => (params as Fields).progressToken)).toEqual([7, 7]);
      const plain = await ask(meta, headers);
      expect(plain.headers['content-type']).toContain('application/json');
      expect((JSON.parse(plain.text) as Fields).id).toBe('x');
    }
  });

  it('M18: a call that its client cancels is cancelled at its server', async () => {
    const server = await serve();
    const { call, list, api } = await setUp([http('a', server.url)]);
    await list();
    const headers = { 'mcp-session-id': 's' };
    const body = {
      jsonrpc: '2.0',
      id: 'slow',
      method: 'tools/call',
      params: { name: 'a__write', arguments: { do: 'hang' } },
    };
    const slow = api.request('POST', '/mcp', { body, headers });
    await eventually('the call', () => server.messages('tools/call').length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } };
    for (let times = 0; times < 2; times++) await api.request('POST', '/mcp', { body: cancel, headers });
    expect((await slow).status).toBe(202);
    await eventually('the notice', () => server.messages('notifications/cancelled').length === 1);
    const [sent] = server.messages('tools/call');
    expect(server.messages('notifications/cancelled')[0]?.params).toMatchObject({ requestId: sent?.id });
    expect(await call('a__echo', { do: 'rich' })).toEqual(RICH_RESULT);
  });
});

describe('names', () => {
  it('N01, N05, N07, M14: every listed name is callable and leads to its own tool; schemas are listed unchanged', async () => {
    const schemas = [
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { a: {} },
        properties: { a: { $ref: '#/$defs/a' } },
      },
      { type: 'object', properties: { x: true, y: { type: 'string', nullable: true } } },
      { type: 'object' },
    ];
    const names = ['exec-sql', 'a__b', 'dots.and/slashes', 't'.repeat(40)];
    const tools = names.map((name, place) => ({
      name,
      inputSchema: schemas[place],
      title: 'T',
      annotations: { x: 1 },
    }));
    const { post, call } = await setUp([stdio('my_db', { tools }), stdio('s'.repeat(40), { tools })]);
    const listed = ((await post({ method: 'tools/list' })).result.tools as Fields[]).filter(
      ({ title }) => title === 'T',
    );
    expect(listed).toHaveLength(8);
    expect(listed.slice(0, 4).map(({ name: _, ...rest }) => rest)).toEqual(tools.map(({ name: _, ...rest }) => rest));
    for (const [place, { name }] of listed.entries()) {
      expect(String(name).length).toBeLessThanOrEqual(45);
      expect(JSON.parse(textOf(await call(String(name))))).toEqual({ name: names[place % 4], input: {} });
      const schema = await call('get_tool_schema', { tool_name: name });
      expect(JSON.parse(textOf(schema))).toEqual(listed[place]);
    }
    const found = await call('search_tools', { query: 'exec-sql' });
    expect(JSON.parse(textOf(found))).toMatchObject({ results: [{ name: 'my_db__exec-sql' }, {}], count: 2 });
  });

  it('N04, UPC-1: a name that another tool has is refused at save, naming both; bare ones show their own names', async () => {
    const one = { tools: [{ name: 'find', inputSchema: {} }] };
    const { save, ready, list, status, call } = await setUp([stdio('a', one, { bare: true }), stdio('b', one)]);
    await ready(2);
    expect((await list()).filter((name) => name.endsWith('find'))).toEqual(['find', 'b__find']);
    const refused = await save(([a, b]) => [a as object, { ...b, bare: true }]);
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/\\"b\\".*find.*of a/)]);
    // One that comes to a taken name later is set aside and told.
    await call('b__find', { do: 'add', tool: 'x' });
    expect((await save((servers) => [...servers, stdio('c', one, { bare: true })])).status).toBe(200);
    await ready(3);
    expect((await status())[2]).toMatchObject({ tool_count: 0, set_aside: [{ tool: 'find' }] });
    expect(JSON.parse(textOf(await call('find')))).toEqual({ name: 'find', input: {} });
  });

  it('N09, LAZ-1: a client that drops names with two separators reaches them by the meta tools, and only that client', async () => {
    const { post, ready } = await setUp([stdio('a')]);
    await ready(1);
    const headers = { 'mcp-session-id': '00000000-0000-4000-8000-000000000001' };
    const listed = async (more = {}) =>
      ((await post({ method: 'tools/list' }, more)).result.tools as Fields[]).map(({ name }) => name);
    const { result } = await post({
      method: 'initialize',
      params: { clientInfo: { name: 'grok-shell-1', version: '1' } },
    });
    expect(result).toMatchObject({ instructions: expect.stringContaining('a (2 tools)') });
    const clientInfo = { name: 'grok-shell-1', version: '1' };
    await post({ method: 'ping' }, headers);
    await post({ method: 'initialize', params: { clientInfo } }, headers);
    expect((await listed(headers)).filter((name) => String(name).includes('__'))).toEqual([]);
    const params = { name: 'call_tool', arguments: { tool_name: 'a__echo', arguments: { do: 'rich' } } };
    expect((await post({ method: 'tools/call', params }, headers)).result).toEqual(RICH_RESULT);
    expect(await listed()).toContain('a__echo');
  });

  it('TRN-18, TRN-30: a native name is never that of a server; an unknown one lists what there is', async () => {
    const { list, call } = await setUp([
      stdio('a', { tools: [{ name: 'session', inputSchema: {} }, { name: 'x' }] }, { bare: true }),
    ]);
    expect((await list()).filter((name) => name === 'session')).toHaveLength(1);
    const unknown = await call('a__session');
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringMatching(/session, .*\bx\b/)]);
  });
});

describe('servers that do not work', () => {
  it('M08: do not empty the list of the others, and are told by name', async () => {
    const closed = await serve();
    await closed.stop();
    const { foreign, status, call } = await setUp([
      stdio('good'),
      http('refused', closed.url),
      stdio('broken', { dies: true }),
      stdio('absent', {}, { transport: { type: 'stdio', command: 'no-such-program-anywhere' } }),
    ]);
    expect(await foreign()).toEqual(['good__echo', 'good__write']);
    const [good, ...others] = await status();
    expect(good).toMatchObject({ status: 'ready', tool_count: 2, last_error: null });
    expect(others.map(({ last_error }) => last_error)).toEqual([
      expect.stringContaining('ECONNREFUSED'),
      expect.stringContaining('no such module'),
      // M32
      expect.stringMatching(/no program no-such-program-anywhere on the PATH .*bin/),
    ]);
    expect(others[1]?.diagnostics).toContain('Traceback');
    expect(textOf(await call('good__echo'))).toContain('echo');
  });

  it('TRN-12, M08: one that hangs in its handshake holds the first list for a while only', async () => {
    const { foreign, status } = await setUp([stdio('good'), stdio('hangs', { hangs: 'initialize' })]);
    expect(await foreign()).toEqual(['good__echo', 'good__write']);
    expect((await status()).map(({ status: is }) => is)).toEqual(['ready', 'connecting']);
  });

  it('M11: tools of a disabled or removed server are neither listed nor callable, also by call_tool', async () => {
    const { foreign, save, call, ready } = await setUp([stdio('a'), stdio('b')]);
    await ready(2);
    await save((servers) => servers.map((server) => ({ ...server, enabled: server.name !== 'a' })));
    expect(await foreign()).toEqual(['b__echo', 'b__write']);
    for (const refused of [
      await call('a__echo'),
      await call('call_tool', { tool_name: 'a__echo' }),
      await call('get_tool_schema', { tool_name: 'a__echo' }),
    ]) {
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('there is no tool')]);
    }
    await save(() => []);
    expect(await foreign()).toEqual([]);
  });

  it('LAZ-7: a filtered tool is neither listed, nor found, nor callable', async () => {
    const filter = { tool_filter: { mode: 'deny', patterns: ['wri*'] } };
    const { foreign, call } = await setUp([stdio('a', {}, filter)]);
    expect(await foreign()).toEqual(['a__echo']);
    const found = textOf(await call('search_tools', { query: 'a write echo', limit: 100 }));
    expect([found.includes('a__echo'), found.includes('a__write')]).toEqual([true, false]);
    for (const refused of [await call('a__write'), await call('call_tool', { tool_name: 'a__write' })]) {
      expect(refused.isError).toBe(true);
    }
  });
});

describe('scope', () => {
  it('UPC-8, LAZ-10: a repository that names its servers neither lists nor calls the others', async () => {
    const { api, front, post, call, ready } = await setUp([stdio('a'), stdio('b')]);
    await ready(2);
    const root = join(front.configDirectory, 'repo');
    await api.ok('PUT', '/config/repositories', { repos: { [root]: { path: root } } });
    await api.ok('PUT', '/config/repo-settings', {
      repos: { [root]: { path: root, display_name: '', color: '', mcp_upstreams: ['b'] } },
    });
    const answer = await api.request('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: { roots: [{ uri: `file://${root}` }] } },
    });
    const headers = { 'mcp-session-id': String(answer.headers['mcp-session-id']) };
    const listed = ((await post({ method: 'tools/list' }, headers)).result.tools as { name: string }[]).map(
      ({ name }) => name,
    );
    expect(listed.filter((name) => name.includes('__'))).toEqual(['b__echo', 'b__write']);
    for (const refused of [
      await call('a__echo', {}, {}, headers),
      await call('call_tool', { tool_name: 'a__echo' }, {}, headers),
    ]) {
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('leave out')]);
    }
    expect((await call('b__echo', {}, {}, headers)).isError).toBeUndefined();
    expect((await call('a__echo')).isError).toBeUndefined();
  });
});

describe('changes', () => {
  it('M09, LAZ-8: another list is fetched, indexed, and told once to every client, however often its server says so', async () => {
    const { told, call, stream, foreign } = await setUp([stdio('a')]);
    await told;
    const streams = [await stream('s'), await stream('t')];
    await call('a__echo', { do: 'add', tool: 'kite', times: 30 });
    for (const notices of streams) await notices.seen('notifications/tools/list_changed');
    expect(await foreign()).toEqual(['a__echo', 'a__write', 'a__kite']);
    expect(textOf(await call('search_tools', { query: 'kite' }))).toContain('a__kite');
    await call('a__echo', { do: 'add', tool: 'boat' });
    for (const notices of streams)
      await eventually('the second notice', () => notices.text.split('list_changed').length === 3);
  });

  it('UPC-6: only what changed is connected anew', async () => {
    const starts = join(await cleanup.temporaryDirectory('tuic-g-'), 'starts');
    const { ready, save, status } = await setUp([stdio('a', { starts }), stdio('b')]);
    await ready(2);
    await save((servers) => servers.map((server) => (server.name === 'b' ? { ...server, name: 'c' } : server)));
    await ready(2);
    expect((await status()).map(({ name }) => name)).toEqual(['a', 'c']);
    expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('M33, UPC-9: secrets belong to an id: another server of the same name has none of them', async () => {
    const { front, save, read } = await setUp();
    const auth = { type: 'bearer', token: 'first' };
    await save(() => [http('a', 'http://127.0.0.1:1/mcp', { id: 'one', auth, enabled: false })]);
    await save(() => [http('a', 'http://127.0.0.1:1/mcp', { id: 'two', auth: { type: 'bearer' }, enabled: false })]);
    expect((await read()).servers[0]).toMatchObject({ id: 'two', auth: { token_exists: false } });
    for (const id of ['one', 'two']) expect(await front.upstreams.config.secrets.token(id)).toBeUndefined();
  });

  it('M36: a server that is being started is told as such, not as one that does not exist', async () => {
    const { call, list, post, status } = await setUp([stdio('cold', { hangs: 'initialize' })]);
    await eventually('the server', async () => (await status()).length === 1);
    expect(textOf(await call('cold__echo'))).toContain('Not ready now: cold (connecting)');
    const { result } = await post({ method: 'initialize' });
    expect(result.instructions).toContain('MCP servers: cold (connecting)');
    await list();
  });

  it('UPC-2, UPC-9: a bare configuration is refused; a secret is never answered; its program gets it and nothing of ours', async () => {
    process.env.GATEWAY_TEST_SECRET = 'of the server';
    cleanup.defer(() => {
      delete process.env.GATEWAY_TEST_SECRET;
    });
    const { api, save, ready, call, list } = await setUp();
    const bare = await api.request('PUT', '/mcp/upstreams', { body: { servers: [] } });
    expect([bare.status, bare.text]).toEqual([400, expect.stringContaining('{base, config}')]);
    const transport = { type: 'stdio', command: process.execPath, args: [PROGRAM, '{}', '~/x'], env: { KEY: 'hush' } };
    expect((await save(() => [{ id: 'x', name: 'x', transport }])).status).toBe(200);
    await ready(1);
    for (const path of ['/mcp/upstreams', '/mcp/upstream-status']) {
      expect((await api.request('GET', path)).text).not.toContain('hush');
    }
    await list();
    const { env, args, cwd } = JSON.parse(textOf(await call('x__echo', { do: 'environment' }))) as {
      env: Record<string, string>;
      args: string[];
      cwd: string;
    };
    expect(env).toMatchObject({ KEY: 'hush', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('GATEWAY_TEST_SECRET');
    // STD-3
    expect(args).toEqual([join(env.HOME ?? '', 'x')]);
    expect(cwd).toBe(env.HOME);
  });
});

describe('resources and prompts', () => {
  const content = (says: string) => ({
    says,
    capabilities: { resources: {}, prompts: {}, completions: {} },
    'resources/list': {
      resources: [{ uri: `ui://${says}/view`, name: 'v', _meta: { ui: { domain: says } }, vendor: null }],
    },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: `${says}://{id}`, name: 't' }] },
    'prompts/list': { prompts: [{ name: 'fix', arguments: [{ name: 'x', required: true }] }] },
  });
  const claim = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  };

  it('P6, UPX-9: of servers of both transports and eras reach clients of both eras', async () => {
    const server = await serve({ modernOnly: true, content: content('far') });
    const { api, post, ready } = await setUp([stdio('near', { content: content('near') }), http('far', server.url)]);
    await ready(2);
    const { result: hello } = await post({ method: 'initialize', params: { capabilities: {} } });
    expect(hello.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      experimental: { 'claude/channel': {} },
    });
    const legacy = (method: string, params: Fields) => post({ method, params });
    const modern = async (method: string, params: Fields) => {
      const target = params.uri ?? params.name;
      const headers = {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(target === undefined ? {} : { 'mcp-name': String(target) }),
      };
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: claim } };
      return JSON.parse((await api.request('POST', '/mcp', { body, headers })).text) as Awaited<
        ReturnType<typeof post>
      >;
    };
    for (const ask of [legacy, modern]) {
      const listed = async (method: string, member: string) => (await ask(method, {})).result[member];
      expect(await listed('resources/list', 'resources')).toEqual(
        ['near', 'far'].flatMap((says) => content(says)['resources/list'].resources),
      );
      expect(await listed('resources/templates/list', 'resourceTemplates')).toMatchObject([
        { uriTemplate: 'near://{id}' },
        { uriTemplate: 'far://{id}' },
      ]);
      expect(await listed('prompts/list', 'prompts')).toEqual(
        ['near__fix', 'far__fix'].map((name) => ({ name, arguments: [{ name: 'x', required: true }] })),
      );
      for (const says of ['near', 'far']) {
        for (const uri of [`ui://${says}/view`, `${says}://1`]) {
          expect((await ask('resources/read', { uri })).result).toMatchObject({
            contents: [{ uri, text: says, vendor: [null] }],
            _meta: { kept: 1 },
          });
        }
        const missing = await ask('resources/read', { uri: `${says}://missing` });
        // The modern revision has no code of its own for this; the SDK tells it by the one that it has.
        const code = ask === modern ? -32_602 : -32_002;
        expect(missing.error).toEqual({ code, message: 'Resource not found', data: { uri: `${says}://missing` } });
        const got = await ask('prompts/get', { name: `${says}__fix`, arguments: { x: '1' } });
        expect(JSON.stringify(got.result.messages)).toContain('fix');
        const completed = await ask('completion/complete', {
          ref: { type: 'ref/prompt', name: `${says}__fix` },
          argument: { name: 'x', value: '' },
        });
        expect(completed.result.completion).toEqual({ values: ['{"type":"ref/prompt","name":"fix"}'], hasMore: false });
      }
      expect((await ask('prompts/get', { name: 'ghost' })).error).toMatchObject({ code: -32_602 });
    }
  });

  it('M09: a server that tells of other resources is heard by every client', async () => {
    const { front, call, stream } = await setUp([stdio('a', { content: content('a') })]);
    // The notice of its own start is over.
    await new Promise<void>((resolve) =>
      front.upstreams.registry.contentChanges.on((kind) => kind === 'prompts' && resolve()),
    );
    const opened = await stream('listens');
    await call('a__echo', { do: 'say', method: 'notifications/resources/list_changed' });
    await opened.seen('notifications/resources/list_changed');
  });
});

describe('children', () => {
  it('M24, STD-5: one child a server whoever asks, none after the end, also of one that stays', async () => {
    const starts = join(await cleanup.temporaryDirectory('tuic-g-'), 'starts');
    const { front, call, list, ready } = await setUp([stdio('a', { starts, stays: true }), stdio('b', { starts })]);
    await ready(2);
    const clients = Array.from({ length: 20 }, (_, n) => ({ 'mcp-session-id': `s${n}` }));
    await Promise.all(clients.map((headers) => call('a__echo', {}, {}, headers)));
    for (let n = 0; n < 5; n++) await list();
    const pids = (await readFile(starts, 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await front.upstreams.registry.stop();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('M03, M24: a program that was killed is started again; calls wait for it, and no list is told to change', async () => {
    const starts = join(await cleanup.temporaryDirectory('tuic-g-'), 'starts');
    const { front, call, ready, told } = await setUp([stdio('a', { starts })]);
    await ready(1);
    await told;
    let changes = 0;
    front.upstreams.registry.changes.on(() => changes++);
    const pid = Number(await readFile(starts, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await eventually('the end', () => front.upstreams.registry.report()[0]?.status === 'connecting');
    expect(textOf(await call('a__write', { kite: 1 }))).toContain('kite');
    const pids = (await readFile(starts, 'utf8')).trim().split('\n').map(Number);
    expect([pids.length, changes]).toEqual([2, 0]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('POST /mcp/upstreams/test connects to what is not saved, and leaves nothing behind', async () => {
    const starts = join(await cleanup.temporaryDirectory('tuic-g-'), 'starts');
    const { api, read } = await setUp();
    const tested = await api.request('POST', '/mcp/upstreams/test', {
      body: { transport: stdio('x', { starts }).transport },
    });
    expect(JSON.parse(tested.text)).toEqual({
      ok: true,
      server: { name: 'fake', version: '1' },
      tools: [
        { name: 'echo', description: 'Says it again. And more.' },
        { name: 'write', description: 'Changes something.' },
      ],
    });
    const pid = Number(await readFile(starts, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const broken = await api.request('POST', '/mcp/upstreams/test', {
      body: { transport: stdio('x', { dies: true }).transport },
    });
    expect(JSON.parse(broken.text)).toMatchObject({
      ok: false,
      error: expect.stringContaining('code 4'),
      diagnostics: expect.stringContaining('no such module'),
    });
    expect(await read()).toEqual({ servers: [] });
  });
});
