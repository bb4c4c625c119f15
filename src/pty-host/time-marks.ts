/** Remembers roughly which offset the output had at which time, to tell how old a byte is. A mark each 100 ms at most. */
import type { Clock } from '../base/index.ts';

const SPACING = 100;
const KEPT = 32;

export class TimeMarks {
  readonly #clock: Clock;
  /** All bytes before `offset` had come by `time`. */
  #marks: { readonly time: number; readonly offset: number }[] = [];
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a byte is about to be appended at `offset`. */
  mark(offset: number): void {
    const before = this.#last;
    this.#last = this.#clock.monotonic();
    if (offset === 0) return;
    const newest = this.#marks.at(-1);
    if (newest !== undefined && before === newest.time) this.#marks.pop();
    else if (newest !== undefined && before < newest.time + SPACING) return;
    this.#marks.push({ time: before, offset });
    if (this.#marks.length > KEPT) this.#marks.shift();
  }

  /** Every byte before the returned offset is at least `age` ms old. */
  offsetBefore(age: number, head: number): number {
    const limit = this.#clock.monotonic() - age;
    if (this.#last <= limit) return head;
    return this.#marks.findLast((mark) => mark.time <= limit)?.offset ?? 0;
  }
}
