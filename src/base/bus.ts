/**
 * One publish for every front (DESIGN 5). The bus numbers events when they are published and keeps the newest in a ring;
 * a subscriber is a cursor into that ring, so a slow one costs nothing and learns how many events it missed (P1).
 */
import { type Disposable, toDisposable } from './disposable.ts';

export interface BusRecord<E> {
  /** 1 for the first event of this bus; given at publish time, the same for every subscriber. */
  readonly sequence: number;
  readonly event: E;
}

export type BusRead<E> =
  | { readonly kind: 'event'; readonly record: BusRecord<E> }
  /** The cursor fell out of the ring; `missed` events are gone for this reader. */
  | { readonly kind: 'lagged'; readonly missed: number };

export interface BusCursor<E> extends Disposable {
  /** Next unread event, or undefined when the reader is up to date. */
  read(): BusRead<E> | undefined;
}

export class Bus<E> {
  readonly #capacity: number;
  readonly #ring: (BusRecord<E> | undefined)[];
  readonly #wakers = new Set<() => void>();
  #last = 0;

  constructor(capacity = 4096) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError('bus capacity must be a positive integer');
    this.#capacity = capacity;
    this.#ring = new Array(capacity);
  }

  /** Sequence of the newest event, 0 before the first. */
  get lastSequence(): number {
    return this.#last;
  }

  get subscriberCount(): number {
    return this.#wakers.size;
  }

  publish(event: E): BusRecord<E> {
    const record: BusRecord<E> = { sequence: ++this.#last, event };
    this.#ring[record.sequence % this.#capacity] = record;
    for (const wake of [...this.#wakers]) wake();
    return record;
  }

  /**
   * Opens a cursor that reads what comes after `after` (default: only what is published from now on).
   * `wake` is called after each publish; it must not throw and should only schedule a read.
   */
  subscribe(wake: () => void, after: number = this.#last): BusCursor<E> {
    let next = Math.min(after, this.#last) + 1;
    const own = () => wake();
    this.#wakers.add(own);
    const closing = toDisposable(() => this.#wakers.delete(own));
    return {
      read: () => {
        if (next > this.#last) return undefined;
        const oldest = Math.max(1, this.#last - this.#capacity + 1);
        if (next < oldest) {
          const missed = oldest - next;
          next = oldest;
          return { kind: 'lagged', missed };
        }
        const record = this.#ring[next % this.#capacity];
        if (record === undefined || record.sequence !== next) throw new Error('bus ring is inconsistent');
        next++;
        return { kind: 'event', record };
      },
      dispose: () => closing.dispose(),
    };
  }
}
