/**
 * Whether the states that were told were right. It knows the journal of the fake model API, the times of keys and output bytes, and
 * what came on /events; nothing of how the state engine decides.
 */

/** `agent_state` of one session-state event, when it came. */
export interface ToldState {
  at: number;
  state: string | undefined;
}

/** What happened in one turn. All times on one clock, in milliseconds. */
export interface PlayedTurn {
  kind: string;
  submittedAt: number;
  /** Questions of the agent: since when it can have asked (the model's last byte), and the key that answered. */
  dialogs: readonly { askedAt: number; answeredAt: number }[];
  /** The model's last byte; of a turn that was interrupted or refused, the key that ended it. */
  endedAt: number;
  /** The agent said itself that it has ended (OSC 7501). */
  explicitAt: number | undefined;
  /** Times of output, in order. */
  outputs: readonly number[];
  /** When the next key was sent, or nobody looked any more. */
  until: number;
}

export interface Transition {
  what: 'begins' | 'asks' | 'goes on' | 'ends';
  /** Undefined: right. */
  wrong: string | undefined;
  /** After what caused it; undefined when it never came. */
  delay: number | undefined;
}

export interface Verdict {
  transitions: Transition[];
  falseIdle: number;
  falseCompleted: number;
}

const TO_BEGIN = 500;
const AFTER_EXPLICIT = 1_000;
const AFTER_OUTPUT = 3_500;
/** Whoever never stops drawing has no last output: the latest end, after the model's last byte. */
const LATEST = 6_000;
const TO_GO_ON = 1_000;
/** Times of two processes. */
const SLACK = 100;

const isEnd = (state: string | undefined) => state === 'idle' || state === 'completed';

export function judge(turn: PlayedTurn, told: readonly ToldState[]): Verdict {
  const { submittedAt, endedAt, until, dialogs } = turn;
  const inTurn = told.filter(({ at }) => at > submittedAt && at <= until);
  const falseEnds = inTurn.filter(({ at, state }) => at < endedAt - SLACK && isEnd(state));
  const stateAt = (time: number) => told.findLast(({ at }) => at <= time)?.state;
  return {
    transitions: [
      begins(turn, told, stateAt),
      ...dialogs.flatMap((dialog) => asks(dialog, turn, inTurn, stateAt)),
      ends(turn, inTurn),
    ],
    falseIdle: falseEnds.length,
    // No scene of these prints what completes a task.
    falseCompleted: inTurn.filter(({ state }) => state === 'completed').length,
  };
}

type StateAt = (time: number) => string | undefined;

function begins({ submittedAt, until }: PlayedTurn, told: readonly ToldState[], stateAt: StateAt): Transition {
  const what = 'begins';
  const before = stateAt(submittedAt - SLACK);
  if (!isEnd(before) && !isEnd(stateAt(submittedAt))) {
    return { what, wrong: `was ${before ?? 'nothing'} before`, delay: undefined };
  }
  const first = told.find(({ at, state }) => at > submittedAt - SLACK && at <= until && state === 'working');
  if (first === undefined) return { what, wrong: 'never worked', delay: undefined };
  const delay = Math.max(0, first.at - submittedAt);
  return { what, wrong: delay <= TO_BEGIN ? undefined : `worked after ${seconds(delay)}`, delay };
}

function asks(
  { askedAt, answeredAt }: PlayedTurn['dialogs'][number],
  { until }: PlayedTurn,
  inTurn: readonly ToldState[],
  stateAt: StateAt,
): Transition[] {
  const told = inTurn.find(({ at, state }) => at >= askedAt - SLACK && at <= answeredAt && state === 'awaiting_input');
  const standing = stateAt(answeredAt - SLACK);
  const after = stateAt(Math.min(answeredAt + TO_GO_ON, until));
  const left = inTurn.find(({ at, state }) => at > answeredAt && state !== 'awaiting_input');
  return [
    {
      what: 'asks',
      wrong: standing === 'awaiting_input' ? undefined : `was ${standing ?? 'nothing'} while it asked`,
      delay: told === undefined ? undefined : told.at - askedAt,
    },
    {
      what: 'goes on',
      wrong: after === 'awaiting_input' ? 'still awaits after the answer' : undefined,
      delay: left === undefined ? undefined : left.at - answeredAt,
    },
  ];
}

function ends({ endedAt, explicitAt, outputs }: PlayedTurn, inTurn: readonly ToldState[]): Transition {
  const what = 'ends';
  if (isEnd(inTurn.findLast(({ at }) => at < endedAt - SLACK)?.state))
    return { what, wrong: 'was idle before the end', delay: undefined };
  const end = inTurn.find(({ at, state }) => at >= endedAt - SLACK && isEnd(state));
  if (end === undefined) return { what, wrong: 'never ended', delay: undefined };
  const delay = Math.max(0, end.at - endedAt);
  const again = inTurn.find(({ at, state }) => at > end.at && !isEnd(state));
  if (again !== undefined) return { what, wrong: `${again.state ?? 'nothing'} again after the end`, delay };
  const lastOutput = outputs.findLast((at) => at <= end.at) ?? endedAt;
  const limit = explicitAt === undefined ? Math.max(lastOutput, endedAt) + AFTER_OUTPUT : explicitAt + AFTER_EXPLICIT;
  const isLate = end.at > Math.min(limit, endedAt + LATEST);
  return { what, wrong: isLate ? `ended after ${seconds(delay)}` : undefined, delay };
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;
