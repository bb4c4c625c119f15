/** The actions of `agent` that are about mail, and the tool `task`: who the caller is goes in, the shapes of mcp.md 7 and 8 come out. */
import { AppError } from '../../contract/index.ts';
import type { MailService } from '../../domain/mail/index.ts';
import { claimsOf } from '../../domain/peers/index.ts';
import { type Actions, runAction } from '../actions.ts';
import type { Projection, ToolContext } from './tool-context.ts';

/** MSG-3, MSG-94: nobody known is another answer than no mail. */
function identityOf({ identity, protocolSession }: ToolContext, mail: Pick<MailService, 'ensurePeer'>): string {
  if (identity === undefined)
    throw new AppError(protocolSession === undefined ? 'mail_no_session' : 'mail_not_registered');
  // Of a stateless call nothing was bound before.
  if (protocolSession === undefined) mail.ensurePeer(identity);
  return identity;
}

export function createMailProjections(
  actions: Actions,
  mail: Pick<MailService, 'ensurePeer'>,
): Record<string, Projection> {
  return {
    register: async (input, context) => {
      if (context.protocolSession === undefined) throw new AppError('mail_no_session');
      const { tuic_session, replaces, name, project, orchestrator } = input;
      return runAction(
        actions['mail.register'],
        { protocol_session: context.protocolSession, tuic_session, replaces, name, project, orchestrator },
        context,
      );
    },
    list_peers: ({ project }, context) => runAction(actions['mail.peers'], { project }, context),
    send: async ({ to, message, reply_to, thread, priority, client_key }, context) => {
      const from = identityOf(context, mail);
      const input = { from, to, message, reply_to, thread, priority, client_key };
      return runAction(actions['mail.send'], input, context);
    },
    inbox: async ({ since, limit, query, message_id }, context) => {
      const identity = identityOf(context, mail);
      if (message_id !== undefined) return runAction(actions['mail.status'], { identity, message_id }, context);
      if (query !== undefined) return runAction(actions['mail.search'], { identity, query, limit }, context);
      return runAction(actions['mail.inbox'], { identity, since, limit }, context);
    },
    wait: async ({ timeout_ms, since }, context) => {
      const identity = identityOf(context, mail);
      const input = { identity, protocol_session: context.protocolSession, timeout_ms, since };
      return runAction(actions['mail.wait'], input, context);
    },
  };
}

export function createTaskProjections(actions: Actions): Record<string, Projection> {
  return {
    get: ({ task_id }, context) => runAction(actions['task.get'], { task_id, claims: claimsOf(context) }, context),
    cancel: ({ task_id }, context) =>
      runAction(actions['task.cancel'], { task_id, claims: claimsOf(context) }, context),
  };
}
