/** The process table for all sessions, read only when somebody asks and at most once a second (STM-33). */
import { type Clock, delay } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import type { ProcessEntry, ProcessTable } from '../../platform/process/index.ts';

export interface ProcessSnapshot {
  /** Null where the kernel cannot be asked. */
  entries: readonly ProcessEntry[] | null;
  /** Monotonic milliseconds at which the reading began. */
  takenAt: number;
}

export class ProcessSnapshots {
  readonly #table: ProcessTable;
  readonly #clock: Clock;
  #next: Promise<ProcessSnapshot> | undefined;
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(table: ProcessTable, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** One that is read after this call; all who ask before its reading begins share it. */
  take(): Promise<ProcessSnapshot> {
    this.#next ??= this.#read();
    return this.#next;
  }

  async #read(): Promise<ProcessSnapshot> {
    const wait = this.#takenAt + DEADLINES.stateTick - this.#clock.monotonic();
    await (wait > 0 ? delay(this.#clock, wait) : undefined);
    // Who asks from here on wants to see what happens from here on.
    this.#next = undefined;
    this.#takenAt = this.#clock.monotonic();
    const takenAt = this.#takenAt;
    return { entries: await this.#table.all(), takenAt };
  }
}
