/** The journal at its two fronts: agents report over MCP, a person reads and corrects over REST (PRJ-*, http.md 6.1). */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const IDENTITY = '11111111-2222-4333-8444-555555555555';
const SPEAKING = { 'mcp-session-id': 'journal', 'x-tuic-session': IDENTITY };

const cleanup = cleanupAfterAll();
let front: TestFront;
let api: ApiClient;
let repository: string;

beforeAll(async () => {
  front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
  repository = join(await realpath(front.configDirectory), 'app');
  await mkdir(join(repository, 'src'), { recursive: true });
  const document = { repos: { [repository]: {} } };
  await api.ok('PUT', '/config/repositories', document);
});

async function rpc(method: string, params: object, headers: Record<string, string> = {}) {
  const { body } = await new ApiClient(front.ipc, headers).request('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  return JSON.parse(body.toString()) as {
    result: { content: { text: string }[]; isError: boolean; tools: { name: string }[] };
  };
}
async function call(name: string, input: object, headers?: Record<string, string>) {
  const { result } = await rpc('tools/call', { name, arguments: input }, headers);
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
}
const read = (more = '') => api.ok('GET', `/progress?path=${encodeURIComponent(repository)}${more}`);

describe('the journal', () => {
  it('PRJ-1, PRJ-2, PRJ-8: what an agent reports stands in the journal of its repository, for REST and for agents', async () => {
    front.sessions.identity = IDENTITY;
    front.sessions.workingFolder = async () => join(repository, 'src');
    const receipt = await call('progress', { type: 'done', text: 'wrote it', step: '1' }, SPEAKING);
    expect(receipt).toEqual({ isError: false, value: { ok: true, id: expect.any(String) } });
    const entry = { id: receipt.value.id, kind: 'done', text: 'wrote it', step: '1', session_id: 'known' };
    const list = (await read()) as { entries: { created_at: number }[] };
    expect(list.entries).toMatchObject([entry]);
    const byTool = await call('repo', { action: 'progress_list', path: repository });
    expect(byTool.value).toEqual({ entries: list.entries, next_since: list.entries[0]?.created_at });
    expect((await call('repo', { action: 'progress_list', path: repository, kind: 'idea' })).isError).toBe(true);
  });

  it('PRJ-2: a caller without a repository is told so', async () => {
    const { isError, value } = await call('progress', { type: 'done', text: 'x' });
    expect([isError, value.error]).toEqual([true, expect.stringContaining('no repository')]);
  });

  it.each([
    { type: 'intent', text: 'x' },
    { type: 'done', text: ' ' },
    { type: 'done', text: 'x'.repeat(2_001) },
    { type: 'done', text: 'x', step: 'x'.repeat(201) },
    { type: 'done' },
    { type: 'done', text: 'x', project: '/elsewhere' },
  ])('PRJ-1, PRJ-2, PRJ-5: %j is refused', async (input) => {
    expect((await call('progress', input, SPEAKING)).isError).toBe(true);
  });

  it('PRJ-7, PRJ-9: a person pauses, corrects, exports and clears', async () => {
    const path = repository;
    expect(await api.ok('POST', '/progress/pause', { path, paused: true })).toEqual({ ok: true });
    const paused = await call('progress', { type: 'blocked', text: 'x' }, SPEAKING);
    expect(paused.value).toEqual({ ok: true, recorded: false, reason: 'paused' });
    const { entries } = (await read()) as { entries: { id: string }[] };
    expect(await read()).toMatchObject({ paused: true });
    await api.ok('POST', '/progress/pause', { path, paused: false });
    const id = entries[0]?.id ?? '';
    const corrected = await api.ok('PUT', `/progress/${id}`, { text: 'wrote all', id: 'another' });
    expect(corrected).toMatchObject({ id, text: 'wrote all', corrected_at: expect.any(Number) });
    expect((await api.request('PUT', `/progress/${id}`, { body: {} })).status).toBe(400);
    expect((await api.request('PUT', '/progress/nobody', { body: { text: 'x' } })).status).toBe(404);
    const query = `/progress/export?path=${encodeURIComponent(path)}`;
    const document = await api.request('GET', query);
    expect(document.headers['content-type']).toContain('text/markdown');
    expect(document.body.toString()).toContain('**done** wrote all');
    expect(await api.ok('GET', `${query}&format=json`)).toEqual([corrected]);
    expect(await api.ok('POST', '/progress/clear', { path })).toEqual({ removed: 1 });
    expect(await read()).toMatchObject({ entries: [] });
  });

  it('PRJ-4: the switch for all takes the tool away, the one of an agent answers', async () => {
    const names = async () => (await rpc('tools/list', {})).result.tools.map(({ name }) => name);
    expect(await names()).toContain('progress');
    await front.config.save({ progress_tracking: false });
    expect(await names()).not.toContain('progress');
    const input = { type: 'done', text: 'x' };
    expect((await call('progress', input)).value.error).toContain('switched off');
    await front.config.save({ progress_tracking: true });
    await api.ok('PUT', '/config/agents', { agents: { codex: { progress_tracking: false } } });
    front.sessions.state = { awaiting_input: false, rate_limited: false, last_activity_ms: 1, agent_type: 'codex' };
    const off = await call('progress', input, SPEAKING);
    expect(off.value.error).toContain('progress_tracking_disabled');
  });
});
