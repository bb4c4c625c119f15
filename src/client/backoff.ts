import { DEADLINES } from '../contract/index.ts';

/**
 * Waiting times between attempts: a quick first one (a server that restarts is back at once), then 1 s doubled up to 30 s.
 * Each is spread by a quarter, so that many viewers do not come back in step.
 */
export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  next(): number;
  /** The connection works: start over. */
  reset(): void;
  /** Attempts since the last reset. */
  readonly attempts: number;
}

export interface BackoffOptions {
  random?: (() => number) | undefined;
  /** Longest wait in milliseconds. */
  longest?: number | undefined;
}

export function createBackoff({ random = Math.random, longest = DEADLINES.retryMaximum }: BackoffOptions): Backoff {
  let attempts = 0;
  return {
    next() {
      const plain =
        attempts === 0 ? DEADLINES.retryFirst : Math.min(longest, DEADLINES.retryBase * 2 ** (attempts - 1));
      attempts++;
      return Math.min(longest, Math.round(plain * (0.75 + 0.5 * random())));
    },
    reset() {
      attempts = 0;
    },
    get attempts() {
      return attempts;
    },
  };
}
