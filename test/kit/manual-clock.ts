/**
 * A clock that stands still until a test moves it. Timers run in order of their due time, then of their creation; time read
 * inside a callback is the due time of that callback. The wall clock and the monotonic clock move together, except by `jump`.
 */
import { type Clock, type Disposable, toDisposable } from '../../src/base/index.ts';

interface Timer {
  due: number;
  readonly order: number;
  readonly interval: number | undefined;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  #elapsed = 0;
  #epoch: number;
  #order = 0;
  readonly #timers = new Set<Timer>();
  readonly #waiting = new Set<{ readonly dueWithin: number; readonly resolve: () => void }>();

  constructor(epochMilliseconds = 1_700_000_000_000) {
    this.#epoch = epochMilliseconds;
  }

  now(): number {
    return this.#epoch + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    return this.#schedule(milliseconds, undefined, callback);
  }

  every(milliseconds: number, callback: () => void): Disposable {
    if (!(milliseconds > 0)) throw new RangeError('an interval must be longer than 0 ms');
    return this.#schedule(milliseconds, milliseconds, callback);
  }

  /** Number of timers that are armed. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer is due, or undefined when none is armed. */
  get nextTimer(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.due - this.#elapsed;
  }

  /** Moves time and runs every timer that falls due, in order, without leaving the current turn. */
  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    for (let timer = this.#next(); timer !== undefined && timer.due <= end; timer = this.#next()) this.#fire(timer);
    this.#elapsed = end;
  }

  /** As `advance`, but lets promises and sockets run between the timers, so that chains of timers are followed. */
  async advanceAsync(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await settle();
    for (let timer = this.#next(); timer !== undefined && timer.due <= end; timer = this.#next()) {
      this.#fire(timer);
      await settle();
    }
    this.#elapsed = end;
    await settle();
  }

  /** Resolves as soon as a timer is armed that is due within `dueWithin` milliseconds (now, when there is one). */
  timerArmed(dueWithin = Number.POSITIVE_INFINITY): Promise<void> {
    for (const timer of this.#timers) if (timer.due - this.#elapsed <= dueWithin) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ dueWithin, resolve }));
  }

  /** The wall clock jumps (daylight, NTP, suspend); monotonic time and timers do not notice. */
  jump(milliseconds: number): void {
    this.#epoch += milliseconds;
  }

  #schedule(milliseconds: number, interval: number | undefined, callback: () => void): Disposable {
    const delay = Math.max(0, milliseconds);
    const timer: Timer = { due: this.#elapsed + delay, order: this.#order++, interval, callback };
    this.#timers.add(timer);
    for (const waiter of [...this.#waiting]) {
      if (delay > waiter.dueWithin) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
    return toDisposable(() => this.#timers.delete(timer));
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.due < next.due || (timer.due === next.due && timer.order < next.order))
        next = timer;
    }
    return next;
  }

  #fire(timer: Timer): void {
    this.#elapsed = Math.max(this.#elapsed, timer.due);
    if (timer.interval === undefined) this.#timers.delete(timer);
    else timer.due += timer.interval;
    timer.callback();
  }
}

/** Lets everything that is ready run: promises first, then one turn of the loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
