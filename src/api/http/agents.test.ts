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
    const actions = ['wait', 'detect', 'stats', 'metrics', 'register', 'list_peers', 'send', 'inbox'];
    expect(tool?.inputSchema).toMatchObject({ properties: { action: { enum: actions } } });
    expect(tool?.description).not.toContain('spawn(');
  });
});
