/**
 * What is told of a session with a dot and a word, in the workspace and on the phone. Only what the server knows counts: nothing is
 * guessed from what a page sees.
 */
import type { PendingConfirm, SessionInfo } from '../../src/contract/index.ts';
import { cleanText, plainRow } from './labels.ts';

/** A longer one is no suggestion, and must not be cut before it is given back. */
const LONGEST_SUGGESTION = 300;

/** In the order in which one hides another. */
type StatusKind =
  | 'closing'
  | 'lost'
  | 'failed'
  | 'ended'
  /** A question or a choice is open. */
  | 'asks'
  | 'limited'
  /** It told an error, and goes on with nothing. */
  | 'error'
  | 'working'
  /** It says that its task is done. */
  | 'done'
  | 'idle'
  /** Nothing is known of it but that it lives. */
  | 'running';

/** Told of agents only: of a shell it says nothing that the terminal beside it does not. */
const STATUS_WORDS: Readonly<Record<StatusKind, string>> = {
  closing: 'closing',
  lost: 'lost: its terminal host ended',
  failed: 'failed',
  ended: 'ended',
  asks: 'waits for you',
  limited: 'rate limited',
  error: 'error',
  working: 'working',
  done: 'done',
  idle: 'idle',
  running: 'running',
};

type Known = SessionInfo & { isClosing?: boolean };

export function statusOf(session: Known): StatusKind {
  if (session.isClosing === true) return 'closing';
  if (session.lifecycle === 'lost') return 'lost';
  if (session.lifecycle === 'exited') return (session.exit_code ?? 0) === 0 ? 'ended' : 'failed';
  const { state } = session;
  if (state === undefined) return 'running';
  if (state.awaiting_input || state.choice_prompt !== undefined) return 'asks';
  if (state.rate_limited) return 'limited';
  if (state.last_error !== undefined && state.agent_state !== 'working') return 'error';
  switch (state.agent_state) {
    case 'working':
      return 'working';
    case 'completed':
      return 'done';
    case 'idle':
      return 'idle';
    // 'starting' too: nothing is known of it yet.
    default:
      return 'running';
  }
}

export function describeStatus(session: Known): string {
  const status = statusOf(session);
  if (status !== 'failed') return STATUS_WORDS[status];
  return `ended with exit code ${session.exit_code ?? 'unknown'}`;
}

/** The word beside the dot; undefined where there is nothing to tell. */
export function statusWord(session: Known): string | undefined {
  const status = statusOf(session);
  const isAgent = session.state?.agent_type !== undefined;
  if (status === 'asks' || status === 'limited' || status === 'error') return STATUS_WORDS[status];
  return isAgent && session.lifecycle === 'live' ? STATUS_WORDS[status] : undefined;
}

/** What it is about, on one line: the question, the choice, the error, what it does. */
export function statusDetail(session: Known): string | undefined {
  const { state } = session;
  if (state === undefined) return undefined;
  const status = statusOf(session);
  if (status === 'asks') return textOf(state.question_text) ?? textOf(state.choice_prompt?.title);
  if (status === 'error') return textOf(state.last_error);
  // What it was about to do is of no interest once it rests.
  return status === 'working' ? (textOf(state.agent_intent) ?? textOf(state.current_task)) : undefined;
}

/** How much of its allowance the agent says is used, such as `81 % used`. */
export function usageText({ state, lifecycle }: Known): string | undefined {
  const used = lifecycle === 'live' ? state?.usage_limit_pct : undefined;
  return used === undefined ? undefined : `${Math.round(used)} % used`;
}

/** What it offers to do next, while nothing else is asked of it: each on one line, as it would be given to it. */
export function suggestionsOf(session: Known): readonly string[] {
  if (statusOf(session) !== 'done') return [];
  return (session.state?.suggested_actions ?? [])
    .filter((text) => text.length <= LONGEST_SUGGESTION)
    .map((text) => plainRow(text).trim())
    .filter((text) => text !== '');
}

function textOf(text: string | undefined): string | undefined {
  const clean = cleanText(text ?? '');
  return clean === '' ? undefined : clean;
}

/** Ids of the sessions that wait for a person, in the order given: what they say of themselves, and what was asked for them. */
export function waitingIds(sessions: Iterable<Known>, questions: readonly PendingConfirm[]): string[] {
  const asked = new Set(questions.map((question) => question.origin_session_id));
  return [...sessions]
    .filter(
      (session) => statusOf(session) === 'asks' || (session.lifecycle === 'live' && asked.has(session.session_id)),
    )
    .map((session) => session.session_id);
}

/** How many questions wait, those of nobody known among them. */
export function waitingCount(sessions: Iterable<Known>, questions: readonly PendingConfirm[]): number {
  const listed = [...sessions];
  const waiting = waitingIds(listed, questions);
  const others = questions.filter(({ origin_session_id: id }) => id === undefined || !waiting.includes(id));
  return waiting.length + others.length;
}

/** The one after `current` in their order, from the first again after the last; undefined when no other waits. */
export function nextWaiting(
  order: readonly string[],
  waiting: readonly string[],
  current?: string,
): string | undefined {
  const at = current === undefined ? -1 : order.indexOf(current);
  const turned = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return turned.find((id) => id !== current && waiting.includes(id));
}
