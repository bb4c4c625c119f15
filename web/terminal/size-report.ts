/**
 * Tells a size as it changes, at most once in DEADLINES.sizePace: dragging a border passes a hundred sizes a second, and each
 * one told makes the program draw everything again.
 *
 * Promises: the first change is told at once, and the last one always.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import type { CellCount } from './cell-fit.ts';

export class SizeReport implements Disposable {
  readonly #clock: Clock;
  readonly #tell: (size: CellCount) => void;
  #waiting: CellCount | undefined;
  #pause: Disposable | undefined;

  constructor(clock: Clock, tell: (size: CellCount) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  change(size: CellCount): void {
    this.#waiting = size;
    if (this.#pause === undefined) this.#tellNow();
  }

  #tellNow(): void {
    const size = this.#waiting;
    this.#waiting = undefined;
    this.#pause = undefined;
    if (size === undefined) return;
    this.#pause = this.#clock.after(DEADLINES.sizePace, () => this.#tellNow());
    this.#tell(size);
  }

  dispose(): void {
    this.#waiting = undefined;
    this.#pause?.dispose();
  }
}
