/** `agent spawn`: whose child it is and where its caller works go in with what the caller asks (mcp.md AGT-7, AGT-8). */
import type { MailService } from '../../domain/mail/index.ts';
import { ownerOf } from '../../domain/peers/index.ts';
import type { RepositoryService } from '../../domain/repositories/index.ts';
import type { SessionService } from '../../domain/sessions/index.ts';
import { type Actions, runAction } from '../actions.ts';
import type { Projection, ToolContext } from './tool-context.ts';

export interface SpawnProjectionDependencies {
  actions: Actions;
  sessions: SessionService;
  repositories: Pick<RepositoryService, 'rootOf'>;
  mail: Pick<MailService, 'ensurePeer'>;
}

export function createSpawnProjection(dependencies: SpawnProjectionDependencies): Projection {
  const { actions, sessions, repositories, mail } = dependencies;

  /** The folder of its terminal, else the repository that it named at `initialize`. */
  async function folderOf({ identity, root }: ToolContext): Promise<string | undefined> {
    const own = sessions
      .list()
      .find(
        ({ tuic_session, lifecycle }) => identity !== undefined && tuic_session === identity && lifecycle === 'live',
      );
    const folder = own === undefined ? undefined : ((await sessions.workingFolder(own.session_id)) ?? own.cwd);
    return folder ?? (root === undefined ? undefined : repositories.rootOf(root));
  }

  return async (input, context) => {
    const { identity } = context;
    // Of a stateless call nothing was bound before, and the notices of its child need an inbox.
    if (identity !== undefined) mail.ensurePeer(identity);
    const owner = ownerOf(context);
    const asked = { ...input, identity, owner, caller_folder: await folderOf(context) };
    return runAction(actions['agent.spawn'], asked, context);
  };
}
