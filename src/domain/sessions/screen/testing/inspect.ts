/** What an engine holds, in a form that two engines, or an engine and the plain library, can be compared by. */
import { createRequire } from 'node:module';
import {
  BG_DIM,
  BG_EXTENDED,
  BG_ITALIC,
  BG_OVERLINE,
  type CellStyle,
  COLOR_MASK,
  COLOR_MODE_MASK,
  COLOR_RGB,
  cellStyle,
  cellText,
  cellWidth,
  EXT_STYLE_MASK,
  EXT_STYLE_SHIFT,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  type RowCells,
  usedLength,
} from '../cells.ts';
import { type EngineState, openCheckpoint } from '../checkpoint.ts';
import { LoggedTerminal } from '../logged-terminal.ts';
import type { LogChunk, ScreenEngine } from '../model.ts';
import { decodeCells, decodeRuns } from '../row-codec.ts';
import type { BufferName, TerminalState } from '../terminal-state.ts';
import type { XtermAdapter } from '../xterm-adapter.ts';

const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as typeof import('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11') as typeof import('@xterm/addon-unicode11');
type Terminal = InstanceType<typeof Terminal>;

/** The library alone, with a scrollback of its own. */
export class PlainTerminal {
  readonly terminal: Terminal;

  constructor(cols: number, rows: number, scrollback = 10_000) {
    this.terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' });
    this.terminal.loadAddon(new Unicode11Addon() as unknown as import('@xterm/headless').ITerminalAddon);
    this.terminal.unicode.activeVersion = '11';
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(bytes, resolve));
  }

  /** Logical lines of the normal buffer, scrollback and screen, each cell as one string. */
  logicalLines(): string[][] {
    const buffer = this.terminal.buffer.normal;
    const lines: string[][] = [];
    for (let index = 0; index < buffer.length; index++) {
      const line = buffer.getLine(index);
      if (line === undefined) break;
      const next = buffer.getLine(index + 1);
      const cells: string[] = [];
      for (let column = 0; column < line.length; column++) {
        const cell = line.getCell(column);
        if (cell === undefined) break;
        if (cell.getWidth() === 0 && cell.getChars() === '') continue;
        const style = [
          cell.isFgDefault() ? 'd' : `${cell.isFgRGB() ? 'r' : 'p'}${cell.getFgColor()}`,
          cell.isBgDefault() ? 'd' : `${cell.isBgRGB() ? 'r' : 'p'}${cell.getBgColor()}`,
          cell.isBold() ? 'b' : '',
          cell.isDim() ? 'D' : '',
          cell.isItalic() ? 'i' : '',
          cell.isUnderline() ? 'u' : '',
          cell.isBlink() ? 'k' : '',
          cell.isInverse() ? 'v' : '',
          cell.isInvisible() ? 'h' : '',
          cell.isStrikethrough() ? 's' : '',
          cell.isOverline() ? 'o' : '',
        ].join('');
        cells.push(`${cell.getChars()}|${style}`);
      }
      joinRow(
        lines,
        cells,
        line.isWrapped && index > 0,
        next?.isWrapped ?? false,
        () => (next?.getCell(0)?.getWidth() ?? 1) === 2,
      );
    }
    return trimLines(lines);
  }
}

const BLANK = '|dd';

function joinRow(
  lines: string[][],
  cells: string[],
  continues: boolean,
  goesOn: boolean,
  nextIsWide: () => boolean,
): void {
  if (goesOn && cells.at(-1)?.startsWith('|') === true && cells.at(-1) !== BLANK && nextIsWide()) cells.pop();
  while (goesOn && cells.at(-1) === BLANK) cells.pop();
  const last = lines.at(-1);
  if (continues && last !== undefined) last.push(...cells);
  else lines.push(cells);
}

function trimLines(lines: string[][]): string[][] {
  for (const line of lines) while (line.at(-1) === BLANK) line.pop();
  while (lines.length > 0 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function color(word: number): string {
  const value = word & COLOR_MASK;
  const mode = value >>> 24;
  return mode === 0 ? 'd' : mode === 3 ? `r${value & 0xffffff}` : `p${value & 255}`;
}

/** The same form as PlainTerminal.logicalLines has. */
function styleText(style: CellStyle): string {
  const underlined =
    (style.fg & FG_UNDERLINE) !== 0 || ((style.bg & BG_EXTENDED) !== 0 && (style.ext & EXT_STYLE_MASK) !== 0);
  return [
    color(style.fg),
    color(style.bg),
    (style.fg & FG_BOLD) !== 0 ? 'b' : '',
    (style.bg & BG_DIM) !== 0 ? 'D' : '',
    (style.bg & BG_ITALIC) !== 0 ? 'i' : '',
    underlined ? 'u' : '',
    (style.fg & FG_BLINK) !== 0 ? 'k' : '',
    (style.fg & FG_INVERSE) !== 0 ? 'v' : '',
    (style.fg & FG_INVISIBLE) !== 0 ? 'h' : '',
    (style.fg & FG_STRIKETHROUGH) !== 0 ? 's' : '',
    (style.bg & BG_OVERLINE) !== 0 ? 'o' : '',
  ].join('');
}

/** Restores a checkpoint into a terminal that tests may look into. */
export function openEngine(engine: ScreenEngine): { logged: LoggedTerminal; state: EngineState } {
  const opened = openCheckpoint(engine.checkpoint().blob);
  const logged = new LoggedTerminal(engine.cols, engine.rows, 10_000);
  opened.restore(logged, engine.logChunks().chunks);
  return { logged, state: opened.state };
}

/**
 * Lines as they stand in log chunks, cell by cell, numbered from the first line that starts in them. `isOpenEnded`: the newest
 * row ends in an empty column, which is no part of the text when a wide character follows on the screen.
 */
export function storedLines(
  chunks: readonly LogChunk[],
  measure: (code: number) => number,
): { lines: string[][]; isOpenEnded: boolean } {
  const lines: string[][] = [];
  let isOpenEnded = false;
  for (const { bytes } of chunks) {
    for (let at = 8; at < bytes.length; ) {
      const length = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
      const flags = bytes[at + 2] ?? 0;
      if ((flags & 1) !== 0) lines.push([]);
      const line = lines.at(-1);
      if ((flags & 2) !== 0) line?.splice(0);
      else {
        const text = at + 5;
        const runs = text + ((bytes[at + 3] ?? 0) | ((bytes[at + 4] ?? 0) << 8));
        const starts: [number, CellStyle][] = [];
        decodeRuns(bytes, runs, at + length, (column, style) => starts.push([column, style]));
        let style: CellStyle = { fg: 0, bg: 0, ext: 0, link: 0 };
        decodeCells(bytes, text, runs, measure, (column, cell, width) => {
          while (starts[0] !== undefined && starts[0][0] <= column) style = starts.shift()?.[1] ?? style;
          if (column === 0 && width === 2 && isOpenEnded && (flags & 1) === 0) line?.pop();
          if (width !== 0 || cell !== '') line?.push(`${cell}|${styleText(style)}`);
        });
      }
      isOpenEnded = (flags & 8) !== 0;
      at += length;
    }
  }
  return { lines, isOpenEnded };
}

/** Log and screen of an engine as logical lines, to be compared with PlainTerminal.logicalLines. */
export function engineLines(engine: ScreenEngine): string[][] {
  const { logged } = openEngine(engine);
  const terminal = logged.terminal;
  const { lines, isOpenEnded } = storedLines(logged.log.chunks().chunks, terminal.measure);
  const first = terminal.scrollbackRows;
  for (let index = first; index < terminal.rowCount('normal'); index++) {
    const row = terminal.rowAt('normal', index);
    const cells: string[] = [];
    for (let column = 0; column < row.length; column++) {
      if (cellWidth(row, column) === 0 && cellText(row, column) === '') continue;
      cells.push(`${cellText(row, column)}|${styleText(cellStyle(row, column, { fg: 0, bg: 0, ext: 0, link: 0 }))}`);
    }
    // A log that was cleared has no line that the top row could continue.
    const continues = row.isWrapped && (index > first || logged.log.canContinue);
    if (continues && index === first && isOpenEnded && cellWidth(row, 0) === 2) lines.at(-1)?.pop();
    const next = terminal.nextRowAt('normal', index + 1);
    joinRow(lines, cells, continues, next?.isWrapped ?? false, () =>
      next === undefined ? false : cellWidth(next, 0) === 2,
    );
  }
  return trimLines(lines);
}

/** A colour without what an earlier true colour left in the unused bits. */
function plainColor(word: number): number {
  const mode = word & COLOR_MODE_MASK;
  return mode === COLOR_RGB ? word & COLOR_MASK : mode === 0 ? 0 : mode | (word & 255);
}

/** Style words as a viewer sees them: underlining may stand in either of two places. */
function visibleStyle(fg: number, bg: number, ext: number, keepsUnusedColor = true): string {
  const extended = (bg & BG_EXTENDED) !== 0 ? ext : ext & COLOR_MASK;
  const style = (extended & EXT_STYLE_MASK) >>> EXT_STYLE_SHIFT;
  const underline = style !== 0 ? style : (fg & FG_UNDERLINE) !== 0 ? 1 : 0;
  const flags = `${(fg & ~(FG_UNDERLINE | COLOR_MASK)) >>> 0}|${(bg & ~(BG_EXTENDED | COLOR_MASK)) >>> 0}`;
  return `${flags}|${plainColor(fg)}|${plainColor(bg)}|${underline}|${underline === 0 && !keepsUnusedColor ? 0 : plainColor(extended)}`;
}

function rowCells(terminal: XtermAdapter, row: RowCells, exact: boolean): string[] {
  const cells: string[] = [];
  const length = usedLength(row);
  for (let column = 0; column < length; column++) {
    const style = cellStyle(row, column, { fg: 0, bg: 0, ext: 0, link: 0 });
    const text = cellText(row, column);
    const width = cellWidth(row, column);
    if (!exact && (text === '' || width === 0)) {
      cells.push(width === 0 ? '' : `ground ${plainColor(style.bg)}`);
      continue;
    }
    const link = terminal.linkOf(style.link);
    // A cell with neither an underline nor a link shows no underline colour; the library keeps one in some of them.
    const shown = exact
      ? `${style.fg}|${style.bg}|${style.ext}`
      : visibleStyle(style.fg, style.bg, style.ext, link !== undefined);
    cells.push(`${text}|${width}|${shown}|${link === undefined ? '' : `${link.name} ${link.uri}`}`);
  }
  while (!exact && (cells.at(-1) === 'ground 0' || cells.at(-1) === '')) cells.pop();
  return cells;
}

/**
 * All that a viewer of this engine can tell, for comparing a screen with its snapshot; with `exact` all that its further
 * behaviour depends on, for comparing an engine with its restored twin.
 */
export function inspectEngine(engine: ScreenEngine, exact: boolean): unknown {
  const { logged, state } = openEngine(engine);
  const terminal = logged.terminal;
  const buffer = (name: BufferName): unknown => {
    const own = state.terminal.buffers[name];
    const rows: unknown[] = [];
    const from = exact ? 0 : own.base;
    for (let index = from; index < terminal.rowCount(name); index++) {
      const row = terminal.rowAt(name, index);
      rows.push({ wrapped: row.isWrapped && (exact || index > from), cells: rowCells(terminal, row, exact) });
    }
    const isActive = state.terminal.alternate === (name === 'alternate');
    if (exact) return { rows, ...own };
    if (!isActive && name === 'alternate') return {};
    return {
      rows,
      cursor: isActive ? [own.x, own.y] : undefined,
      saved: [Math.min(own.savedX, engine.cols - 1), Math.min(Math.max(own.savedY - own.base, 0), engine.rows - 1)],
      savedStyle: [visibleStyle(own.savedFg, own.savedBg & ~BG_EXTENDED, 0), own.savedCharset],
      region: [own.top, own.bottom],
      tabs: own.tabs.filter((stop) => stop < engine.cols),
    };
  };
  const { buffers: _buffers, links: _links, nextLink: _next, link, join, fg, bg, ext, ...rest } = state.terminal;
  const current = exact || (bg & BG_EXTENDED) !== 0 ? terminal.linkOf(link) : undefined;
  // A snapshot then has the charset in use, and its slot too (hasHiddenState).
  const charsets =
    exact || !hasHiddenCharset(state.terminal)
      ? state.terminal.charsets
      : state.terminal.charsets.map((flag, level) => (level === state.terminal.glevel ? state.terminal.charset : flag));
  return {
    ...rest,
    charsets,
    style: exact ? [fg, bg, ext, join] : visibleStyle(fg, bg, ext),
    link: current === undefined ? '' : `${current.name} ${current.uri}`,
    normal: buffer('normal'),
    alternate: buffer('alternate'),
    tracked: state.tracked,
    ...(exact ? { border: state.border, total: engine.log.total, oldest: engine.log.oldest } : {}),
  };
}

/** Feeds output and parses all of it. */
export function feed(engine: ScreenEngine, bytes: Uint8Array | string): void {
  engine.ingest(engine.ingestedOffset, typeof bytes === 'string' ? Buffer.from(bytes) : new Uint8Array(bytes));
  engine.parseAll();
}

/**
 * The library is in a state that no output leads to from a fresh terminal, so what it draws later cannot be told by a snapshot:
 * - its current style is at odds with itself (restoring a cursor leaves a link or an underline in one of the two places that
 *   hold it);
 * - the charset in use stands neither in its slot nor with the saved cursor (restored in one buffer, then the other was shown);
 * - the saved cursor is below the screen (clearing the scrollback does not move it) and comes nearer with each line.
 */
export function hasHiddenState(engine: ScreenEngine): boolean {
  const { terminal } = openEngine(engine).state;
  const { fg, bg, ext, link, buffers } = terminal;
  const isExtended = (bg & BG_EXTENDED) !== 0;
  const hasStyle = (ext & EXT_STYLE_MASK) !== 0;
  const hasHiddenStyle = (!isExtended && (link !== 0 || hasStyle)) || hasStyle !== ((fg & FG_UNDERLINE) !== 0);
  const isBelow = (name: BufferName): boolean => buffers[name].savedY - buffers[name].base >= engine.rows;
  return hasHiddenStyle || hasHiddenCharset(terminal) || isBelow('normal') || isBelow('alternate');
}

function hasHiddenCharset({ alternate, buffers, charset, charsets, glevel }: TerminalState): boolean {
  return charset !== charsets[glevel] && charset !== buffers[alternate ? 'alternate' : 'normal'].savedCharset;
}

export interface GridCell {
  text: string;
  /** `p` and an index, `r` and three parts, or empty for the default. */
  fg: string;
  bg: string;
  flags: string[];
}

const FLAG_NAMES: [name: string, word: 'fg' | 'bg', flag: number][] = [
  ['bold', 'fg', FG_BOLD],
  ['dim', 'bg', BG_DIM],
  ['italic', 'bg', BG_ITALIC],
  ['underline', 'fg', FG_UNDERLINE],
  ['blink', 'fg', FG_BLINK],
  ['inverse', 'fg', FG_INVERSE],
  ['invisible', 'fg', FG_INVISIBLE],
  ['strikethrough', 'fg', FG_STRIKETHROUGH],
  ['overline', 'bg', BG_OVERLINE],
];

function gridColor(word: number): string {
  const mode = word & COLOR_MODE_MASK;
  if (mode === 0) return '';
  return mode === COLOR_RGB ? `r${(word >>> 16) & 255},${(word >>> 8) & 255},${word & 255}` : `p${word & 255}`;
}

/** The grid that is shown, one entry a character (the second half of a wide one has none). */
export function gridCells(engine: ScreenEngine): GridCell[][] {
  const { logged, state } = openEngine(engine);
  const name = state.terminal.alternate ? 'alternate' : 'normal';
  return Array.from({ length: engine.rows }, (_, index) => {
    const row = logged.terminal.rowAt(name, state.terminal.buffers[name].base + index);
    const cells: GridCell[] = [];
    for (let column = 0; column < row.length; column++) {
      if (cellWidth(row, column) === 0) continue;
      const style = cellStyle(row, column, { fg: 0, bg: 0, ext: 0, link: 0 });
      cells.push({
        text: cellText(row, column),
        fg: gridColor(style.fg),
        bg: gridColor(style.bg),
        flags: FLAG_NAMES.filter(([, word, flag]) => (style[word] & flag) !== 0).map(([flag]) => flag),
      });
    }
    return cells;
  });
}
