/**
 * Waiting for something that is seen by looking, woken by events and never by polling (WAIT-2).
 *
 * Ordering: it listens first and looks then, so that a change between the two is seen. At the deadline it looks once more, behind
 * all timers of that moment. What was seen, the deadline, a caller that leaves and the end of the server settle it exactly once,
 * and nothing of it stays behind.
 */
import type { Clock, Disposable } from '../../base/index.ts';

export interface LookUntil<T> {
  clock: Clock;
  timeout: number;
  /** Whoever asked has gone. */
  signal: AbortSignal;
  /** Undefined: go on waiting. */
  look(): T | undefined;
  /** Everything that may change what is seen. `end` settles it without looking. */
  listen(wake: () => void, end: (outcome: T) => void): readonly Disposable[];
  /** When the time is over, or nobody is there any more. */
  otherwise: T;
}

export function lookUntil<T>({ clock, timeout, signal, look, listen, otherwise }: LookUntil<T>): Promise<T> {
  return new Promise((resolve) => {
    const held: Disposable[] = [];
    let isSettled = false;
    const settle = (outcome: T) => {
      if (isSettled) return;
      isSettled = true;
      for (const each of held) each.dispose();
      signal.removeEventListener('abort', leave);
      resolve(outcome);
    };
    const leave = () => settle(otherwise);
    const wake = () => {
      const outcome = isSettled ? undefined : look();
      if (outcome !== undefined) settle(outcome);
    };
    const hold = (each: Disposable) => {
      if (isSettled) each.dispose();
      else held.push(each);
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const last = () => {
      wake();
      settle(otherwise);
    };
    hold(clock.after(timeout, () => hold(clock.after(0, last))));
    for (const each of listen(wake, settle)) hold(each);
    wake();
  });
}
