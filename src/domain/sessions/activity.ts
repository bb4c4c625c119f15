/** What is read from the output of a program. A room above brings the reader; sessions only asks it. */
import type { SessionState } from '../../contract/index.ts';

/** What a program is doing, as far as its output tells. */
export type ProgramActivity = Omit<
  SessionState,
  'last_activity_ms' | 'limited_until_ms' | 'terminal_mode' | 'application_cursor_keys' | 'bracketed_paste'
>;

/**
 * Why no line may be typed at the program now; undefined: it may. One predicate for what is told and for what is done (S01),
 * so that nothing is called ready that a submission would refuse.
 */
export type TypingRefusal = 'not_managed' | 'not_idle' | 'unconfirmed' | 'composer_not_empty' | 'dialog_open';

/** What stands in the program's input line; `unknown` counts as not empty everywhere (BUF-3). */
export type ComposerState = 'empty' | 'partial' | 'cleared' | 'unknown';

/** How the typing of a line ended: all of it was handed over, none of it, or nobody knows. */
export type TypingOutcome = 'submitted' | 'untouched' | 'uncertain';

/** The right to type one line. Settled exactly once; until then the program counts as busy. */
export interface TypingClaim {
  /** The turn epoch in which it was given. */
  readonly epoch: number;
  settle(outcome: TypingOutcome): void;
}

/** The visible rows as plain text, unfiltered; the cursor counts cells from 0. */
export interface ScreenRows {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  readonly isAlternate: boolean;
}

/** What the process table says of the program in front. */
export interface ForegroundProgram {
  /** The agent that it is, by how it was started. */
  agent: string | undefined;
  /** A shell waits for commands, so no agent is in front. */
  isShell: boolean;
}

/** From which evidence the activity was read, for a person who wonders why. */
export interface ActivityEvidence {
  agent_type_by?: 'program_status' | 'foreground' | 'declared';
  shell_state_by?:
    | 'exit'
    | 'typing'
    | 'program_status'
    | 'hook'
    | 'shell_marks'
    | 'submission'
    | 'screen'
    | 'ready_screen'
    | 'output'
    | 'silence';
  /** Idle by a marker or by a screen that was ready for long enough; never by silence (STM-30). */
  is_confirmed?: boolean;
  turn_epoch?: number;
  composer?: ComposerState;
  /** Why no line may be typed now; absent when it may. */
  typing_refusal?: TypingRefusal;
  /** What the adapter of the agent makes of the newest rows. */
  screen?: string;
  /** What the program says of itself and of its children, as it stands. Untrusted text. */
  program_status: readonly object[];
  /** Reports of it that were none, or one too many. */
  dropped_reports: number;
  /** Hook markers that were not believed (STM-51). */
  foreign_markers?: number;
}

/**
 * Reads what the program of one terminal is doing. A pure function of what it is given: it knows no timers, its caller asks
 * when the time has come. Times are those of the monotonic clock; where none is given, that of the input before counts.
 */
export interface ActivityReader {
  /** Something was written. */
  output(at: number): void;
  /** A command of the program (OSC); `data` follows the number. Untrusted. */
  command(code: number, data: string, at?: number): void;
  /** The title of the window. Untrusted. */
  title(title: string, at: number): void;
  /** The rows after they were parsed; only asked for while `isAgent`. */
  screen(view: ScreenRows, at: number): void;
  /** Everything that is written to the program by anybody, in order. */
  input(bytes: Uint8Array, at: number): void;
  /** What was written may not have arrived. */
  inputLost(): void;
  resized(at: number): void;
  /** What runs in front, each time somebody looked; null: nobody can tell. */
  foreground(program: ForegroundProgram | null, at: number): void;
  /** The agent's own id of its conversation, as its hook told it. */
  readonly conversation: string | undefined;
  /** It may be another program that is in front now: somebody is to look, and until then nothing may be typed. */
  readonly wantsForeground: boolean;
  /** The process table is to be read for it: what it left running may still be work (STM-33). */
  readonly wantsProcesses: boolean;
  /** Names of what it left running, from a table that was read at `at`; null: it could not be read. */
  processes(work: readonly string[] | null, at: number): void;
  /** Looks what the time until now has changed; true when something did. */
  tick(at: number): boolean;
  /** When to look next; undefined while nothing waits for time to pass. */
  dueAt(): number | undefined;
  /** The machine slept: silence until now says nothing (STM-10). */
  woke(at: number): void;
  /** The program has ended. */
  end(): void;
  read(): ProgramActivity;
  explain(): ActivityEvidence;
  /** An agent is known, so rows are worth reading. */
  readonly isAgent: boolean;
  typingRefusal(): TypingRefusal | undefined;
  /** Counts the inputs that were submitted (STM-25). */
  readonly epoch: number;
  readonly composer: ComposerState;
  /** From idle to busy in one step, for a line about to be typed; or why not. */
  claim(): TypingClaim | TypingRefusal;
  /** What a server after this one must know (STM-50); plain data. */
  checkpoint(): unknown;
  /** After a restart: what an earlier server stored, or undefined. What it does not hold is unknown, never idle. */
  restore(state: unknown): void;
}
