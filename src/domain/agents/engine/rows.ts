/**
 * What the rows of an agent's screen tell, and what of them moved since the look before.
 *
 * Rows from the input area on are no output (STM-5); a screen that is drawn again as it was is no movement (STM-6); after a
 * resize everything moves and nothing is meant by it (STM-11).
 */
import { DEADLINES } from '../../../contract/index.ts';
import type { ScreenRows } from '../../sessions/index.ts';
import { NOTHING_SEEN, type ScreenAdapter, type ScreenReading } from '../screens/model.ts';

/** `output`: rows that are no decoration changed; `spinner`: nothing but rows that show that something goes on. */
export type Movement = 'none' | 'spinner' | 'output';

export interface Look {
  reading: ScreenReading;
  movement: Movement;
  /** Any row above the composer is another one than before, decoration included. */
  hasChanged: boolean;
  /** A line that was submitted stands among what was said: the turn has begun to show. */
  hasNewLine: boolean;
  /** Any row at all is; some agents tell their work below the composer. */
  isOther: boolean;
}

const SPINNER = /^\s*[\u2720-\u273f·◐◑◒◓\u2801-\u28ff]\s*\S/u;
/** Separators, frames, bars: nothing but drawing characters. */
const DRAWING = /^[\s\u2500-\u259f_─=|+-]*$/u;
const PROMPT = /^\s*[│┃|]?\s*[❯›»>](\s|$)/u;
/** Mode lines and heads-up bars below or beside the composer. */
const MODE_LINE = /^\s*(⏵⏵|››|⏸)/u;

export function leadsWithSpinner(row: string): boolean {
  return SPINNER.test(row);
}

function isDecoration(row: string): boolean {
  return DRAWING.test(row) || PROMPT.test(row) || MODE_LINE.test(row);
}

export class RowEvidence {
  #rows: readonly string[] | undefined;
  #reading: ScreenReading = NOTHING_SEEN;
  #lookedAt: number | undefined;
  #graceUntil = Number.NEGATIVE_INFINITY;
  #graceBegan = Number.NEGATIVE_INFINITY;
  /** Ever recognised by the adapter: then an unknown screen is one that something else draws. */
  #isRecognised = false;

  get reading(): ScreenReading {
    return this.#reading;
  }

  get isRecognised(): boolean {
    return this.#isRecognised;
  }

  /** When the rows were last looked at; undefined before. */
  get lookedAt(): number | undefined {
    return this.#lookedAt;
  }

  get rows(): readonly string[] {
    return this.#rows ?? [];
  }

  isInResizeGrace(at: number): boolean {
    return at < this.#graceUntil;
  }

  resized(at: number): void {
    this.#graceUntil = at + DEADLINES.resizeGrace;
    this.#graceBegan = at;
  }

  look(view: ScreenRows, adapter: ScreenAdapter | undefined, at: number): Look {
    const before = this.#rows;
    const reading = adapter?.read(view) ?? NOTHING_SEEN;
    const inputTop = reading.inputTop ?? this.#reading.inputTop ?? view.rows.length;
    const changed = before === undefined ? [] : changedRows(before, view.rows, inputTop);
    this.#rows = view.rows;
    this.#reading = reading;
    this.#lookedAt = at;
    this.#isRecognised ||= reading.state !== 'unknown';
    if (changed.length > 0 && this.isInResizeGrace(at)) {
      // A program paints for a while after a resize; each repaint holds the grace, up to a limit.
      this.#graceUntil = Math.min(at + DEADLINES.resizeGrace, this.#graceBegan + DEADLINES.resizeGraceLongest);
      return { reading, movement: 'none', hasChanged: false, hasNewLine: false, isOther: false };
    }
    const isOther = before !== undefined && changedRows(before, view.rows, view.rows.length).length > 0;
    const hasNewLine = changed.some((row) => /^\s*[❯›»>]\s+\S/u.test(row));
    return { reading, movement: movementOf(changed), hasChanged: changed.length > 0, hasNewLine, isOther };
  }

  /** Another program draws now. */
  reset(): void {
    this.#rows = undefined;
    this.#reading = NOTHING_SEEN;
    this.#isRecognised = false;
  }
}

function changedRows(before: readonly string[], rows: readonly string[], inputTop: number): string[] {
  const changed: string[] = [];
  const height = Math.min(Math.max(before.length, rows.length), inputTop);
  for (let row = 0; row < height; row++) {
    if ((before[row] ?? '') !== (rows[row] ?? '')) changed.push(rows[row] ?? '');
  }
  return changed;
}

function movementOf(changed: readonly string[]): Movement {
  if (changed.some((row) => !isDecoration(row) && !leadsWithSpinner(row))) return 'output';
  return changed.some((row) => leadsWithSpinner(row)) ? 'spinner' : 'none';
}
