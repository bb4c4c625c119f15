/** `progress` and `repo progress_list`: where the caller works goes in with what it reports (PRJ-2). */
import type { SessionInfo } from '../../contract/index.ts';
import { type Actions, runAction } from '../actions.ts';
import type { Projection } from './tool-context.ts';

export interface ProgressSources {
  sessions: { list(): SessionInfo[]; workingFolder(id: string): Promise<string | null> };
  peers: {
    get(identity: string): { readonly name?: string; readonly project?: string | null | undefined } | undefined;
  };
}

export function createProgressProjections(actions: Actions, { sessions, peers }: ProgressSources) {
  const progress: Record<string, Projection> = {
    '': async ({ type, text, step }, context) => {
      const { identity, root } = context;
      const own = sessions
        .list()
        .find(
          ({ tuic_session, lifecycle }) => identity !== undefined && tuic_session === identity && lifecycle === 'live',
        );
      const peer = identity === undefined ? undefined : peers.get(identity);
      const folder = own === undefined ? undefined : ((await sessions.workingFolder(own.session_id)) ?? own.cwd);
      const input = {
        type,
        text,
        step,
        project: peer?.project ?? undefined,
        folder: folder ?? undefined,
        root,
        agent_type: own?.state?.agent_type,
        peer_name: peer?.name,
        session_id: own?.session_id,
      };
      return runAction(actions['progress.record'], input, context);
    },
  };
  const progress_list: Projection = async ({ path, limit, since, kind }, context) => {
    const { entries, next_since } = await runAction(actions['progress.list'], { path, limit, since, kind }, context);
    return { entries, next_since };
  };
  return { progress, progress_list };
}
