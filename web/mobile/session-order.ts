/** The order of the phone's list: who needs me, then by activity. Only what the server knows counts; nothing is guessed (P3). */
import type { SessionInfo } from '../../src/contract/index.ts';
import { statusDetail, statusOf } from '../shared/session-status.ts';

export type Need =
  /** A question is open. */
  | { kind: 'question'; text: string | undefined }
  /** It told an error and does not go on. */
  | { kind: 'error'; text: string | undefined }
  /** Its terminal host ended; a person decides when it goes. */
  | { kind: 'lost' }
  | { kind: 'failed'; exitCode: number };

export type Group = 'needs-you' | 'running' | 'ended';

export interface ListedSession {
  session: SessionInfo;
  group: Group;
  need: Need | undefined;
  /** Epoch milliseconds of the newest sign of life that is known. */
  activeAt: number;
}

const MINUTE = 60_000;
/** Ages that share a place: a list that is read with a thumb must not move with every line a program writes. */
const STEPS = [MINUTE, 10 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE, 24 * 60 * MINUTE];
const GROUPS: readonly Group[] = ['needs-you', 'running', 'ended'];
const NEEDS: readonly Need['kind'][] = ['question', 'error', 'failed', 'lost'];

export function needOf(session: SessionInfo): Need | undefined {
  if (session.lifecycle === 'lost') return { kind: 'lost' };
  if (session.lifecycle === 'exited') {
    return session.exit_code !== undefined && session.exit_code !== 0
      ? { kind: 'failed', exitCode: session.exit_code }
      : undefined;
  }
  const status = statusOf(session);
  if (status === 'asks') return { kind: 'question', text: statusDetail(session) };
  return status === 'error' ? { kind: 'error', text: statusDetail(session) } : undefined;
}

export function activityOf(session: SessionInfo): number {
  return Math.max(session.created_at, session.state?.last_activity_ms ?? 0);
}

function stepOf(age: number): number {
  const step = STEPS.findIndex((limit) => age < limit);
  return step < 0 ? STEPS.length : step;
}

export function orderSessions(sessions: Iterable<SessionInfo>, now: number): ListedSession[] {
  const listed = [...sessions].map((session): ListedSession => {
    const need = needOf(session);
    const group = need !== undefined ? 'needs-you' : session.lifecycle === 'exited' ? 'ended' : 'running';
    return { session, group, need, activeAt: activityOf(session) };
  });
  const rank = (one: ListedSession) => (one.need === undefined ? 0 : NEEDS.indexOf(one.need.kind));
  return listed.sort(
    (a, b) =>
      GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) ||
      rank(a) - rank(b) ||
      stepOf(now - a.activeAt) - stepOf(now - b.activeAt) ||
      b.session.created_at - a.session.created_at ||
      (a.session.session_id < b.session.session_id ? -1 : 1),
  );
}
