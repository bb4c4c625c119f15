import { get } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { startFront, TEST_LOGIN, type TestFront } from '../../../test/kit/front.ts';
import { type Answer, ApiClient } from '../../../test/kit/http.ts';

/** What a client is shown today, without the tools that are off by default. */
const LISTED = ['session', 'agent', 'task', 'repo', 'progress', 'ui', 'plugin_dev_guide'];
const IDENTITY = '11111111-2222-4333-8444-555555555555';

interface Rpc {
  id: unknown;
  result: Record<string, unknown> & { content: { text: string }[]; isError: boolean };
  error: { code: number; message: string };
}

const cleanup = cleanupAfterAll();
let front: TestFront;
let api: ApiClient;

beforeAll(async () => {
  front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
});

function post(body: unknown, headers: Record<string, string> = {}, client = api): Promise<Answer> {
  return client.request('POST', '/mcp', { body, headers });
}

async function rpc(
  method: string,
  params: unknown = {},
  headers: Record<string, string> = {},
  client = api,
): Promise<Rpc> {
  return (await post({ jsonrpc: '2.0', id: 1, method, params }, headers, client)).json() as Rpc;
}

async function call(name: string, input: unknown, client = api, headers: Record<string, string> = {}) {
  const { result } = await rpc('tools/call', { name, arguments: input }, headers, client);
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
}

async function initialize(headers: Record<string, string> = {}, params: object = {}) {
  const answer = await post({ jsonrpc: '2.0', id: 'init-1', method: 'initialize', params }, headers);
  return { answer, session: String(answer.headers['mcp-session-id']), result: (answer.json() as Rpc).result };
}

/** An open notification stream: its status, and its text once `wanted` is in it. */
async function openStream(session: string) {
  const target = { socketPath: front.ipc.socketPath, path: '/mcp', headers: { 'mcp-session-id': session } };
  let text = '';
  let look = () => {};
  let hasEnded = false;
  const request = get(target);
  cleanup.defer(async () => void request.destroy());
  request.on('error', () => {});
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) =>
    request.once('response', resolve),
  );
  response.on('error', () => {});
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    look();
  });
  response.on('close', () => {
    hasEnded = true;
    look();
  });
  const until = (isThere: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (isThere()) resolve();
      };
      look();
    });
  await until(() => text.includes(': open'));
  return {
    seen: (wanted: string) => until(() => text.includes(wanted)),
    ended: () => until(() => hasEnded),
    close: () => {
      request.destroy();
    },
    get text() {
      return text;
    },
  };
}

function changeTools(disabled: string[]) {
  return front.config.save({ disabled_native_tools: disabled });
}

describe('initialize', () => {
  it('TRN-4: echoes the four revisions and answers 2025-11-25 to any other', async () => {
    for (const protocolVersion of ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']) {
      expect((await initialize({}, { protocolVersion })).result.protocolVersion).toBe(protocolVersion);
    }
    for (const params of [{}, { protocolVersion: '2024-11-05' }, { protocolVersion: 7 }]) {
      expect((await initialize({}, params)).result.protocolVersion).toBe('2025-11-25');
    }
  });

  it('TRN-5, M28: declares listChanged, the server and instructions, also to a client without capabilities', async () => {
    const { result } = await initialize({}, { capabilities: {} });
    expect(result.capabilities).toEqual({ tools: { listChanged: true }, experimental: { 'claude/channel': {} } });
    expect(result.serverInfo).toEqual({ name: 'tuicommander', version: '0.1.0' });
    expect(result.instructions).toContain('TUICommander 0.1.0');
  });

  it('TRN-6, TRN-10: fresh, resumed and reconnected are told once each, the last with the id that was presented', async () => {
    const records = () => front.applicationLog.list({ limit: 0, source: 'mcp_initialize' });
    const before = records().length;
    const { session } = await initialize();
    expect((await initialize({ 'mcp-session-id': session })).session).toBe(session);
    const gone = '99999999-2222-4333-8444-555555555555';
    expect((await initialize({ 'mcp-session-id': gone })).session).not.toBe(gone);
    const data = records()
      .slice(before)
      .map((entry) => JSON.parse(entry.data_json ?? '{}') as Record<string, unknown>);
    expect(data.map(({ event }) => event)).toEqual(['fresh', 'resumed', 'reconnected']);
    expect(data.map(({ presented_session }) => presented_session)).toEqual([undefined, undefined, gone]);
  });
});

describe('messages', () => {
  it('M01: ids come back with type and value, in answers and errors', async () => {
    for (const id of ['1', 'init-1', 42, 0, '', Number.MAX_SAFE_INTEGER]) {
      for (const method of ['ping', 'no/such']) {
        expect(((await post({ jsonrpc: '2.0', id, method })).json() as Rpc).id).toBe(id);
      }
    }
  });

  it('1.2, M28: unknown methods are -32601 with 200; notifications and answers are 202 and empty', async () => {
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'server/discover' });
    expect([answer.status, (answer.json() as Rpc).error.code]).toEqual([200, -32_601]);
    for (const body of [{ method: 'notifications/initialized' }, { id: 5, result: {} }]) {
      const taken = await post({ jsonrpc: '2.0', ...body });
      expect([taken.status, taken.text]).toEqual([202, '']);
    }
  });

  it('TRN-13: a batch and a body that is no JSON are 400', async () => {
    const codes = [];
    for (const rawBody of ['[]', '{"jsonrpc"', '7', '{"id":1}']) {
      const answer = await api.request('POST', '/mcp', { rawBody });
      codes.push([answer.status, (answer.json() as Rpc).error.code]);
    }
    expect(codes).toEqual([
      [400, -32_600],
      [400, -32_700],
      [400, -32_600],
      [400, -32_600],
    ]);
  });

  it('TRN-32: an unknown MCP-Protocol-Version is 400 and names the known ones; initialize is exempt', async () => {
    const headers = { 'mcp-protocol-version': '2024-11-05' };
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
    expect([answer.status, (answer.json() as Rpc).error.message]).toEqual([400, expect.stringContaining('2025-06-18')]);
    expect((await initialize(headers)).answer.status).toBe(200);
  });

  it('TRN-33, BRG-5: an answer declares its length, also to a client that takes compressed ones', async () => {
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'accept-encoding': 'gzip' });
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('LIM-2: a body of more than 2 MiB is 413', async () => {
    expect((await api.request('POST', '/mcp', { rawBody: ' '.repeat(2_097_153) })).status).toBe(413);
  });
});

describe('protocol sessions', () => {
  it('TRN-14, TRN-15: a call needs no session, and an unknown one is taken up again', async () => {
    expect((await call('session', { action: 'list' })).isError).toBe(false);
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'from-before' });
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, 'from-before']);
  });

  it('TRN-21, TRN-25: GET and DELETE want the header; DELETE knows only what is held', async () => {
    expect((await api.get('/mcp')).status).toBe(401);
    expect((await api.request('DELETE', '/mcp')).status).toBe(401);
    expect((await api.request('DELETE', '/mcp', { headers: { 'mcp-session-id': 'never' } })).status).toBe(404);
    const { session } = await initialize();
    const headers = { 'mcp-session-id': session };
    expect((await api.request('DELETE', '/mcp', { headers })).status).toBe(200);
    expect((await api.request('DELETE', '/mcp', { headers })).status).toBe(404);
  });

  it('SES-2, MSG-10, TRN-17, TRN-26: is_caller follows the header, with a session and on this machine only', async () => {
    front.sessions.identity = IDENTITY;
    const isCaller = async (headers: Record<string, string>, client = api) => {
      const { value } = await call('session', { action: 'list' }, client, headers);
      return (value as unknown as { is_caller: boolean }[]).map(({ is_caller }) => is_caller);
    };
    const speaking = { 'mcp-session-id': 'speaker', 'x-tuic-session': IDENTITY };
    const remote = new ApiClient(front.remote, { authorization: TEST_LOGIN.header });
    expect(await isCaller({ 'x-tuic-session': IDENTITY })).toEqual([false]);
    expect(await isCaller({ ...speaking, 'mcp-session-id': 'far' }, remote)).toEqual([false]);
    expect(await isCaller({ 'mcp-session-id': 'other', 'x-tuic-session': 'no-uuid' })).toEqual([false]);
    expect(await isCaller(speaking)).toEqual([true]);
    expect(await isCaller({ 'mcp-session-id': 'speaker' })).toEqual([true]);
    const own = await call('session', { action: 'kill', session_id: 'ab-1' }, api, speaking);
    expect([own.isError, own.value.error]).toEqual([true, expect.stringContaining('your own session')]);
  });
});

describe('notification streams', () => {
  it('TRN-22, LAZ-9: a change of the tools is told on the stream', async () => {
    const stream = await openStream('one');
    await changeTools([]);
    await stream.seen('notifications/tools/list_changed');
    await changeTools(['config', 'debug']);
    stream.close();
  });

  it('TRN-23, races A and B: with a DELETE between, the end of the old stream leaves the new one alone', async () => {
    const old = await openStream('two');
    await api.request('DELETE', '/mcp', { headers: { 'mcp-session-id': 'two' } });
    const fresh = await openStream('two');
    await old.ended();
    await changeTools([]);
    await fresh.seen('notifications/tools/list_changed');
    await changeTools(['config', 'debug']);
    expect(old.text).not.toContain('list_changed');
    fresh.close();
  });

  it('M29: of two streams the newer one is used', async () => {
    const old = await openStream('three');
    const fresh = await openStream('three');
    await changeTools([]);
    await fresh.seen('notifications/tools/list_changed');
    expect(old.text).not.toContain('list_changed');
    await changeTools(['config', 'debug']);
    old.close();
    fresh.close();
  });
});

describe('tools', () => {
  it('TRN-30: errors name the tools, the actions and the parameters', async () => {
    const errors = [];
    for (const [name, input] of [
      ['nothing', {}],
      ['session', {}],
      ['session', { action: 'whistle', session_id: 'known' }],
      ['session', { action: 'resize' }],
      ['session', { action: 'list', colour: 1 }],
      ['session', { action: 'input', session_id: 'known' }],
      ['session', { action: 'input', session_id: 'known', special_key: 'ctrl+q' }],
    ] as const) {
      const { isError, value } = await call(name, input);
      errors.push([isError, value.error]);
    }
    expect(errors.every(([isError]) => isError)).toBe(true);
    expect(errors.map(([, text]) => String(text))).toEqual([
      expect.stringContaining('There are: session'),
      expect.stringContaining('needs an action. There are: list, create'),
      expect.stringContaining('no action "whistle"'),
      expect.stringContaining('needs session_id'),
      expect.stringContaining('does not know colour'),
      expect.stringContaining('input or special_key'),
      expect.stringContaining('ctrl+w'),
    ]);
  });

  it('1.8: from another machine a person may look, and not write', async () => {
    const remote = new ApiClient(front.remote, { authorization: TEST_LOGIN.header });
    expect((await call('session', { action: 'list' }, remote)).isError).toBe(false);
    for (const action of ['close', 'kill', 'pause', 'resume', 'input']) {
      const { value } = await call('session', { action, session_id: 'known', input: 'x' }, remote);
      expect(value.error).toContain('on the machine of the server only');
    }
  });

  it('TRN-27: what is switched off is neither listed nor called', async () => {
    const { result } = await rpc('tools/list');
    expect((result.tools as { name: string }[]).map(({ name }) => name)).toEqual(LISTED);
    expect((await call('config', { action: 'get' })).value.error).toContain('switched off');
  });

  it('SES-5: text and key go out as one write, like over REST', async () => {
    await call('session', { action: 'input', session_id: 'known', input: 'ls', special_key: 'Enter' });
    const byTool = front.sessions.calls.at(-1);
    await api.ok('POST', '/sessions/known/write', { data: 'ls\r' });
    expect(front.sessions.calls.at(-1)).toEqual(byTool);
    expect(byTool).toEqual(['write', 'known', 'ls\r']);
  });

  it('SES-1, SES-3, SES-7: list and status tell that a program waits, and nothing before it was seen', async () => {
    const status = async () => (await call('session', { action: 'status', session_id: 'known' })).value;
    const listed = async () => (await call('session', { action: 'list' })).value as unknown as object[];
    expect(await status()).toMatchObject({ awaiting_input: false, rate_limited: false });
    expect([await status(), (await listed())[0]].some((each) => Object.hasOwn(each ?? {}, 'shell_state'))).toBe(false);
    const known = { shell_state: 'idle', agent_state: 'awaiting_input' } as const;
    front.sessions.state = {
      ...known,
      awaiting_input: true,
      rate_limited: false,
      agent_type: 'codex',
      last_activity_ms: 1,
    };
    expect(await status()).toMatchObject({ ...known, awaiting_input: true, agent_type: 'codex' });
    expect((await listed())[0]).toMatchObject(known);
    front.sessions.state = undefined;
  });

  it('CFG-1: the guide is the text of its route; a tool without actions takes none', async () => {
    const { isError, value } = await call('plugin_dev_guide', {});
    expect(isError).toBe(false);
    expect(value.content).toContain('GET /events');
    expect(value).toEqual((await api.get('/plugins/docs')).json());
    expect((await call('plugin_dev_guide', { action: 'list' })).value.error).toContain('does not know action');
  });

  it('TRN-29: a handler that fails is a tool error', async () => {
    const { isError, value } = await call('session', { action: 'output', session_id: 'nobody' });
    expect([isError, value.reason]).toEqual([true, 'session_not_found_or_reaped']);
  });

  it('LIM, TRN-28: ping answers while a call is pending', async () => {
    let answer = () => {};
    front.sessions.answerOutput = () =>
      new Promise((resolve) => {
        answer = () => resolve({ data: 'late', data_length: 4, total_written: 4 });
      });
    const slow = call('session', { action: 'output', session_id: 'known', format: 'raw' });
    expect((await rpc('ping')).result).toEqual({});
    await expect.poll(() => front.sessions.calls.at(-1)?.[0]).toBe('output');
    answer();
    expect((await slow).value.data).toBe('late');
  });

  it('CFG-2, CFG-3, DBG-1: config and debug, once they are switched on', async () => {
    await changeTools([]);
    const { value } = await call('config', { action: 'get' });
    expect(JSON.stringify(value)).not.toContain(TEST_LOGIN.hash);
    expect((await call('config', { action: 'save', config: { theme: 'mine' } })).value).toEqual({ ok: true });
    expect(front.config.current.theme).toBe('mine');
    expect((await call('config', { action: 'save', config: { ego_args: [] } })).isError).toBe(true);
    const { actions } = (await call('debug', { action: 'help' })).value as { actions: string[] };
    for (const name of ['agent_detection', 'logs', 'sessions', 'invoke_js', 'help']) {
      expect(actions.filter((line) => line.startsWith(`${name}(`))).toHaveLength(1);
    }
    const detection = await call('debug', { action: 'agent_detection', session_id: 'ab-1' });
    expect(detection.value.sessions).toEqual([
      expect.objectContaining({ session_id: 'known', foreground_process: 'vim', evidence: expect.anything() }),
    ]);
    const every = (await call('debug', { action: 'agent_detection' })).value.sessions as { session_id: string }[];
    expect(every.map(({ session_id }) => session_id)).toEqual(['known']);
    expect((await call('debug', { action: 'agent_detection', session_id: 'nobody' })).isError).toBe(true);
    const all = (await call('debug', { action: 'sessions' })).value.sessions;
    expect(all).toEqual((await api.get('/sessions?lifecycle=all')).json());
    const { value: logs } = await call('debug', { action: 'logs', source: 'mcp_initialize', limit: 1 });
    expect(logs.entries).toHaveLength(1);
    await changeTools(['config', 'debug']);
  });
});

describe('collapsed discovery', () => {
  const listed = async (headers: Record<string, string> = {}) => {
    const { result } = await rpc('tools/list', {}, headers);
    return (result.tools as { name: string }[]).map(({ name }) => name);
  };
  // PRJ-6: the journal stands beside them.
  const META = ['search_tools', 'get_tool_schema', 'call_tool', 'progress'];

  it('LAZ-1, LAZ-9: the setting collapses every list, and is told on the streams', async () => {
    const stream = await openStream('collapse');
    await front.config.save({ collapse_tools: true });
    await stream.seen('notifications/tools/list_changed');
    expect(await listed()).toEqual(META);
    const { result } = await initialize();
    expect(result.instructions).toContain('search_tools');
    await front.config.save({ collapse_tools: false });
    expect(await listed()).toEqual(LISTED);
    stream.close();
  });

  it('LAZ-1, LAZ-12: the rule of one client changes no list of another', async () => {
    const { session } = await initialize({}, { clientInfo: { name: 'grok-shell-3', version: '1' } });
    expect(await listed({ 'mcp-session-id': session })).toEqual(META);
    expect(await listed()).toEqual(LISTED);
    await front.config.save({ collapse_clients: { grok: false } });
    expect(await listed({ 'mcp-session-id': session })).toEqual(LISTED);
    await front.config.save({ collapse_clients: {} });
  });

  it('LAZ-3 to LAZ-5: search, schema and call lead to the tool; a caller stays who it is', async () => {
    const found = await call('search_tools', { query: 'resize a terminal', limit: 1 });
    expect(found.value).toMatchObject({ results: [{ name: 'session' }], count: 1 });
    expect((await call('search_tools', { query: 'zebra' })).value).toEqual({ results: [], count: 0 });
    const schema = await call('get_tool_schema', { tool_name: 'session' });
    expect(Object.keys(schema.value)).toEqual(['name', 'description', 'inputSchema']);
    const direct = await call('session', { action: 'list' });
    expect(await call('call_tool', { tool_name: 'session', arguments: { action: 'list' } })).toEqual(direct);
    const remote = new ApiClient(front.remote, { authorization: TEST_LOGIN.header });
    const kill = { tool_name: 'session', arguments: { action: 'kill', session_id: 'known' } };
    expect((await call('call_tool', kill, remote)).value.error).toContain('on the machine of the server only');
  });

  it('LAZ-5 to LAZ-7, LAZ-11: what is filtered or a meta tool is refused by its exact name, and not found', async () => {
    const errors = [];
    for (const [name, input] of [
      ['search_tools', { query: '  ' }],
      ['search_tools', { query: 'x', limit: 'many' }],
      ['get_tool_schema', { tool_name: 'call_tool' }],
      ['get_tool_schema', { tool_name: 'nothing' }],
      ['get_tool_schema', {}],
      ['call_tool', { tool_name: 'call_tool', arguments: { tool_name: 'session' } }],
      ['call_tool', { tool_name: 'config', arguments: { action: 'get' } }],
      ['call_tool', { tool_name: 'session', arguments: [] }],
    ] as const) {
      const { isError, value } = await call(name, input);
      errors.push(isError ? String(value.error) : 'no error');
    }
    expect(errors).toEqual([
      expect.stringContaining('needs query'),
      expect.stringContaining('limit'),
      expect.stringContaining('called directly'),
      expect.stringContaining('There are: session'),
      expect.stringContaining('needs tool_name'),
      expect.stringContaining('called directly'),
      expect.stringContaining('switched off'),
      expect.stringContaining('arguments'),
    ]);
    expect((await call('search_tools', { query: 'settings' })).value).toEqual({ results: [], count: 0 });
  });

  it('LAZ-8: the index follows the settings, whatever list is shown', async () => {
    await changeTools([]);
    expect((await call('search_tools', { query: 'settings' })).value).toMatchObject({ results: [{ name: 'config' }] });
    await changeTools(['config', 'debug']);
    expect((await call('search_tools', { query: 'settings' })).value.count).toBe(0);
  });
});

describe('mcp_server_enabled', () => {
  it('TRN-2: off takes /mcp away and nothing else', async () => {
    await front.config.save({ mcp_server_enabled: false });
    const statuses = [
      await post({}),
      await api.get('/mcp'),
      await api.request('DELETE', '/mcp'),
      await api.get('/mcp/instructions'),
      await api.get('/mcp/status'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 200, 200]);
    expect(statuses[4]?.json()).toMatchObject({ enabled: false, running: false });
    await front.config.save({ mcp_server_enabled: true });
  });
});

describe('GET /mcp/status', () => {
  interface Status {
    mcp_clients: number;
  }

  it('says that it runs by a real connect, the terminals, and the setting', async () => {
    const { max_sessions } = front.config.current;
    await front.config.save({ max_sessions: 7 });
    expect((await api.get('/mcp/status')).json()).toMatchObject({
      enabled: true,
      running: true,
      active_sessions: 1,
      max_sessions: 7,
    });
    await front.config.save({ max_sessions });
  });

  it('counts a client once, with and without a stream, and no longer when it has ended', async () => {
    const count = async () => ((await api.get('/mcp/status')).json() as Status).mcp_clients;
    const before = await count();
    const { session } = await initialize();
    expect(await count()).toBe(before + 1);
    const stream = await openStream(session);
    expect(await count()).toBe(before + 1);
    const ended = stream.ended();
    await api.request('DELETE', '/mcp', { headers: { 'mcp-session-id': session } });
    await ended;
    expect(await count()).toBe(before);
  });
});
