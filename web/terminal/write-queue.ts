/**
 * Puts a session's stream into a terminal, in order. Output is handed on at once and pipelined; a step that must see the
 * terminal at rest (a new size, a snapshot) waits for the output before it, and what comes later waits for the step.
 */
export interface WriteTarget {
  write(data: string | Uint8Array, done: () => void): void;
}

export type Step = () => void | Promise<void>;

type Item = { bytes: Uint8Array; done: () => void } | { step: Step };

export class WriteQueue {
  readonly #target: WriteTarget;
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting: Item[] = [];
  #writing = 0;
  #isStepping = false;
  #isDisposed = false;

  constructor(target: WriteTarget, onFailure: (error: unknown) => void) {
    this.#target = target;
    this.#onFailure = onFailure;
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#waiting.push({ bytes, done });
    this.#advance();
  }

  /** Runs `step` once all earlier output is in the terminal. A step that fails is reported and the queue goes on. */
  runStep(step: Step): void {
    this.#waiting.push({ step });
    this.#advance();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#waiting.length = 0;
  }

  #advance(): void {
    while (!this.#isStepping && !this.#isDisposed) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      if ('step' in next) {
        if (this.#writing > 0) return;
        this.#waiting.shift();
        this.#isStepping = true;
        void this.#run(next.step);
        return;
      }
      this.#waiting.shift();
      this.#writing++;
      this.#target.write(next.bytes, () => {
        this.#writing--;
        if (this.#isDisposed) return;
        next.done();
        this.#advance();
      });
    }
  }

  async #run(step: Step): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isStepping = false;
      this.#advance();
    }
  }
}
