/** Which session a person means. */
import type { Client } from '../client/index.ts';
import { EXIT_CODES, type SessionInfo } from '../contract/index.ts';
import { CliFailure } from './failure.ts';
import { toSafeText } from './text.ts';

/** By id, identity or alias, as the server would (ADR-2). */
export function matchSession(sessions: readonly SessionInfo[], ref: string): SessionInfo | undefined {
  return (
    sessions.find((session) => session.session_id === ref) ??
    sessions.findLast((session) => session.tuic_session === ref && session.lifecycle === 'live') ??
    sessions.findLast((session) => session.tuic_session === ref) ??
    sessions.find((session) => session.alias === ref)
  );
}

/** The same; a failure names what there is. */
function findSession(sessions: readonly SessionInfo[], ref: string): SessionInfo {
  const found = matchSession(sessions, ref);
  if (found !== undefined) return found;
  throw new CliFailure(EXIT_CODES.notFound, `No session "${toSafeText(ref)}". ${describeChoices(sessions)}`);
}

/** For somebody who named one that is not there. */
export function describeChoices(sessions: readonly SessionInfo[]): string {
  const names = sessions.filter(({ lifecycle }) => lifecycle === 'live').map(nameOf);
  return names.length === 0 ? 'There are none; open one with "tuic new"' : `There are: ${names.join(', ')}`;
}

/** Ended sessions that are still readable included. */
export async function lookUpSession(client: Client, ref: string): Promise<SessionInfo> {
  return findSession(await client.sessions.list({ all: true }), ref);
}

export function nameOf({ alias, session_id }: SessionInfo): string {
  return alias ?? session_id;
}
