/**
 * The part of a session's log that the phone holds: one unbroken window of numbered lines, the screen below it, and marks
 * where lines are missing. Pure; `log-view.ts` draws it.
 *
 * Promise: a line is here once, in order. What is not here is either outside the window (it can be fetched or comes back
 * with a jump to the newest) or named by a mark.
 */
import type { GapReason, LogLine } from '../../src/contract/index.ts';

/** Most lines held. While somebody reads further up, newer ones are counted, not kept: they would push away what is read. */
export const HELD_LINES = { most: 2_000, trimmedTo: 1_500 } as const;

export interface LogMark {
  /** Stands above this line. */
  before: number;
  missing: number;
  reason: GapReason;
}

export class LogBuffer {
  #first = 0;
  #lines: LogLine[] = [];
  #screen: readonly LogLine[] = [];
  #marks: LogMark[] = [];
  #total = 0;

  /** Number of the first line held. */
  get first(): number {
    return this.#first;
  }

  /** Number behind the last line held. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  /** Lines that the session has had so far. */
  get total(): number {
    return this.#total;
  }

  /** The window does not reach to the newest line: the screen does not follow it. */
  get isCut(): boolean {
    return this.end < this.#total;
  }

  get screen(): readonly LogLine[] {
    return this.#screen;
  }

  get marks(): readonly LogMark[] {
    return this.#marks;
  }

  line(number: number): LogLine | undefined {
    return this.#lines[number - this.#first];
  }

  reset(first: number, lines: readonly LogLine[], screen: readonly LogLine[], total: number): void {
    this.#first = first;
    this.#lines = [...lines];
    this.#screen = screen;
    this.#marks = [];
    this.#total = Math.max(total, first + lines.length);
  }

  /** Newer lines. `isFollowed`: the newest are wanted and older ones may go. Returns false when they were counted only. */
  append(offset: number, lines: readonly LogLine[], isFollowed: boolean): boolean {
    const end = this.end;
    const isNext = offset <= end && !this.isCut;
    this.#total = Math.max(this.#total, offset + lines.length);
    if (!isNext && !isFollowed) return false;
    if (!isNext) {
      this.#first = offset;
      this.#lines = [...lines];
    } else if (offset + lines.length > end) {
      const fresh = lines.slice(end - offset);
      if (!isFollowed && this.#lines.length + fresh.length > HELD_LINES.most) return false;
      this.#lines.push(...fresh);
    }
    if (isFollowed) this.#trim();
    return true;
  }

  /** Older lines, which must end where the window begins; others are not for this window. */
  prepend(offset: number, lines: readonly LogLine[]): boolean {
    if (offset + lines.length !== this.#first || lines.length === 0) return false;
    this.#lines = [...lines, ...this.#lines];
    this.#first = offset;
    return true;
  }

  setScreen(screen: readonly LogLine[]): void {
    this.#screen = screen;
  }

  /** Lines [from, to) will not come. After a clearing by the program nothing before `to` is shown any more. */
  gap(from: number, to: number, reason: GapReason): void {
    this.#total = Math.max(this.#total, to);
    if (reason === 'cleared by program') {
      const dropped = Math.min(this.#lines.length, Math.max(0, to - this.#first));
      this.#lines.splice(0, dropped);
      this.#first = Math.max(this.#first, to);
      this.#marks = this.#marks.filter((mark) => mark.before > to);
      return;
    }
    if (to <= this.end) return;
    // What was held stands on the other side of the hole and has numbers of its own.
    const missing = to - Math.max(from, this.end);
    this.#first = to;
    this.#lines = [];
    this.#marks = [{ before: to, missing, reason }];
  }

  #trim(): void {
    if (this.#lines.length <= HELD_LINES.most) return;
    const dropped = this.#lines.length - HELD_LINES.trimmedTo;
    this.#lines.splice(0, dropped);
    this.#first += dropped;
    this.#marks = this.#marks.filter((mark) => mark.before > this.#first);
  }
}

export function lineText(line: LogLine): string {
  return line.spans.map((span) => span.text).join('');
}
