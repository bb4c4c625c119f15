/** What the mail room knows of a message and of an inbox, as plain data (mcp.md 7). */

/** Who owes the recipient the one announcement of a message (MSG-40). */
export type WakeOwner = 'none' | 'waiter' | 'channel' | 'terminal';
/** Whether its announcement reached the recipient's terminal, channel or wait. */
export type Shown = 'no' | 'yes' | 'uncertain';

/** A message without its text, which stays in the table until it is asked for. */
export interface Letter {
  readonly id: string;
  /** An identity, or the pending marker of a parent that has none yet. */
  recipient: string;
  /** MSG-31: unix milliseconds, and the place in the recipient's order. */
  stamp: number;
  readonly sender: string;
  readonly senderName: string;
  readonly replyTo: string | null;
  readonly thread: string | null;
  readonly priority: 'interrupt' | null;
  /** Of a machine notice: the session it is about, what it says of it, and with which exit code. */
  readonly child: string | null;
  readonly state: string | null;
  readonly exitCode: number | null;
  readonly bufferedAt: number;
  owner: WakeOwner;
  shown: Shown;
  shownAt: number | null;
  /** Returned by a wait or an inbox read. */
  observedAt: number | null;
}

/** How the notices of an orchestrator stand (MSG-73 to MSG-77). */
export interface Gate {
  /** A notice was shown and no read has come since: it covers what comes meanwhile. */
  isPending: boolean;
  /** Uncertain attempts for the unread group. */
  attempts: number;
  exhausted: 'untouched' | 'uncertain' | null;
  uncertainAt: number | null;
  /** Stands while one is being typed (D15). */
  startedAt: number | null;
}

export interface Box {
  readonly identity: string;
  /** Stamp of the newest message that ever lay here. */
  newest: number;
  /** MSG-36: everything up to here was read. */
  cursor: number;
  /** Dropped unread, and not told yet (MSG-33). */
  missed: number;
  gate: Gate;
}

export const SENDER_OF_NOTICES = 'tuic';
export const NOTICE_ID = 'tuic-auto-';

export function isNotice(letter: Pick<Letter, 'id'>): boolean {
  return letter.id.startsWith(NOTICE_ID);
}

export function openGate(): Gate {
  return { isPending: false, attempts: 0, exhausted: null, uncertainAt: null, startedAt: null };
}

/** What became of a child, for its parent (MSG-81). */
export interface ChildNotice {
  child: string;
  state: 'idle' | 'completed' | 'awaiting_input' | 'exited' | 'lost' | 'prompt_delivery_failed';
  exitCode?: number | undefined;
  prompt?: string | undefined;
  reason?: string | undefined;
}
