/** Where a call comes from, for a person who sees its effect (UI-1, UI-3). Nothing is guessed. */
import type { SessionInfo } from '../../contract/index.ts';

export interface OriginSources {
  sessions: { list(): SessionInfo[] };
  peers: { get(identity: string): { readonly project?: string | null | undefined } | undefined };
  repositories: { rootOf(path: string): Promise<string> };
}

export interface Origin {
  /** The terminal that the caller has. */
  origin_session_id?: string;
  origin_repo_path?: string;
}

/** The place is the project of the peer, else the folder of its terminal, else the repository of its protocol session (TRN-8). */
export function createOriginFinder({ sessions, peers, repositories }: OriginSources) {
  return async (caller: { identity: string | undefined; root: string | undefined }): Promise<Origin> => {
    const { identity, root } = caller;
    const isOwn = (info: SessionInfo) =>
      identity !== undefined && info.tuic_session === identity && info.lifecycle === 'live';
    const own = sessions.list().find(isOwn);
    const project = identity === undefined ? undefined : peers.get(identity)?.project;
    const named = project ?? own?.cwd ?? own?.worktree_path ?? undefined;
    const place = named ?? (root === undefined ? undefined : await repositories.rootOf(root));
    return {
      ...(own === undefined ? {} : { origin_session_id: own.session_id }),
      ...(place === undefined ? {} : { origin_repo_path: place }),
    };
  };
}
