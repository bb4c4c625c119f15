/**
 * Owns the calls under way of each protocol session, so that its client can cancel one (M18). Ids keep their type: 1 and "1" are two calls.
 *
 * Ordering: a call leaves the map in the step that settles it. A cancellation that comes later, twice, for an unknown id or from another
 * session finds nothing and changes nothing. Of two calls under one id the newer one is meant.
 */
export const CANCELLED = Symbol('cancelled');

export type CallId = string | number;

export class PendingCalls {
  readonly #sessions = new Map<string, Map<CallId, () => void>>();

  /**
   * Runs `work` with a signal that aborts when the call is cancelled, and when the outer one does. A cancelled call ends at once: what its
   * work is too far into to give up, like the end of a terminal, goes on without anybody who waits.
   */
  async run<T>(
    session: string,
    id: CallId,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | typeof CANCELLED> {
    const controller = new AbortController();
    const follow = () => controller.abort(outer.reason);
    if (outer.aborted) follow();
    outer.addEventListener('abort', follow, { once: true });
    let cancel = () => {};
    const cancelled = new Promise<typeof CANCELLED>((resolve) => {
      cancel = () => {
        resolve(CANCELLED);
        controller.abort(new Error('the call was cancelled'));
      };
    });
    this.#add(session, id, cancel);
    try {
      return await Promise.race([work(controller.signal), cancelled]);
    } finally {
      outer.removeEventListener('abort', follow);
      this.#remove(session, id, cancel);
    }
  }

  cancel(session: string, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const cancel = this.#sessions.get(session)?.get(id);
    if (cancel === undefined) return;
    this.#remove(session, id, cancel);
    cancel();
  }

  /** Sessions with a call under way: none may stay behind. */
  get size(): number {
    return this.#sessions.size;
  }

  #add(session: string, id: CallId, cancel: () => void): void {
    const calls = this.#sessions.get(session) ?? new Map<CallId, () => void>();
    calls.set(id, cancel);
    this.#sessions.set(session, calls);
  }

  #remove(session: string, id: CallId, cancel: () => void): void {
    const calls = this.#sessions.get(session);
    if (calls?.get(id) !== cancel) return;
    calls.delete(id);
    if (calls.size === 0) this.#sessions.delete(session);
  }
}
