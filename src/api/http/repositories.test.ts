/** Repositories over REST and over MCP: `repo list`, `repo active`, `/repo/info`, and what else knows of them (REP-1, REP-2, INS-3, TRN-8). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { openEvents } from '../../../test/kit/event-client.ts';
import { startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const cleanup = cleanupAfterAll();
let front: TestFront;
let api: ApiClient;
let folder: string;
let app: string;
let notes: string;

async function rpc(method: string, params: object, headers: Record<string, string> = {}) {
  const answer = await api.request('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method, params }, headers });
  const { result } = answer.json() as {
    result: { instructions: string; isError: boolean; content: { text: string }[] };
  };
  return { session: String(answer.headers['mcp-session-id']), result };
}

async function call(name: string, input: object, headers: Record<string, string> = {}) {
  const { result } = await rpc('tools/call', { name, arguments: input }, headers);
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as unknown };
}

const register = (document: unknown) => api.ok('PUT', '/config/repositories', document);

beforeAll(async () => {
  front = await startFront(cleanup);
  api = new ApiClient(front.ipc);
  folder = await cleanup.temporaryDirectory('tuic-r-');
  app = join(folder, 'app');
  notes = join(folder, 'notes');
  // Enough for git to take it for one; nothing is committed yet.
  for (const inner of ['objects', 'refs/heads']) await mkdir(join(app, '.git', inner), { recursive: true });
  await writeFile(join(app, '.git', 'HEAD'), 'ref: refs/heads/feature/x\n');
  await writeFile(join(app, 'new'), '');
  await mkdir(notes);
  await register({
    repos: { [notes]: {}, [app]: { displayName: 'My App' } },
    repoOrder: [app, notes],
    groups: { g: { name: 'Work', repoOrder: [app] } },
    activeRepoPath: app,
  });
});

describe('repo', () => {
  const about = () => ({ path: app, name: 'My App', branch: 'feature/x', status: 'dirty' });

  it('REP-1: list tells each in the order of the person, the same over REST', async () => {
    const { isError, value } = await call('repo', { action: 'list' });
    expect([isError, value]).toEqual([
      false,
      [
        { ...about(), is_git_repo: true, group: 'Work' },
        { path: notes, name: 'notes', branch: '', status: 'not-git', is_git_repo: false },
      ],
    ]);
    expect(await api.ok('GET', '/repo/list')).toEqual(value);
  });

  it('REP-2: active tells the one that the person looks at, the same over REST', async () => {
    const { value } = await call('repo', { action: 'active' });
    expect(value).toEqual({ ...about(), group: 'Work' });
    expect(await api.ok('GET', '/repo/active')).toEqual(value);
  });

  it('RepoInfo is of any folder; what is no path is 400', async () => {
    const info = (path: string) => api.ok('GET', `/repo/info?${new URLSearchParams({ path })}`);
    expect(await info(`${app}/`)).toEqual({ ...about(), initials: 'MA', is_git_repo: true });
    expect(await info(join(folder, 'gone'))).toMatchObject({ name: 'gone', branch: '', status: 'not-git' });
    for (const query of ['', '?path=', '?path=app', '?path=/a/../b', '?path=/a%00', '?path=~other/x']) {
      expect((await api.get(`/repo/info${query}`)).status, query).toBe(400);
    }
  });

  it('TOOL-1: has no action yet but these three', async () => {
    const { isError, value } = await call('repo', { action: 'worktree_list', path: app });
    expect([isError, value]).toEqual([
      true,
      { error: expect.stringMatching(/There are: list, active, progress_list$/) },
    ]);
  });
});

it('INS-3: the instructions name the repositories', async () => {
  const { result } = await rpc('initialize', {});
  expect(result.instructions).toContain(`Repositories:\n- ${app}\n- ${notes}\n`);
});

it('TRN-7, TRN-8: the root of a client counts as the repository that holds it, until the client names another', async () => {
  const events = await openEvents(front.local);
  cleanup.defer(() => events.cut());
  const origin = async (title: string, session: string) => {
    await call('ui', { action: 'toast', title }, { 'mcp-session-id': session });
    await events.event('mcp-toast', (data) => data.title === title);
    return events.named('mcp-toast').at(-1)?.data.origin_repo_path;
  };
  const { session } = await rpc('initialize', { roots: [{ uri: `file://${app}/src/deep` }] });
  expect(await origin('inside', session)).toBe(app);
  await rpc('initialize', {}, { 'mcp-session-id': session });
  expect(await origin('said nothing new', session)).toBe(app);
  await rpc('initialize', { roots: [`${app}-other`] }, { 'mcp-session-id': session });
  expect(await origin('beside', session)).toBe(`${app}-other`);
  const { session: silent } = await rpc('initialize', {});
  expect(await origin('none', silent)).toBeUndefined();
});

it('a list that cannot be read refuses who asks for it, and nobody else', async () => {
  await writeFile(join(front.configDirectory, 'repositories.json'), '{ broken');
  expect((await api.get('/repo/list')).status).toBe(500);
  const { isError, value } = await call('repo', { action: 'list' });
  expect([isError, value]).toEqual([true, { error: expect.stringContaining('repositories.json') }]);
  expect((await rpc('initialize', {})).result.instructions).not.toContain('Repositories:');
  expect(await api.ok('GET', `/repo/info?path=${app}`)).toMatchObject({ name: 'app', branch: 'feature/x' });
});
