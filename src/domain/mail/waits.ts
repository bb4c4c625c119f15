/**
 * Owns the waits for mail that are open (mcp.md 7.6, 7.7). A wait is settled exactly once, in the section of whoever settles it: new mail,
 * its deadline, its caller that leaves, or the retirement of its protocol session. So a message that comes at the deadline is either in the
 * answer or goes on to the terminal.
 */
import type { Clock } from '../../base/index.ts';
import type { Letter } from './model.ts';

interface Waiter {
  readonly identity: string;
  readonly protocolSession: string | undefined;
  readonly since: number;
  settle(letters: readonly Letter[] | undefined): void;
}

export interface WaitRequest {
  identity: string;
  protocolSession: string | undefined;
  since: number;
  timeout: number;
  signal: AbortSignal;
}

export class Waits {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  has(identity: string): boolean {
    return [...this.#waiters].some((waiter) => waiter.identity === identity);
  }

  /** Undefined: its time is over, or nobody waits any more. */
  open({ identity, protocolSession, since, timeout, signal }: WaitRequest): Promise<readonly Letter[] | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = () => waiter.settle(undefined);
      const waiter: Waiter = {
        identity,
        protocolSession,
        since,
        settle: (letters) => {
          if (!this.#waiters.delete(waiter)) return;
          timer.dispose();
          signal.removeEventListener('abort', leave);
          resolve(letters);
        },
      };
      const timer = this.#clock.after(timeout, leave);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** MSG-43: the oldest wait that this is new for takes all of `fresh` that is new for it. The letters it took; undefined: nobody. */
  offer(letter: Letter, fresh: readonly Letter[]): readonly Letter[] | undefined {
    for (const waiter of this.#waiters) {
      if (waiter.identity !== letter.recipient || letter.stamp <= waiter.since) continue;
      const taken = fresh.filter(({ stamp }) => stamp > waiter.since);
      waiter.settle(taken);
      return taken;
    }
    return undefined;
  }

  /** MSG-11: a bridge that was half dead no longer waits for anybody. */
  revoke(protocolSession: string): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.protocolSession === protocolSession) waiter.settle(undefined);
    }
  }

  dispose(): void {
    for (const waiter of [...this.#waiters]) waiter.settle(undefined);
  }
}
