import type { SessionInfo } from '../../src/contract/index.ts';

/** A live session as the server lists it. */
export function sessionInfo(id: string, change: Partial<SessionInfo> = {}): SessionInfo {
  return {
    session_id: id,
    cwd: '/',
    worktree_path: null,
    worktree_branch: null,
    is_remote: false,
    lifecycle: 'live',
    created_at: 0,
    rows: 24,
    cols: 80,
    ...change,
  };
}
