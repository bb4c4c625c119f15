/** Serialises work per key; different keys run side by side. Entries vanish when their queue is empty. */
export class KeyedMutex {
  #tails = new Map<string, Promise<unknown>>();

  get size(): number {
    return this.#tails.size;
  }

  /** Runs `work` after everything queued earlier under `key`, whether that succeeded or not. */
  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve();
    const current = previous.then(work, work);
    const settled = current.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, settled);
    try {
      return await current;
    } finally {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    }
  }
}
