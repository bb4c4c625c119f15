/**
 * The one writer of a terminal: whatever is typed at its program goes out here, in the order in which it came (SUB-3).
 *
 * Owns the line that is being typed and what waits behind it. Ordering: while no line is typed, bytes are handed to the host
 * in the turn in which they come. A line holds everything else back until its Enter is handed over or it has failed; what
 * waited goes out then, in its order and in one turn, so a keystroke waits for the gap of one line and is never lost.
 * A line stays with the connection it began on: when that breaks before its Enter, nobody knows how much of it arrived.
 */
import { type Clock, delay } from '../../base/index.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';
import type { TypingRefusal } from './activity.ts';

const ENTER = Uint8Array.of(0x0d);

/** The right to type the next line at an agent; settled exactly once. */
export interface LineClaim {
  settle(outcome: 'submitted' | 'untouched' | 'uncertain'): void;
}

/** By what was handed to the terminal host: nothing; text and Enter; or nobody can say. */
export type WriteState = 'not_started' | 'complete' | 'uncertain';

export interface WrittenLine<Refusal> {
  write_state: WriteState;
  /** Where the program's output stood just before Enter; answers to the line lie past it. */
  offset: number;
  /** Why it was not begun. */
  refusal?: Refusal;
  /** Why nothing of it could be written. */
  failure?: AppError;
}

export type LineRefusal = TypingRefusal | 'bracketed_paste_off';
/** How a line of another room went. */
export type TypedLine = WrittenLine<LineRefusal>;

/** What a line needs when its turn comes; called once, and the first bytes follow in the same turn. */
export type BeginLine<Refusal> = () => { frame: Uint8Array; claim?: LineClaim } | { refusal: Refusal };

export interface WriterOptions {
  clock: Clock;
  /** Stands for the connection to the host; undefined while there is none. */
  connection: () => object | undefined;
  /** Hands bytes to the host, in this turn. */
  hand: (bytes: Uint8Array) => Promise<void>;
  /** Offset of the output that has come. */
  offset: () => number;
}

export class TerminalWriter {
  readonly #options: WriterOptions;
  #isHeld = false;
  #waiting: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  write(bytes: Uint8Array): Promise<void> {
    if (!this.#isHeld) return this.#options.hand(bytes);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => this.#options.hand(bytes).then(resolve, reject));
    });
  }

  typeLine<Refusal>(begin: BeginLine<Refusal>): Promise<WrittenLine<Refusal>> {
    if (!this.#isHeld) return this.#hold(begin);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => this.#hold(begin).then(resolve, reject));
    });
  }

  /** Resolves when no line is half typed. */
  idle(): Promise<void> {
    return this.#isHeld ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  async #hold<Refusal>(begin: BeginLine<Refusal>): Promise<WrittenLine<Refusal>> {
    this.#isHeld = true;
    try {
      return await this.#type(begin);
    } finally {
      this.#isHeld = false;
      this.#release();
    }
  }

  /** The next line that waits takes hold again, and the rest goes on waiting behind it. */
  #release(): void {
    while (!this.#isHeld) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      next();
    }
    if (this.#isHeld) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  async #type<Refusal>(begin: BeginLine<Refusal>): Promise<WrittenLine<Refusal>> {
    const { clock, connection, offset } = this.#options;
    const begun = begin();
    if ('refusal' in begun) return { write_state: 'not_started', offset: offset(), refusal: begun.refusal };
    const { frame, claim } = begun;
    const first = connection();
    if (first === undefined) {
      claim?.settle('untouched');
      const failure = new AppError('host_unavailable', { detail: 'it is not connected' });
      return { write_state: 'not_started', offset: offset(), failure };
    }
    let outcome: 'submitted' | 'untouched' | 'uncertain' = 'uncertain';
    try {
      const failure = await this.#refused(frame);
      if (failure !== undefined && isUntouched(failure)) {
        outcome = 'untouched';
        return { write_state: 'not_started', offset: offset(), failure };
      }
      if (failure !== undefined) return { write_state: 'uncertain', offset: offset() };
      // A program that reads text and Enter at once takes both for a paste (SUB-4).
      await delay(clock, gapAfter(frame));
      const before = offset();
      if (connection() !== first) return { write_state: 'uncertain', offset: before };
      if ((await this.#refused(ENTER)) !== undefined) return { write_state: 'uncertain', offset: before };
      outcome = 'submitted';
      return { write_state: 'complete', offset: before };
    } finally {
      claim?.settle(outcome);
    }
  }

  async #refused(bytes: Uint8Array): Promise<AppError | undefined> {
    try {
      await this.#options.hand(bytes);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}

/** What the terminal does not take at once is read by the program later, and its Enter must come later still. */
function gapAfter(frame: Uint8Array): number {
  const pieces = 1 + Math.floor(frame.length / LIMITS.writeSlice);
  return Math.min(pieces * DEADLINES.typingGap, DEADLINES.typingGapLongest);
}

/** The host refuses whole writes; only when the connection broke may it have taken one. */
function isUntouched({ code }: AppError): boolean {
  return code === 'session_not_live' || code === 'write_queue_full' || code === 'write_failed';
}
