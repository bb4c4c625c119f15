/** What was opened is closed, also after a failure: newest first, and one failing step does not stop the others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Cleanup {
  #steps: (() => unknown)[] = [];

  /** Registers a step and returns a function that takes it back. */
  defer(step: () => unknown): () => void {
    this.#steps.push(step);
    return () => {
      this.#steps = this.#steps.filter((known) => known !== step);
    };
  }

  /** A short path: Unix sockets below it must fit into 100 bytes. */
  async temporaryDirectory(prefix = 'tuic-'): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), prefix));
    this.defer(() => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
    return path;
  }

  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, 'several cleanup steps failed');
  }
}
