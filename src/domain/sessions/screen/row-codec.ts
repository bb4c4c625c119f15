/**
 * Rows of cells as bytes, for the compact log and for checkpoints. Lossless for content, width, colours, flags, underline
 * style and colour; links only when asked (checkpoints). A cell keeps at most CELL_CODEPOINTS code points.
 *
 * Row: cells, then style runs.
 *   cells: per cell either UTF-8 of its code points, the second and later each after JOIN; or EMPTY for a cell without
 *          content. WIDTH w before a cell whose width is not the one its first code point has. The second half of a wide
 *          character is implied.
 *   runs:  varint of columns since the run before | u8 parts | u32 fg? | u32 bg? | u32 ext? | varint link?
 */
import {
  BG_EXTENDED,
  type CellStyle,
  CODEPOINT_MASK,
  COMBINED,
  EMPTY_CONTENT,
  type RowCells,
  WIDTH_SHIFT,
} from './cells.ts';

const EMPTY = 0;
const WIDTH = 1;
const JOIN = 2;
/** Width argument of a wide character whose second half was overwritten. */
const LONE_WIDE = 6;

const CONTENT_MASK = CODEPOINT_MASK | COMBINED;

const HAS_FG = 1;
const HAS_BG = 2;
const HAS_EXT = 4;
const HAS_LINK = 8;

/** Longer stacks of combining marks are cut: nobody can read them, and a hostile stream could make them megabytes. */
export const CELL_CODEPOINTS = 32;
/** Past this many text bytes a row's cells keep their first code point only, so that any row fits into the scratch. */
const FULL_TEXT = 24_576;

/** Width of a code point as the terminal counts it. */
export type MeasureWidth = (codePoint: number) => number;

export interface EncodedRow {
  text: number;
  runs: number;
  /** Only ASCII, cells without content and the plain style. */
  plain: boolean;
  /** The row is full and its last cell has no content: a wide character that did not fit may have left it. */
  endsEmpty: boolean;
}

/** Bytes of the row encoded last: text first, then runs. Shared by all callers, who copy at once. */
const scratchBuffer = Buffer.allocUnsafeSlow(65_536);
export const scratch = new Uint8Array(scratchBuffer.buffer);

/** Copies the first `length` bytes of the scratch. */
export function copyScratch(target: Uint8Array, at: number, length: number): void {
  scratchBuffer.copy(target, at, 0, length);
}

function putVarint(at: number, value: number): number {
  let rest = value;
  let index = at;
  while (rest > 127) {
    scratch[index++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  scratch[index++] = rest;
  return index;
}

function putWord(at: number, value: number): number {
  scratch[at] = value & 255;
  scratch[at + 1] = (value >>> 8) & 255;
  scratch[at + 2] = (value >>> 16) & 255;
  scratch[at + 3] = value >>> 24;
  return at + 4;
}

function putCodePoint(at: number, code: number): number {
  let index = at;
  if (code < 0x80) {
    scratch[index++] = code;
  } else if (code < 0x800) {
    scratch[index++] = 0xc0 | (code >>> 6);
    scratch[index++] = 0x80 | (code & 63);
  } else if (code < 0x10000) {
    scratch[index++] = 0xe0 | (code >>> 12);
    scratch[index++] = 0x80 | ((code >>> 6) & 63);
    scratch[index++] = 0x80 | (code & 63);
  } else {
    scratch[index++] = 0xf0 | (code >>> 18);
    scratch[index++] = 0x80 | ((code >>> 12) & 63);
    scratch[index++] = 0x80 | ((code >>> 6) & 63);
    scratch[index++] = 0x80 | (code & 63);
  }
  return index;
}

const runColumns = new Uint32Array(4096);
const runForegrounds = new Uint32Array(4096);
const runBackgrounds = new Uint32Array(4096);
const runExtras = new Uint32Array(4096);
const runLinks = new Uint32Array(4096);

/** Encodes the first `length` cells of a row into `scratch`. */
export function encodeRow(row: RowCells, length: number, measure: MeasureWidth, withLinks: boolean): EncodedRow {
  const words = row.words;
  let at = 0;
  let runs = 0;
  let plain = true;
  let fg = 0;
  let bg = 0;
  let ext = 0;
  let link = 0;
  for (let column = 0, index = 0; column < length; column++, index += 3) {
    const content = words[index] ?? 0;
    const cellFg = words[index + 1] ?? 0;
    const cellBg = words[index + 2] ?? 0;
    if (cellFg !== fg || cellBg !== bg || (cellBg & BG_EXTENDED) !== 0) {
      let cellExt = 0;
      let cellLink = 0;
      if ((cellBg & BG_EXTENDED) !== 0) {
        cellExt = row.extended(column) >>> 0;
        if (withLinks) cellLink = row.link(column);
      }
      if (cellFg !== fg || cellBg !== bg || cellExt !== ext || cellLink !== link) {
        fg = cellFg;
        bg = cellBg;
        ext = cellExt;
        link = cellLink;
        runColumns[runs] = column;
        runForegrounds[runs] = fg;
        runBackgrounds[runs] = bg;
        runExtras[runs] = ext;
        runLinks[runs] = link;
        runs++;
      }
    }
    const width = content >>> WIDTH_SHIFT;
    if (width === 1 && (content & CONTENT_MASK) < 0x7f) {
      // Covers cells without content too: their code is EMPTY.
      scratch[at++] = content & CODEPOINT_MASK;
      continue;
    }
    plain = false;
    const lacksHalf = width === 2 && (column + 1 >= length || words[index + 3] !== 0);
    if ((content & COMBINED) !== 0) {
      at = putCombined(at, row.combined(column), lacksHalf ? LONE_WIDE : width, measure);
      continue;
    }
    const code = content & CODEPOINT_MASK;
    if (code === 0) {
      if (width !== 0 || column === 0 || (words[index - 3] ?? 0) >>> WIDTH_SHIFT !== 2) {
        // The second half of a wide character is implied; anything else without content and width is said.
        scratch[at++] = WIDTH;
        scratch[at++] = width;
        scratch[at++] = EMPTY;
      }
    } else {
      if (lacksHalf || width !== measure(code)) {
        scratch[at++] = WIDTH;
        scratch[at++] = lacksHalf ? LONE_WIDE : width;
      }
      at = putCodePoint(at, code);
    }
  }
  const text = at;
  let column = 0;
  for (let run = 0; run < runs; run++) {
    const start = runColumns[run] ?? 0;
    at = putVarint(at, start - column);
    column = start;
    const foreground = runForegrounds[run] ?? 0;
    const background = runBackgrounds[run] ?? 0;
    const extra = runExtras[run] ?? 0;
    const runLink = runLinks[run] ?? 0;
    scratch[at++] =
      (foreground === 0 ? 0 : HAS_FG) |
      (background === 0 ? 0 : HAS_BG) |
      (extra === 0 ? 0 : HAS_EXT) |
      (runLink === 0 ? 0 : HAS_LINK);
    if (foreground !== 0) at = putWord(at, foreground);
    if (background !== 0) at = putWord(at, background);
    if (extra !== 0) at = putWord(at, extra);
    if (runLink !== 0) at = putVarint(at, runLink);
  }
  const endsEmpty = length === row.length && words[(length - 1) * 3] === EMPTY_CONTENT;
  return { text, runs: at - text, plain: plain && runs === 0, endsEmpty };
}

function putCombined(start: number, text: string, width: number, measure: MeasureWidth): number {
  let at = start;
  let count = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (count === 0) {
      if (width !== measure(code)) {
        scratch[at++] = WIDTH;
        scratch[at++] = width;
      }
    } else {
      if (count >= CELL_CODEPOINTS || at > FULL_TEXT) break;
      scratch[at++] = JOIN;
    }
    at = putCodePoint(at, code);
    count++;
  }
  return at;
}

const UTF8 = new TextDecoder();

/** Calls `receive` for each cell; returns the number of columns. */
export function decodeCells(
  bytes: Uint8Array,
  start: number,
  end: number,
  measure: MeasureWidth,
  receive: (column: number, text: string, width: number) => void,
): number {
  let at = start;
  let column = 0;
  while (at < end) {
    let width = -1;
    if (bytes[at] === WIDTH) {
      width = bytes[at + 1] ?? 0;
      at += 2;
    }
    if (bytes[at] === EMPTY) {
      at++;
      const wide = width < 0 ? 1 : width;
      receive(column, '', wide);
      column += 1;
      continue;
    }
    const first = at;
    at = nextCodePoint(bytes, at);
    let text = UTF8.decode(bytes.subarray(first, at));
    while (at < end && bytes[at] === JOIN) {
      const joined = at + 1;
      at = nextCodePoint(bytes, joined);
      text += UTF8.decode(bytes.subarray(joined, at));
    }
    if (width < 0) width = measure(text.codePointAt(0) ?? 0);
    receive(column, text, width & 3);
    column += width === 2 ? 2 : 1;
  }
  return column;
}

function nextCodePoint(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return at + 1;
  if (lead < 0xe0) return at + 2;
  if (lead < 0xf0) return at + 3;
  return at + 4;
}

/** Calls `receive` for each style run, in order of columns. */
export function decodeRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  receive: (column: number, style: CellStyle) => void,
): void {
  let at = start;
  let column = 0;
  const varint = (): number => {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7;
    }
  };
  const word = (): number => {
    const value =
      ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>>
      0;
    at += 4;
    return value;
  };
  while (at < end) {
    column += varint();
    const parts = bytes[at++] ?? 0;
    const fg = (parts & HAS_FG) !== 0 ? word() : 0;
    const bg = (parts & HAS_BG) !== 0 ? word() : 0;
    const ext = (parts & HAS_EXT) !== 0 ? word() : 0;
    const link = (parts & HAS_LINK) !== 0 ? varint() : 0;
    receive(column, { fg, bg, ext, link });
  }
}
