/** Agents and editors of this machine: http.md 12 and the twin over MCP (mcp.md AGT-13). */
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const cleanup = cleanupAfterAll();
let front: TestFront;
let api: ApiClient;
beforeAll(async () => {
  front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
});

const CLAUDE = { name: 'claude', path: '/opt/agents/claude', version: '2.1.332' };
const absent = (name: string) => ({ name, path: null, version: null });

async function callAgent(action: string): Promise<unknown> {
  const params = { name: 'agent', arguments: { action } };
  const answer = await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
  const { result } = answer.json() as { result: { isError: boolean; content: { text: string }[] } };
  expect(result.isError).toBe(false);
  return JSON.parse(result.content[0]?.text ?? '');
}

describe('GET /agents', () => {
  it('lists what is known, here or not, and the editors', async () => {
    const agents = [CLAUDE, ...['codex', 'gemini', 'aider', 'goose'].map(absent)];
    expect(await api.ok('GET', '/agents')).toEqual(agents);
    expect(await api.ok('GET', '/agents/ides')).toEqual(['vscode']);
    expect(await api.ok('GET', '/agents/detect')).toEqual({ agents, ides: ['vscode'] });
  });

  it('tells of one; a name that is not known is no failure', async () => {
    expect(await api.ok('GET', '/agents/detect?binary=claude')).toEqual({ path: CLAUDE.path, version: CLAUDE.version });
    expect(await api.ok('GET', '/agents/detect?binary=codex')).toEqual({ path: null, version: null });
    expect(await api.ok('GET', '/agents/detect?binary=bash')).toEqual({ error: 'Unknown agent' });
  });

  it('looks programs up by name, no more than fit', async () => {
    const body = { binaries: ['claude', 'my-agent', '__proto__'] };
    const answer = await api.request('POST', '/agents/detect-all', { body });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"claude":{"path":"/opt/agents/claude","version":null},"my-agent":{"path":null,"version":null},"__proto__":{"path":null,"version":null}}',
    );
    for (const binaries of [Array.from({ length: 65 }, (_, at) => `a${at}`), [''], 'claude']) {
      expect((await api.request('POST', '/agents/detect-all', { body: { binaries } })).status).toBe(400);
    }
  });
});

describe('POST /sessions/agent', () => {
  const create = (body: object) => api.request('POST', '/sessions/agent', { body });

  it('opens a terminal with the agent, its prompt and its type; scripts are no workspace', async () => {
    const answer = await create({ prompt: 'Fix it', cwd: '/srv', model: 'opus', unknown: 1 });
    expect([answer.status, answer.json()]).toEqual([201, { session_id: 'known', alias: 'ab-1' }]);
    expect(front.sessions.calls.at(-1)).toEqual([
      'create',
      {
        shell: CLAUDE.path,
        args: ['--model', 'opus', 'Fix it'],
        agent_type: 'claude',
        env: { PATH: '/usr/bin:/opt/agents' },
        cwd: '/srv',
      },
      { isRemote: true },
    ]);
  });

  it('AGT-2: refuses before anything is opened', async () => {
    const before = front.sessions.calls.length;
    for (const body of [
      {},
      { prompt: '' },
      { prompt: 1 },
      { prompt: 'x', agent_type: 'codex', args: [] },
      { prompt: 'x', binary_path: 'claude' },
      { prompt: 'x', binary_path: '/opt/absent/claude' },
    ])
      expect((await create(body)).status, JSON.stringify(body)).toBe(400);
    expect(front.sessions.calls).toHaveLength(before);
  });
});

describe('the tool agent', () => {
  it('AGT-13, TOOL-2: detect tells of the four and of what else is here, without what is absent', async () => {
    expect(await callAgent('detect')).toEqual([CLAUDE, { name: 'codex' }, { name: 'aider' }, { name: 'goose' }]);
  });

  it('AGT-13: stats and metrics are those of REST', async () => {
    expect(await callAgent('stats')).toEqual(await api.ok('GET', '/stats'));
    expect(await callAgent('metrics')).toEqual(await api.ok('GET', '/metrics'));
  });

  it('shows what works', async () => {
    const list = await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    const { result } = list.json() as {
      result: { tools: { name: string; description: string; inputSchema: object }[] };
    };
    const tool = result.tools.find(({ name }) => name === 'agent');
    const actions = ['spawn', 'wait', 'detect', 'stats', 'metrics', 'register', 'list_peers', 'send', 'inbox'];
    expect(tool?.inputSchema).toMatchObject({ properties: { action: { enum: actions } } });
    expect(tool?.description).toContain('spawn(');
  });
});

describe('agent spawn', () => {
  const PARENT = 'aaaaaaaa-1111-4111-8111-111111111111';

  /** As the bridge of a terminal does, or a client of no terminal. */
  async function connect(identity?: string) {
    const own = identity === undefined ? {} : { 'x-tuic-session': identity };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const first = await api.request('POST', '/mcp', {
      headers: own,
      body: { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    });
    const headers = { ...own, 'mcp-session-id': String(first.headers['mcp-session-id']) };
    return async (name: string, input: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
      const { result } = (await api.request('POST', '/mcp', { headers, body })).json() as {
        result: { isError: boolean; content: { text: string }[] };
      };
      return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
    };
  }
  const created = () => {
    const [name, input, origin] = front.sessions.calls.at(-1) ?? [];
    expect(name).toBe('create');
    return { input: input as { args: string[]; cwd?: string }, origin };
  };

  it('AGT-8, AGT-9, TSK-6: makes a child that its parent knows by name, with a task and its own prompt', async () => {
    const call = await connect(PARENT);
    const { value, isError } = await call('agent', { action: 'spawn', prompt: 'Fix it', name: 'helper', cwd: '/srv' });
    expect(isError, JSON.stringify(value)).toBe(false);
    expect(value).toMatchObject({ name: 'helper', poll_interval_ms: 1_000, parent_session_id: PARENT });
    const id = String(value.session_id);
    const { input, origin } = created();
    expect(origin).toEqual({ isRemote: true });
    expect(input).toMatchObject({ session_id: id, tuic_session: id, display_name: 'helper', cwd: '/srv' });
    expect(input.args.slice(0, -1)).toEqual([
      '--dangerously-load-development-channels',
      'server:tuicommander',
      // Or the prompt would be one more channel.
      '--',
    ]);
    expect(input.args.at(-1)).toMatch(new RegExp(`You are agent ${id}, named helper[^]*\\n\\nFix it$`));
    const peers = (await call('agent', { action: 'list_peers' })).value.peers;
    expect(peers).toContainEqual(expect.objectContaining({ tuic_session: id, name: 'helper' }));
    const task = { action: 'get', task_id: value.task_id };
    expect((await call('task', task)).value).toMatchObject({ task_id: value.task_id, status: 'working' });
    const stranger = await connect('bbbbbbbb-1111-4111-8111-111111111111');
    expect((await stranger('task', task)).isError).toBe(true);
  });

  it('MSG-80, AGT-10: of a caller without identity gets its prompt unchanged, and is its child once it registers', async () => {
    const call = await connect();
    const { value } = await call('agent', { action: 'spawn', prompt: 'Fix it' });
    expect(value).toMatchObject({ name: 'agent', communication_warning: expect.any(String) });
    expect(created().input.args.at(-1)).toBe('Fix it');
    expect((await call('agent', { action: 'register' })).value).toMatchObject({ linked_children: 1 });
    expect((await call('task', { action: 'get', task_id: value.task_id })).value).toMatchObject({ status: 'working' });
  });

  it('AGT-2: refuses before anything is opened, and no peer stays', async () => {
    const call = await connect(PARENT);
    const before = front.sessions.calls.length;
    const known = async () => ((await call('agent', { action: 'list_peers' })).value.peers as object[]).length;
    const peers = await known();
    for (const [input, reason] of [
      [{}, 'prompt'],
      [{ prompt: ' ' }, 'prompt'],
      [{ prompt: 'x', agent_type: 'codex' }, 'No such program: codex'],
      [{ prompt: 'x', agent_type: 'nobody' }, 'No such program: nobody'],
      [{ prompt: 'x', binary_path: 'claude' }, 'absolute'],
      [{ prompt: 'x', cols: 501 }, 'cols'],
      [{ prompt: 'x', name: '  ' }, 'name'],
      [{ prompt: 'x', name: 7 }, 'name'],
      [{ prompt: 'x', args: ['--model', 'a'], model: 'b' }, '--model'],
    ] as const) {
      const { isError, value } = await call('agent', { action: 'spawn', ...input });
      expect([isError, String(value.error)], JSON.stringify(input)).toEqual([true, expect.stringContaining(reason)]);
    }
    expect(front.sessions.calls).toHaveLength(before);
    expect(await known()).toBe(peers);
  });
});
