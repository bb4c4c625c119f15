/**
 * Reads the rows of an agent's screen after they changed, at a modest pace: often enough that a state is told within half
 * a second, seldom enough that an agent that repaints all the time costs little. Nothing happens for other programs.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import type { ScreenRows } from './activity.ts';
import type { ScreenEngine } from './screen/model.ts';

export interface ScreenLookOptions {
  engine: ScreenEngine;
  clock: Clock;
  isAgent(): boolean;
  onRows(view: ScreenRows): void;
}

export class ScreenLook implements Disposable {
  readonly #options: ScreenLookOptions;
  #timer: Disposable | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** What was parsed, and in which size, when the rows were last read. */
  #seen = '';

  constructor(options: ScreenLookOptions) {
    this.#options = options;
  }

  /** More was parsed. */
  onParsed(): void {
    const { clock, isAgent } = this.#options;
    if (this.#timer !== undefined || !isAgent()) return;
    const left = this.#lookedAt + DEADLINES.screenLook - clock.monotonic();
    if (left <= 0) this.#look();
    else this.#timer = clock.after(left, () => this.#look());
  }

  #look(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const { engine, clock, onRows } = this.#options;
    const seen = `${engine.parsedOffset} ${engine.cols} ${engine.rows}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#lookedAt = clock.monotonic();
    const { row, col } = engine.cursor();
    onRows({ rows: engine.text(), cursorRow: row, cursorColumn: col, isAlternate: engine.alternateScreen });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
