/**
 * A terminal with a small scrollback whose lines are copied into the compact log.
 *
 * Owns the border between the two. Rows that left the screen are copied in batches: at the latest when the list is full and
 * none of its rows is copied yet (so a trimmed row always was copied before), and whenever the log is read. They stay in the
 * terminal until it drops them, because a resize may bring them back to the screen.
 *
 * Ordering rules: rows are copied oldest first, before any trim; copy before a clear, a reset or a resize. After a resize a
 * line that was finalised and came back to the screen is not logged twice as long as it leaves unchanged; a changed one is
 * logged again, never lost. The line that is open (its start left, its end did not) is written again in the new wrapping
 * under its old number.
 */
import { type RowCells, usedLength } from './cells.ts';
import { CompactLog, type LogState } from './compact-log.ts';
import type { LogChunk } from './model.ts';
import { type EncodedRow, encodeRow, scratch } from './row-codec.ts';
import { XtermAdapter } from './xterm-adapter.ts';

/** Rows the terminal keeps above the screen: what a resize can bring back. */
export const SCROLLBACK = 100;

export interface BorderState {
  /** Leading rows of the normal buffer that are in the log. */
  logged: number;
  /** The next row goes to the open line although it starts one. */
  resumeOpen: boolean;
  /** Rows on top of the screen that are in the log already (base64 of their encoding). */
  seen: string[];
  total: number;
}

/** Whole lines above the border, then rows or cells of the line it runs through. */
interface Border {
  lines: number;
  rows: number;
  cells: number;
}

export class LoggedTerminal {
  readonly terminal: XtermAdapter;
  readonly log: CompactLog;
  #logged = 0;
  #resumeOpen = false;
  #seen: Uint8Array[] = [];
  #total = 0;

  constructor(cols: number, rows: number, logLines: number) {
    this.terminal = new XtermAdapter(cols, rows, SCROLLBACK, {
      scrolled: (trimmed) => {
        if (trimmed) {
          this.#logged--;
          this.terminal.shiftSavedCursor();
        }
        if (this.#logged === 0 && this.terminal.isFull) this.copyScrolled();
      },
      clearing: () => this.#clear(),
      passing: (bytes, bounds, count) => this.#pass(bytes, bounds, count),
    });
    this.log = new CompactLog(logLines, this.terminal.measure);
  }

  /** Finalised lines: those of which every row left the screen. */
  get total(): number {
    this.copyScrolled();
    const open = this.#isOpen() ? 1 : 0;
    this.#total = Math.max(this.#total, this.log.started - open);
    return this.#total;
  }

  /** Copies what left the screen since the last call. */
  copyScrolled(): void {
    const base = this.terminal.scrollbackRows;
    while (this.#logged < base) {
      this.#copyRow(this.#logged);
      this.#logged++;
    }
  }

  resize(cols: number, rows: number): void {
    const terminal = this.terminal;
    this.copyScrolled();
    const border = this.#findBorder();
    const wraps = Math.ceil(terminal.cols / cols) + 1;
    terminal.resize(cols, rows, (SCROLLBACK + terminal.rows + rows) * wraps);
    this.#applyBorder(border);
    this.copyScrolled();
    this.#logged -= terminal.trimTop(SCROLLBACK);
  }

  state(): BorderState {
    return {
      logged: this.#logged,
      resumeOpen: this.#resumeOpen,
      seen: this.#seen.map((bytes) => Buffer.from(bytes).toString('base64')),
      total: this.#total,
    };
  }

  restore(border: BorderState, log: LogState, chunks: readonly LogChunk[]): void {
    this.log.restore(log, chunks);
    this.#logged = border.logged;
    this.#resumeOpen = border.resumeOpen;
    this.#seen = border.seen.map((text) => new Uint8Array(Buffer.from(text, 'base64')));
    this.#total = border.total;
  }

  /** Rows that leave the screen without having stood on it. Behind this call every row is written over. */
  #pass(bytes: Uint8Array, bounds: Uint32Array, count: number): boolean {
    this.copyScrolled();
    if (this.#seen.length > 0 || this.#resumeOpen) return false;
    const cursor = this.terminal.scrollbackRows + this.terminal.normalCursorRow;
    for (; this.#logged < cursor; this.#logged++) this.#copyRow(this.#logged);
    this.log.appendPlain(bytes, bounds, count);
    return true;
  }

  #row(index: number): RowCells {
    return this.terminal.rowAt('normal', index);
  }

  #encode(index: number): EncodedRow {
    const row = this.#row(index);
    // Of the row alone: the one below it may still change, and a row must not depend on when it is copied.
    return encodeRow(row, usedLength(row), this.terminal.measure, false);
  }

  #copyRow(index: number): void {
    const encoded = this.#encode(index);
    const seen = this.#seen[0];
    if (seen !== undefined) {
      if (isInScratch(seen, encoded)) {
        this.#seen.shift();
        return;
      }
      this.#forgetSeen();
    }
    const continues = this.#resumeOpen || this.#row(index).isWrapped;
    this.#resumeOpen = false;
    this.log.append(encoded, continues);
  }

  #forgetSeen(): void {
    this.#seen = [];
    this.#resumeOpen = false;
    this.log.endLine();
  }

  #isOpen(): boolean {
    if (!this.log.canContinue) return false;
    if (this.#resumeOpen) return true;
    if (this.#seen.length > 0) return false;
    return this.terminal.nextRowAt('normal', this.#logged)?.isWrapped ?? false;
  }

  #clear(): void {
    this.copyScrolled();
    this.log.clear();
    this.#seen = [];
    this.#resumeOpen = false;
    this.#logged = 0;
  }

  /** Where the log ends among the rows of the terminal, in a form that survives rewrapping. */
  #findBorder(): Border {
    const base = this.terminal.scrollbackRows;
    let end = base;
    let rows = 0;
    let cells = 0;
    if (this.#seen.length > 0) {
      const changed = this.#seen.findIndex((seen, index) => !isInScratch(seen, this.#encode(base + index)));
      if (changed < 0) {
        end = base + this.#seen.length;
      } else {
        end = base + changed;
        while (end > 0 && this.#row(end).isWrapped) end--;
        this.#forgetSeen();
      }
    } else if (this.#isOpen()) {
      while (end > 0 && this.#row(end).isWrapped) end--;
      if (this.#isCursorIn(base)) {
        // The terminal does not rewrap the line of the cursor: its rows stay as they are.
        rows = base - end;
      } else if (end === 0 && this.#row(0).isWrapped) {
        // The start of the line is gone from the terminal, so it cannot be written anew: cut it here.
        for (let index = 0; index < base; index++) cells += this.#row(index).length;
        this.log.endLine();
        this.#resumeOpen = false;
      } else if (!this.#resumeOpen) {
        this.log.voidOpenLine();
        this.#resumeOpen = true;
      }
    }
    let lines = 0;
    for (let index = 0; index < end; index++) if (index === 0 || !this.#row(index).isWrapped) lines++;
    return { lines, rows, cells };
  }

  /** The row at `index` and all down to the cursor's continue one line. */
  #isCursorIn(index: number): boolean {
    const cursor = this.terminal.scrollbackRows + this.terminal.normalCursorRow;
    for (let row = index; row <= cursor; row++) if (!this.#row(row).isWrapped) return false;
    return true;
  }

  #applyBorder(border: Border): void {
    const count = this.terminal.rowCount('normal');
    const base = this.terminal.scrollbackRows;
    let end = 0;
    let lines = 0;
    for (; end < count; end++) {
      if (end === 0 || !this.#row(end).isWrapped) {
        if (lines === border.lines) break;
        lines++;
      }
    }
    end = Math.min(end + border.rows, count);
    for (let cells = 0; border.cells > 0 && end < count; end++) {
      cells += this.#row(end).length;
      if (cells > border.cells) break;
    }
    this.#logged = Math.min(end, base);
    this.#seen = [];
    for (let index = base; index < end; index++) {
      const encoded = this.#encode(index);
      this.#seen.push(scratch.slice(0, encoded.text + encoded.runs));
    }
  }
}

function isInScratch(bytes: Uint8Array, encoded: EncodedRow): boolean {
  const length = encoded.text + encoded.runs;
  if (bytes.length !== length) return false;
  for (let index = 0; index < length; index++) if (bytes[index] !== scratch[index]) return false;
  return true;
}
