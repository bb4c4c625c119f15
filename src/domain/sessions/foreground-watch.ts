/**
 * Looks what runs in front of a terminal, when that may have changed: a line was entered, or the program went quiet (STM-36).
 *
 * Looks are few: one at a time, a moment after the reason for it and once more for programs that start late. What is found when
 * the session is gone is nobody's business any more.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import type { ForegroundProgram } from './activity.ts';

/** Resolves to null when nobody can tell. */
export type LookInFront = () => Promise<ForegroundProgram | null>;

export interface ForegroundWatchOptions {
  clock: Clock;
  look: LookInFront;
  onFound(program: ForegroundProgram | null): void;
  onFailure(error: unknown): void;
}

export class ForegroundWatch implements Disposable {
  readonly #options: ForegroundWatchOptions;
  #soon: Disposable | undefined;
  #again: Disposable | undefined;
  #isDisposed = false;

  constructor(options: ForegroundWatchOptions) {
    this.#options = options;
  }

  /** It may be another program now, or soon. */
  expect(): void {
    if (this.#isDisposed) return;
    const { clock } = this.#options;
    this.want();
    this.#again?.dispose();
    this.#again = clock.after(DEADLINES.foregroundAgain, () => {
      this.#again = undefined;
      void this.lookNow();
    });
  }

  /** Somebody waits for a look. */
  want(): void {
    if (this.#isDisposed) return;
    this.#soon ??= this.#options.clock.after(DEADLINES.foregroundSettle, () => {
      this.#soon = undefined;
      void this.lookNow();
    });
  }

  async lookNow(): Promise<void> {
    const { look, onFound, onFailure } = this.#options;
    try {
      const program = await look();
      if (!this.#isDisposed) onFound(program);
    } catch (error) {
      onFailure(error);
      if (!this.#isDisposed) onFound(null);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#soon?.dispose();
    this.#again?.dispose();
  }
}
