/**
 * Closes that can be taken back for some seconds; the programs live on meanwhile.
 *
 * Ordering: a close is sent once, when its time is over or when the page goes out of sight, whichever comes first: a phone
 * that was put away would otherwise keep what its owner closed.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';

export interface PendingClosesEvents {
  changed(ids: readonly string[]): void;
  /** Ends the session. */
  commit(id: string): void;
}

export class PendingCloses implements Disposable {
  readonly #clock: Clock;
  readonly #events: PendingClosesEvents;
  readonly #timers = new Map<string, Disposable>();

  constructor(clock: Clock, events: PendingClosesEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  has(id: string): boolean {
    return this.#timers.has(id);
  }

  add(id: string): void {
    if (this.#timers.has(id)) return;
    this.#timers.set(
      id,
      this.#clock.after(DEADLINES.closeUndo, () => this.#commit(id)),
    );
    this.#tell();
  }

  undo(id: string): void {
    this.#take(id);
  }

  commitAll(): void {
    for (const id of [...this.#timers.keys()]) this.#commit(id);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) timer.dispose();
    this.#timers.clear();
  }

  #commit(id: string): void {
    if (this.#take(id)) this.#events.commit(id);
  }

  #take(id: string): boolean {
    const timer = this.#timers.get(id);
    if (timer === undefined) return false;
    timer.dispose();
    this.#timers.delete(id);
    this.#tell();
    return true;
  }

  #tell(): void {
    this.#events.changed([...this.#timers.keys()]);
  }
}
