/** What the mail room needs of the terminals and of the protocol sessions. */
import type { Disposable } from '../../base/index.ts';
import type { SessionInfo } from '../../contract/index.ts';

/** A live or lost terminal as the mail room sees it. */
export type MailTerminal = Pick<
  SessionInfo,
  'session_id' | 'alias' | 'lifecycle' | 'tuic_session' | 'state' | 'exit_code'
>;

export interface MailSessions {
  /** Live and lost ones; with `includeExited` those that can still be read. */
  list(options?: { includeExited?: boolean }): MailTerminal[];
  /** The session id behind any of three addresses; an unknown one unchanged (ADR-2). */
  resolve(ref: string): string;
  readonly settled: Promise<void>;
}

/** How a line that was to be typed ended: certain, without a byte, or nobody knows. */
export type TypingOutcome = 'typed' | 'untouched' | 'uncertain';

/** Types lines at programs (SUB-3, SUB-4, MSG-65). */
export interface LineTyper {
  /** Nothing is ever typed, so nothing is to wait for it. */
  readonly isOff?: true;
  /** Why nothing may be typed there now; undefined: it may (MSG-63). */
  refusal(sessionId: string): string | undefined;
  /** Claims idle → busy in one step, and types. A claim that is lost is `untouched`. Never throws for a session that has gone. */
  type(sessionId: string, line: string): Promise<TypingOutcome>;
  /** Told with the session's id when what may be typed there has changed; never within a call of this interface. */
  onChange?(listener: (sessionId: string) => void): Disposable;
}

/** The protocol sessions, for pushes (MSG-60). */
export interface Presence {
  isLive(protocolSession: string): boolean;
  /** It is a Claude Code session with an open stream. */
  hasChannel(protocolSession: string): boolean;
  /** False when the stream could not take it. */
  send(protocolSession: string, message: object): boolean;
}

/** Without terminals: mail stays in the inbox. */
export const nobodyTypes: LineTyper = { isOff: true, refusal: () => 'off', type: () => Promise.resolve('untouched') };
