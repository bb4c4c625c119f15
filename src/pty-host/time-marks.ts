/** Remembers roughly which offset the output had at which time, to tell how old a byte is. A mark each 100 ms at most. */
import type { Clock } from '../base/index.ts';

const SPACING = 100;
const KEPT = 32;

export class TimeMarks {
  readonly #clock: Clock;
  #marks: { readonly time: number; readonly offset: number }[] = [];
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a byte is about to be appended at `offset`: all before it is older than now. */
  mark(offset: number): void {
    const now = this.#clock.monotonic();
    this.#last = now;
    const newest = this.#marks.at(-1);
    if (newest !== undefined && now - newest.time < SPACING) return;
    this.#marks.push({ time: now, offset });
    if (this.#marks.length > KEPT) this.#marks.shift();
  }

  /** Every byte before the returned offset is at least `age` ms old. */
  offsetBefore(age: number, head: number): number {
    const limit = this.#clock.monotonic() - age;
    if (this.#last <= limit) return head;
    return this.#marks.findLast((mark) => mark.time <= limit)?.offset ?? 0;
  }
}
