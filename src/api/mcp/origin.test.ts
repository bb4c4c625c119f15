import { expect, it } from 'vitest';
import { sessionInfo } from '../../../test/kit/session-info.ts';
import type { SessionInfo } from '../../contract/index.ts';
import { createOriginFinder } from './origin.ts';

const ME = '11111111-2222-4333-8444-555555555555';

function find(parts: { own?: Partial<SessionInfo>; project?: string | null; identity?: string; root?: string }) {
  const finder = createOriginFinder({
    sessions: {
      list: () => (parts.own === undefined ? [] : [sessionInfo('s', { tuic_session: ME, ...parts.own })]),
    },
    peers: { get: (identity) => (identity === ME ? { project: parts.project } : undefined) },
    repositories: { rootOf: async (path) => `root of ${path}` },
  });
  return finder({ identity: parts.identity, root: parts.root });
}

it('UI-3: the project of the peer, then the folder of its terminal, then the repository of its protocol session', async () => {
  const own = { cwd: '/terminal', worktree_path: '/worktree' };
  const all = { own, project: '/project', identity: ME, root: '/root' };
  const session = { origin_session_id: 's' };
  expect(await find(all)).toEqual({ ...session, origin_repo_path: '/project' });
  expect(await find({ ...all, project: null })).toEqual({ ...session, origin_repo_path: '/terminal' });
  const moved = { ...own, cwd: null };
  expect(await find({ ...all, project: null, own: moved })).toEqual({ ...session, origin_repo_path: '/worktree' });
  const nowhere = { cwd: null, worktree_path: null };
  expect(await find({ ...all, project: null, own: nowhere })).toEqual({
    ...session,
    origin_repo_path: 'root of /root',
  });
  expect(await find({ own: nowhere, identity: ME })).toEqual(session);
});

it('UI-3: without a terminal of its own a caller has none, and only what it said itself is its place', async () => {
  expect(await find({ root: '/root' })).toEqual({ origin_repo_path: 'root of /root' });
  expect(await find({})).toEqual({});
  const other = '22222222-2222-4333-8444-555555555555';
  expect(await find({ own: { cwd: '/terminal' }, identity: other })).toEqual({});
  expect(await find({ own: { cwd: '/terminal', lifecycle: 'lost' }, identity: ME })).toEqual({});
  // An own session never counts as that of a caller without identity.
  expect(await find({ own: { cwd: '/terminal', tuic_session: '' } })).toEqual({});
});
