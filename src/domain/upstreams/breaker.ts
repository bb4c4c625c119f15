/**
 * The circuit of one upstream (UPX-4): so many failures in a row open it, for a pause that doubles; each pause is followed by a window of
 * as many tries; a window that fails opens it again, and after so many of those the server counts as failed. A success forgets all of it.
 */
import { DEADLINES, LIMITS } from '../../contract/index.ts';

export type Circuit = 'closed' | 'open' | 'failed';

export class Breaker {
  #failures = 0;
  #opened = 0;

  /** What the circuit is after this failure. */
  fail(): Circuit {
    this.#failures++;
    if (this.#failures < LIMITS.upstreamFailures) return 'closed';
    this.#failures = 0;
    this.#opened++;
    // The first opening is none again.
    return this.#opened > LIMITS.upstreamReopens ? 'failed' : 'open';
  }

  succeed(): void {
    this.#failures = 0;
    this.#opened = 0;
  }

  /** Milliseconds until the next try. */
  get pause(): number {
    const doubled = DEADLINES.upstreamBackoffFirst * 2 ** Math.max(0, this.#opened - 1);
    return Math.min(doubled, DEADLINES.upstreamBackoffLast);
  }
}
