/**
 * Input waiting for one program. Promises: what was accepted is written in order and whole, unless the terminal closes;
 * what does not fit under the cap is refused whole; a program that does not read costs a few attempts a second, never a
 * blocked or spinning loop.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { LIMITS } from '../../contract/index.ts';

/** Result of one attempt: bytes taken, or that the terminal takes none now, or none ever again. */
export type WriteAttempt = number | 'again' | 'closed';

interface Entry {
  readonly bytes: Uint8Array;
  at: number;
  /** Asked when the entry's turn has come; false drops it. */
  readonly isWanted: (() => boolean) | undefined;
}

const BACK_OFF_MIN = 1;
const BACK_OFF_MAX = 16;
/** Written in one turn of the loop at most. */
const TURN = 65_536;

export class WriteQueue {
  readonly #clock: Clock;
  readonly #write: (slice: Uint8Array) => WriteAttempt;
  #entries: Entry[] = [];
  #size = 0;
  #timer: Disposable | undefined;
  #backOff = BACK_OFF_MIN;
  #isClosed = false;

  constructor(clock: Clock, write: (slice: Uint8Array) => WriteAttempt) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Bytes accepted but not written. */
  get size(): number {
    return this.#size;
  }

  /** False when the cap would be passed; then nothing was queued. The bytes belong to the queue. */
  push(bytes: Uint8Array, isWanted?: () => boolean): boolean {
    if (this.#isClosed || this.#size + bytes.length > LIMITS.writeQueue) return false;
    if (bytes.length === 0) return true;
    this.#entries.push({ bytes, at: 0, isWanted });
    this.#size += bytes.length;
    if (this.#timer === undefined) this.#flush();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#entries = [];
    this.#size = 0;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #flush(): void {
    let turn = TURN;
    let done = 0;
    try {
      for (;;) {
        const entry = this.#entries[done];
        if (entry === undefined) return;
        if (entry.at === 0 && entry.isWanted?.() === false) {
          this.#size -= entry.bytes.length;
          done++;
          continue;
        }
        if (turn <= 0) {
          this.#later(0);
          return;
        }
        const attempt = this.#write(entry.bytes.subarray(entry.at, entry.at + LIMITS.writeSlice));
        if (attempt === 'closed') {
          this.close();
          return;
        }
        if (attempt === 'again' || attempt === 0) {
          this.#later(this.#backOff);
          this.#backOff = Math.min(this.#backOff * 2, BACK_OFF_MAX);
          return;
        }
        this.#backOff = BACK_OFF_MIN;
        turn -= attempt;
        entry.at += attempt;
        this.#size -= attempt;
        if (entry.at === entry.bytes.length) done++;
      }
    } finally {
      if (done > 0) this.#entries.splice(0, done);
    }
  }

  #later(milliseconds: number): void {
    this.#timer = this.#clock.after(milliseconds, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }
}
