/**
 * The screen as text that redraws it on a reset terminal: both buffers, every mode, the cursor.
 *
 * Promises: at most LIMITS.snapshot bytes, no terminal query, and a fresh terminal of the same size that gets it has the same
 * cells, modes and cursor. Kept apart: whether the top row continues one that is gone, flags of cells without content (their
 * ground is kept), a zero-width character without a base, a saved cursor below the screen. A charset in use that stands neither
 * in a slot nor with the saved cursor takes its slot.
 *
 * What does not fit is given up in this order (LEVELS): links, underline colours, shades and changes of colour; all colours; the normal
 * buffer behind the alternate one; at last the rows farthest from the cursor, which stay blank until the program draws them.
 *
 * Order within: titles and colours, cells, tab stops, region, saved cursor, origin, cursor, style, charsets, modes, shape,
 * visibility; at the very end the last character once more, so that a pending wrap and a following combining mark find it.
 */
import { LIMITS } from '../../../contract/index.ts';
import {
  BG_EXTENDED,
  BG_PROTECTED,
  type CellStyle,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_PALETTE_256,
  COLOR_RGB,
  cellStyle,
  cellText,
  cellWidth,
  EXT_STYLE_MASK,
  equalStyles,
  FG_UNDERLINE,
  PLAIN_STYLE,
  type RowCells,
  usedLength,
} from './cells.ts';
import { COLOR_TEXT } from './color-table.ts';
import type { OpenString } from './sequence-filter.ts';
import { styleChange } from './style.ts';
import type { BufferName, BufferState, TerminalState } from './terminal-state.ts';
import type { TrackedState } from './tracked-state.ts';
import type { XtermAdapter } from './xterm-adapter.ts';

interface Level {
  /** Repeated characters as one repeat sequence. */
  repeats: boolean;
  colors: 'all' | 'palette' | 'none';
  extras: boolean;
  behind: boolean;
  /** Draw outward from the cursor's row and stop when the room is used. */
  partial: boolean;
}

const LEVELS: Level[] = [
  { repeats: false, colors: 'all', extras: true, behind: true, partial: false },
  { repeats: true, colors: 'all', extras: true, behind: true, partial: false },
  { repeats: true, colors: 'palette', extras: false, behind: true, partial: false },
  { repeats: true, colors: 'none', extras: false, behind: true, partial: false },
  { repeats: true, colors: 'none', extras: false, behind: false, partial: false },
  { repeats: true, colors: 'none', extras: false, behind: false, partial: true },
];

/** Room for everything that is not cells when rows are given up. */
const RESERVE = 20_480;
const FOLDER_MAX = 1_024;
const REPEAT_MIN = 6;
const MOUSE_PROTOCOLS = new Map([
  ['X10', 9],
  ['VT200', 1000],
  ['DRAG', 1002],
  ['ANY', 1003],
]);

/** Head of a string sequence that swallows the rest of one whose head is gone. */
export const STRING_OPENERS: Record<OpenString, string> = { osc: '\x1b]7700;', dcs: '\x1bP0+p', other: '\x1b_' };

export function renderSnapshot(terminal: XtermAdapter, tracked: TrackedState, open: OpenString | undefined): string {
  const state = terminal.state();
  for (const level of LEVELS) {
    const text = new Renderer(terminal, state, tracked, level).render(open);
    if (text !== undefined) return text;
  }
  return '';
}

function moveTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`;
}

/** Nearest of the 6x6x6 cube and the grey ramp. */
function toPalette(word: number): number {
  if ((word & COLOR_MODE_MASK) !== COLOR_RGB) return word;
  const parts = [(word >>> 16) & 255, (word >>> 8) & 255, word & 255] as const;
  const level = (part: number): number => (part < 48 ? 0 : part < 115 ? 1 : Math.min(5, Math.floor((part - 35) / 40)));
  const isGrey = Math.max(...parts) - Math.min(...parts) < 12;
  const index = isGrey
    ? Math.min(255, 232 + Math.max(0, Math.round((parts[0] - 8) / 10)))
    : 16 + 36 * level(parts[0]) + 6 * level(parts[1]) + level(parts[2]);
  return (word & ~COLOR_MASK) | COLOR_PALETTE_256 | index;
}

interface Shown {
  style: CellStyle;
  link: number;
}

class Renderer {
  readonly #terminal: XtermAdapter;
  readonly #state: TerminalState;
  readonly #tracked: TrackedState;
  readonly #level: Level;
  #out = '';
  #style: CellStyle = PLAIN_STYLE;
  #link = 0;
  #newest: { fg: number; bg: number; shown: Shown } = { fg: 0, bg: 0, shown: { style: PLAIN_STYLE, link: 0 } };

  constructor(terminal: XtermAdapter, state: TerminalState, tracked: TrackedState, level: Level) {
    this.#terminal = terminal;
    this.#state = state;
    this.#tracked = tracked;
    this.#level = level;
  }

  render(open: OpenString | undefined): string | undefined {
    const state = this.#state;
    this.#windowProperties();
    if (state.alternate) {
      if (this.#level.behind && !this.#drawBuffer('normal')) return undefined;
      this.#leaveNormalBuffer(state.buffers.normal);
    }
    const name = state.alternate ? 'alternate' : 'normal';
    if (!this.#drawBuffer(name)) return undefined;
    const buffer = state.buffers[name];
    this.#bufferProperties(buffer);
    this.#keyboard(name);
    this.#charsets();
    this.#saveCursor(buffer);
    const tail = this.#placeCursor(buffer);
    this.#modes();
    this.#out += tail;
    if (open !== undefined) this.#out += STRING_OPENERS[open];
    return Buffer.byteLength(this.#out) <= LIMITS.snapshot ? this.#out : undefined;
  }

  #windowProperties(): void {
    const tracked = this.#tracked;
    const { extras } = this.#level;
    if (extras) for (const title of tracked.titleStack) this.#out += `\x1b]2;${title}\x07\x1b[22;2t`;
    if (tracked.title !== '' || tracked.titleStack.length > 0) this.#out += `\x1b]2;${tracked.title}\x07`;
    if (tracked.folder !== '' && tracked.folder.length <= FOLDER_MAX) this.#out += `\x1b]7;${tracked.folder}\x07`;
    for (const [key, specification] of extras ? this.#state.colors : []) {
      this.#out +=
        key < COLOR_TEXT ? `\x1b]4;${key};${specification}\x07` : `\x1b]${10 + key - COLOR_TEXT};${specification}\x07`;
    }
  }

  #setStyle(style: CellStyle): void {
    if (equalStyles(style, this.#style)) return;
    this.#out += styleChange(this.#style, style);
    this.#style = style;
  }

  #setLink(number: number): void {
    if (number === this.#link) return;
    const link = this.#terminal.linkOf(number);
    this.#out +=
      link === undefined ? '\x1b]8;;\x07' : `\x1b]8;${link.name === '' ? '' : `id=${link.name}`};${link.uri}\x07`;
    this.#link = number;
  }

  /** A cell's style as this level shows it. The link is told apart from it. */
  #shown(row: RowCells, column: number): Shown {
    const fg = row.words[column * 3 + 1] ?? 0;
    const bg = row.words[column * 3 + 2] ?? 0;
    const isExtended = (bg & BG_EXTENDED) !== 0;
    // Neighbours mostly look alike.
    if (!isExtended && fg === this.#newest.fg && bg === this.#newest.bg) return this.#newest.shown;
    const style = cellStyle(row, column, { fg: 0, bg: 0, ext: 0, link: 0 });
    const link = this.#level.extras ? style.link : 0;
    // Nothing is underlined, so the colour for it is not seen (restoring a cursor leaves such cells behind).
    if (link === 0 && (style.ext & EXT_STYLE_MASK) === 0 && (style.fg & FG_UNDERLINE) === 0) style.ext = 0;
    const shown = { style: this.#reduce(style), link };
    if (!isExtended) this.#newest = { fg, bg, shown };
    return shown;
  }

  #reduce(style: CellStyle): CellStyle {
    style.link = 0;
    style.bg &= ~BG_EXTENDED;
    const { colors, extras } = this.#level;
    if (!extras) {
      style.ext = 0;
      style.bg &= ~BG_PROTECTED;
    }
    if (colors === 'palette') {
      style.fg = toPalette(style.fg);
      style.bg = toPalette(style.bg);
    } else if (colors === 'none') {
      style.fg &= ~COLOR_MASK;
      style.bg &= ~COLOR_MASK;
    }
    style.fg >>>= 0;
    style.bg >>>= 0;
    return style;
  }

  /** False when the room was not enough. */
  #drawBuffer(name: BufferName): boolean {
    const { rows } = this.#state;
    const base = this.#state.buffers[name].base;
    if (this.#level.partial) {
      this.#drawAroundCursor(name, base);
    } else {
      this.#markWraps(name, base);
      let follows = false;
      for (let row = 0; row < rows; row++) {
        follows = this.#drawRow(name, base, row, follows);
        if (this.#out.length > LIMITS.snapshot) return false;
      }
    }
    this.#setLink(0);
    this.#setStyle(PLAIN_STYLE);
    return true;
  }

  #drawAroundCursor(name: BufferName, base: number): void {
    const { rows } = this.#state;
    const middle = Math.min(this.#state.buffers[name].y, rows - 1);
    let bytes = Buffer.byteLength(this.#out);
    for (let distance = 0; distance < rows; distance++) {
      for (const row of distance === 0 ? [middle] : [middle - distance, middle + distance]) {
        if (row < 0 || row >= rows) continue;
        const before = this.#out;
        this.#drawRow(name, base, row, false);
        bytes += Buffer.byteLength(this.#out.slice(before.length));
        if (bytes > LIMITS.snapshot - RESERVE) {
          this.#out = before;
          return;
        }
      }
    }
  }

  /** Wrap marks that drawing alone will not bring about, while the cells concerned are still blank. */
  #markWraps(name: BufferName, base: number): void {
    const { rows, cols } = this.#state;
    for (let row = 0; row + 1 < rows; row++) {
      const next = this.#terminal.nextRowAt(name, base + row + 1);
      if (next === undefined || !next.isWrapped) continue;
      if (this.#wrapsByItself(this.#terminal.rowAt(name, base + row), next)) continue;
      this.#out += `${moveTo(row, cols - 1)}  ${moveTo(row, cols - 1)}\x1b[X${moveTo(row + 1, 0)}\x1b[X`;
    }
  }

  #wrapsByItself(row: RowCells, next: RowCells): boolean {
    if (!next.isWrapped) return false;
    const last = row.length - 1;
    if (cellText(next, 0) === '' || cellWidth(next, 0) === 0) return false;
    if (cellText(row, last) !== '' || (cellWidth(row, last) === 0 && cellText(row, last - 1) !== '')) return true;
    // A wide character that did not fit leaves an empty cell in its own style.
    if (cellWidth(next, 0) !== 2 || cellText(row, last - 1) === '') return false;
    return (
      (row.words[last * 3 + 1] ?? 0) === (next.words[1] ?? 0) && (row.words[last * 3 + 2] ?? 0) === (next.words[2] ?? 0)
    );
  }

  /** Draws a row; true when the next row follows without a cursor movement. `follows` says that this one does. */
  #drawRow(name: BufferName, base: number, row: number, follows: boolean): boolean {
    const cells = this.#terminal.rowAt(name, base + row);
    const length = usedLength(cells);
    const { cols } = this.#state;
    /** Column the terminal's cursor is in, -1 when it is elsewhere. */
    let at = follows ? 0 : -1;
    for (let column = 0; column < length; ) {
      const text = cellText(cells, column);
      const width = cellWidth(cells, column);
      const { style, link } = this.#shown(cells, column);
      if (text === '' || width === 0 || column + width > cols) {
        const ground = style.bg & COLOR_MASK;
        let end = column + 1;
        while (end < length && this.#isSameBlank(cells, end, ground)) end++;
        if (ground !== 0) {
          if (at !== column) this.#out += moveTo(row, column);
          at = column;
          this.#setStyle({ fg: 0, bg: ground, ext: 0, link: 0 });
          this.#out += `\x1b[${end - column}X`;
        }
        column = end;
        continue;
      }
      if (at !== column) this.#out += moveTo(row, column);
      this.#setStyle(style);
      this.#setLink(link);
      this.#out += text;
      at = column + width;
      column += width;
      if (this.#level.repeats && width === 1) {
        let end = column;
        while (end < length && this.#isSameCell(cells, column - 1, end)) end++;
        if (end - column >= REPEAT_MIN) {
          this.#out += `\x1b[${end - column}b`;
          at = end;
          column = end;
        }
      }
    }
    if (this.#level.partial || row + 1 >= this.#state.rows) return false;
    const next = this.#terminal.nextRowAt(name, base + row + 1);
    return next !== undefined && at >= cols - 1 && this.#wrapsByItself(this.#terminal.rowAt(name, base + row), next);
  }

  #isSameBlank(cells: RowCells, column: number, ground: number): boolean {
    if (cellText(cells, column) !== '' || cellWidth(cells, column) !== 1) return false;
    return (this.#shown(cells, column).style.bg & COLOR_MASK) === ground;
  }

  #isSameCell(cells: RowCells, one: number, other: number): boolean {
    return (
      cells.words[one * 3] === cells.words[other * 3] &&
      cells.words[one * 3 + 1] === cells.words[other * 3 + 1] &&
      cells.words[one * 3 + 2] === cells.words[other * 3 + 2] &&
      ((cells.words[one * 3 + 2] ?? 0) & BG_EXTENDED) === 0 &&
      cellText(cells, one).length === 1
    );
  }

  #leaveNormalBuffer(buffer: BufferState): void {
    this.#bufferProperties(buffer);
    this.#keyboard('normal');
    const style = this.#reduce({ fg: buffer.savedFg, bg: buffer.savedBg, ext: 0, link: 0 });
    this.#out += moveTo(savedRow(buffer, this.#state.rows), Math.min(buffer.savedX, this.#state.cols - 1));
    this.#setStyle(style);
    if (buffer.savedCharset !== 'B') this.#out += `\x1b(${buffer.savedCharset}`;
    this.#out += '\x1b[?1049h';
    if (buffer.savedCharset !== 'B') this.#out += '\x1b(B';
    this.#setStyle(PLAIN_STYLE);
    if ((style.bg & COLOR_MASK) !== 0) this.#out += '\x1b[2J';
  }

  #bufferProperties(buffer: BufferState): void {
    const { cols, rows } = this.#state;
    const isDefault =
      buffer.tabs.length === Math.ceil(cols / 8) && buffer.tabs.every((stop, index) => stop === index * 8);
    if (!isDefault) {
      this.#out += '\x1b[3g';
      for (const stop of buffer.tabs) if (stop < cols) this.#out += `${moveTo(0, stop)}\x1bH`;
    }
    if (buffer.top !== 0 || buffer.bottom !== rows - 1) this.#out += `\x1b[${buffer.top + 1};${buffer.bottom + 1}r`;
  }

  #keyboard(name: BufferName): void {
    for (const flags of this.#tracked.keyboard[name]) this.#out += `\x1b[>${flags}u`;
  }

  #charsets(): void {
    const { charsets, glevel } = this.#state;
    for (const [level, flag] of charsets.entries()) if (flag !== 'B') this.#out += designate(level, flag);
    this.#out += ['', '\x0e', '\x1bn', '\x1bo'][glevel] ?? '';
  }

  /** Also brings about a charset in use that none of the four slots holds: restoring the cursor leaves such a one behind. */
  #saveCursor(buffer: BufferState): void {
    const { charset, charsets, glevel, rows, cols } = this.#state;
    const slot = charsets[glevel] ?? 'B';
    const row = savedRow(buffer, rows);
    const isHome = row === 0 && buffer.savedX === 0;
    const isPlain = buffer.savedFg === 0 && buffer.savedBg === 0 && buffer.savedCharset === 'B';
    if (isHome && isPlain && charset === slot) return;
    this.#out += moveTo(row, Math.min(buffer.savedX, cols - 1));
    this.#setStyle(this.#reduce({ fg: buffer.savedFg, bg: buffer.savedBg, ext: 0, link: 0 }));
    if (buffer.savedCharset !== slot) this.#out += designate(glevel, buffer.savedCharset);
    this.#out += '\x1b7';
    if (buffer.savedCharset !== slot) this.#out += designate(glevel, slot);
    if (charset === slot) return;
    this.#out += charset === buffer.savedCharset ? '\x1b8' : designate(glevel, charset);
  }

  /** Returns what must come last of all. */
  #placeCursor(buffer: BufferState): string {
    const state = this.#state;
    const name = state.alternate ? 'alternate' : 'normal';
    if (state.modes.origin) this.#out += '\x1b[?6h';
    const row = state.modes.origin ? buffer.y - buffer.top : buffer.y;
    const isPending = buffer.x >= state.cols;
    // Without the flag the extended attributes are a leftover that the terminal does not draw.
    const isExtended = (state.bg & BG_EXTENDED) !== 0;
    const ext = isExtended ? state.ext : state.ext & COLOR_MASK;
    const current = this.#reduce({ fg: state.fg, bg: state.bg, ext, link: 0 });
    const link = this.#level.extras && isExtended ? state.link : 0;
    let column = Math.min(buffer.x, state.cols) - 1;
    let text = '';
    if (column >= 0 && (isPending || state.join !== 0)) {
      const cells = this.#terminal.rowAt(name, buffer.base + buffer.y);
      if (cellWidth(cells, column) === 0 && column > 0) column--;
      text = cellText(cells, column);
      const shown = this.#shown(cells, column);
      const isCurrent = equalStyles(shown.style, current) && shown.link === link;
      const canEnd = isCurrent && !state.insert && state.charset === 'B';
      if (text !== '' && (isPending || canEnd)) {
        this.#out += moveTo(row, column);
        if (!canEnd) {
          this.#setStyle(shown.style);
          this.#setLink(shown.link);
          this.#out += text;
          text = '';
        }
        this.#setStyle(current);
        this.#setLink(link);
        return text;
      }
    }
    this.#out += moveTo(row, Math.min(buffer.x, state.cols - 1));
    this.#setStyle(current);
    this.#setLink(link);
    return '';
  }

  #modes(): void {
    const { modes, ...state } = this.#state;
    const set = (mode: number | string, on: boolean): void => {
      if (on) this.#out += `\x1b[${mode}h`;
    };
    set('?1', modes.applicationCursorKeys);
    set('?66', modes.applicationKeypad);
    set('?2004', modes.bracketedPasteMode);
    set('?45', modes.reverseWraparound);
    set('?1004', modes.sendFocus);
    set('?12', state.blinkOption);
    if (!modes.wraparound) this.#out += '\x1b[?7l';
    const protocol = MOUSE_PROTOCOLS.get(state.mouseProtocol);
    if (protocol !== undefined) set(`?${protocol}`, true);
    set('?1006', state.mouseEncoding === 'SGR');
    set('?1016', state.mouseEncoding === 'SGR_PIXELS');
    for (const mode of this.#tracked.modes) set(`?${mode}`, true);
    if (this.#tracked.modifyOtherKeys !== 0) this.#out += `\x1b[>4;${this.#tracked.modifyOtherKeys}m`;
    set(4, state.insert);
    set(20, state.convertEol);
    if (modes.cursorStyle !== undefined) {
      const shape = { block: 1, underline: 3, bar: 5 }[modes.cursorStyle];
      this.#out += `\x1b[${shape + (modes.cursorBlink === true ? 0 : 1)} q`;
    }
    if (state.cursorHidden) this.#out += '\x1b[?25l';
    set('?2026', modes.synchronizedOutput);
  }
}

function designate(level: number, flag: string): string {
  return `\x1b${'()*+'[level] ?? '('}${flag}`;
}

function savedRow(buffer: BufferState, rows: number): number {
  return Math.min(Math.max(buffer.savedY - buffer.base, 0), rows - 1);
}
