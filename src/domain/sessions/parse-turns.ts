/**
 * When one session's output is parsed, and who waits for that. Somebody who watches or asks makes it urgent; else the output
 * is left until the session is quiet or much of it waits.
 *
 * Ordering: a turn parses first, then tells its owner (`onTurn`), then those who waited, so that whoever waited sees a
 * screen that is up to date.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import type { ParseJob, ParseScheduler } from './parse-scheduler.ts';
import type { ScreenEngine } from './screen/model.ts';

export interface ParseTurnsOptions {
  engine: ScreenEngine;
  clock: Clock;
  scheduler: ParseScheduler;
  /** True while somebody sees the screen as it changes. */
  isWatched(): boolean;
  /** True while rows tell a state: then nothing waits longer than `DEADLINES.agentParse`, also in steady output. */
  isAgent(): boolean;
  /** Monotonic milliseconds of the newest output. */
  lastOutput(): number;
  onTurn(): void;
  /** Told once: the first fault of the parser. */
  onFault(error: unknown): void;
}

interface Waiter {
  /** Offset that must be reached. */
  target: number;
  resolve: () => void;
}

export class ParseTurns implements ParseJob, Disposable {
  readonly #options: ParseTurnsOptions;
  #parsedWaiters: Waiter[] = [];
  #receivedWaiters: Waiter[] = [];
  /** The engine was given something that it may not have parsed: output, a size, a gap. */
  #hasWork = false;
  #hasFailed = false;
  #lazyTimer: Disposable | undefined;
  #lazySince = 0;
  #isDisposed = false;

  constructor(options: ParseTurnsOptions) {
    this.#options = options;
  }

  get hasWork(): boolean {
    return this.#hasWork;
  }

  /** There is something to parse, or somebody new who waits for it. */
  schedule(): void {
    this.#hasWork = true;
    const { engine, scheduler, clock, isWatched } = this.#options;
    const isUrgent =
      isWatched() ||
      this.#parsedWaiters.length > 0 ||
      this.#receivedWaiters.length > 0 ||
      engine.hasPendingQuery ||
      engine.pendingBytes >= LIMITS.lazyParseBacklog;
    if (isUrgent) scheduler.request(this);
    else if (this.#lazyTimer === undefined) {
      this.#lazySince = clock.monotonic();
      this.#lazyTimer = clock.after(DEADLINES.lazyParseQuiet, () => this.#parseWhenQuiet());
    }
  }

  #parseWhenQuiet(): void {
    this.#lazyTimer = undefined;
    const { clock, scheduler, lastOutput, isAgent } = this.#options;
    const quietAt = lastOutput() + DEADLINES.lazyParseQuiet;
    const at = isAgent() ? Math.min(quietAt, this.#lazySince + DEADLINES.agentParse) : quietAt;
    const left = at - clock.monotonic();
    if (left > 0) this.#lazyTimer = clock.after(left, () => this.#parseWhenQuiet());
    else scheduler.request(this);
  }

  parseTurn(milliseconds: number): boolean {
    if (this.#isDisposed) return false;
    const hasMore = this.#parse(milliseconds);
    this.#options.onTurn();
    this.#hasWork = hasMore;
    // A size that came at the target is applied once something behind it is parsed, or nothing is left.
    this.#tellParsed(hasMore ? this.#options.engine.parsedOffset - 1 : Number.POSITIVE_INFINITY);
    return hasMore;
  }

  /**
   * A fault of the parser costs the session a piece of its screen, not all sessions their server: after a restart the
   * same bytes would end it again. It is told once, and parsing goes on behind the piece.
   */
  #parse(milliseconds: number): boolean {
    try {
      return this.#options.engine.parse(milliseconds);
    } catch (error) {
      if (!this.#hasFailed) {
        this.#hasFailed = true;
        this.#options.onFault(error);
      }
      return true;
    }
  }

  /** Resolves once everything that has come so far is parsed. */
  parsed(): Promise<void> {
    if (this.#isDisposed || !this.#hasWork) return Promise.resolve();
    return new Promise((resolve) => {
      this.#parsedWaiters.push({ target: this.#options.engine.ingestedOffset, resolve });
      this.#options.scheduler.request(this);
    });
  }

  /** Resolves once output up to `offset` has come, as `tellReceived` says. */
  received(offset: number): Promise<void> {
    if (this.#options.engine.ingestedOffset >= offset) return Promise.resolve();
    return new Promise((resolve) => {
      this.#receivedWaiters.push({ target: offset, resolve });
      this.#options.scheduler.request(this);
    });
  }

  /** Output up to `offset` is here; Infinity when none will come any more. */
  tellReceived(offset: number): void {
    if (this.#receivedWaiters.length > 0) this.#receivedWaiters = tell(this.#receivedWaiters, offset);
  }

  #tellParsed(offset: number): void {
    if (this.#parsedWaiters.length > 0) this.#parsedWaiters = tell(this.#parsedWaiters, offset);
  }

  /** Nobody waits for a session that is put away. */
  dispose(): void {
    this.#isDisposed = true;
    this.#lazyTimer?.dispose();
    this.#options.scheduler.cancel(this);
    this.tellReceived(Number.POSITIVE_INFINITY);
    this.#tellParsed(Number.POSITIVE_INFINITY);
  }
}

/** Resolves those whose offset is reached; returns the others. */
function tell(waiters: readonly Waiter[], reached: number): Waiter[] {
  for (const waiter of waiters) if (waiter.target <= reached) waiter.resolve();
  return waiters.filter((waiter) => waiter.target > reached);
}
