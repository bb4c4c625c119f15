import type { Disposable } from './disposable.ts';

/** Time as an injected dependency, so that tests never sleep. */
export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start, with fractions. Never goes back. */
  monotonic(): number;
  /** Runs `callback` once after `milliseconds`, unless disposed first. */
  after(milliseconds: number, callback: () => void): Disposable;
  /** Runs `callback` each `milliseconds` until disposed. */
  every(milliseconds: number, callback: () => void): Disposable;
}

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return { dispose: () => clearTimeout(timer) };
  },
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds);
    return { dispose: () => clearInterval(timer) };
  },
};

/** Resolves after `milliseconds` on the given clock, or rejects with the signal's reason. */
export function delay(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.dispose();
      reject(signal?.reason);
    };
    const timer = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
