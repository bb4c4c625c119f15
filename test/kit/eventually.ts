/**
 * Waiting without guessing times. Where the thing waited for can announce itself, use `Signal`; `eventually` is for what
 * only the kernel knows (processes, descriptors, files). The limit is no assertion: it only turns a hang into a message.
 */
const PATIENCE = 60_000;

export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  patience = PATIENCE,
): Promise<Exclude<T, false | undefined | null>> {
  const end = performance.now() + patience;
  for (;;) {
    const value = await check();
    if (value !== false && value !== undefined && value !== null) return value as Exclude<T, false | undefined | null>;
    if (performance.now() > end) throw new Error(`still waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Wakes waiters when something changed; each waiter looks for itself whether that is what it wants. */
export class Signal {
  #waiters = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** Resolves with the first result of `check` that is not undefined or false; `describe` tells what is there instead. */
  until<T>(
    what: string,
    check: () => T | undefined | false,
    describe: () => string = () => '',
    patience = PATIENCE,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          const value = check();
          if (value === undefined || value === false) return;
          finish();
          resolve(value);
        } catch (error) {
          finish();
          reject(error);
        }
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`still waiting for: ${what}. ${describe()}`));
      }, patience);
      const finish = () => {
        clearTimeout(timer);
        this.#waiters.delete(look);
      };
      this.#waiters.add(look);
      look();
    });
  }
}
