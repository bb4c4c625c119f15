/**
 * Words of a terminal cell. A cell is three 32-bit words: content, foreground with flags, background with flags.
 * The layout is that of the pinned terminal library; xterm-adapter.test.ts proves that it still holds.
 */

/** Content word: code point in the low 21 bits, then "several code points", then two bits of width. */
export const CODEPOINT_MASK = 0x1fffff;
export const COMBINED = 0x200000;
export const WIDTH_SHIFT = 22;
export const EMPTY_CONTENT = 1 << WIDTH_SHIFT;

/** Colours in both style words: mode in bits 25 and 26, value below. */
export const COLOR_MODE_MASK = 0x3000000;
export const COLOR_PALETTE_16 = 0x1000000;
export const COLOR_PALETTE_256 = 0x2000000;
export const COLOR_RGB = 0x3000000;
export const COLOR_MASK = 0x3ffffff;

export const FG_INVERSE = 0x4000000;
export const FG_BOLD = 0x8000000;
export const FG_UNDERLINE = 0x10000000;
export const FG_BLINK = 0x20000000;
export const FG_INVISIBLE = 0x40000000;
export const FG_STRIKETHROUGH = 0x80000000;

export const BG_ITALIC = 0x4000000;
export const BG_DIM = 0x8000000;
export const BG_EXTENDED = 0x10000000;
export const BG_PROTECTED = 0x20000000;
export const BG_OVERLINE = 0x40000000;

/** Extended word: underline colour below, underline style in bits 27 to 29. */
export const EXT_STYLE_MASK = 0x1c000000;
export const EXT_STYLE_SHIFT = 26;

/** One grid row as the library stores it, read through the adapter. */
export interface RowCells {
  /** Three words a cell. */
  readonly words: Uint32Array;
  readonly length: number;
  /** This row continues the one above. */
  readonly isWrapped: boolean;
  /** Text of a cell whose content word says COMBINED. */
  combined(column: number): string;
  /** Extended word of a cell whose background word says BG_EXTENDED. */
  extended(column: number): number;
  /** Link of such a cell, 0 without one. */
  link(column: number): number;
}

/** Style of a run of cells. `ext` and `link` are 0 unless `bg` says BG_EXTENDED. */
export interface CellStyle {
  fg: number;
  bg: number;
  ext: number;
  link: number;
}

export const PLAIN_STYLE: Readonly<CellStyle> = { fg: 0, bg: 0, ext: 0, link: 0 };

export function equalStyles(one: CellStyle, other: CellStyle): boolean {
  return one.fg === other.fg && one.bg === other.bg && one.ext === other.ext && one.link === other.link;
}

export function isCombining(content: number): boolean {
  return (content & COMBINED) !== 0;
}

/** Text of one cell, empty for a cell without content. */
export function cellText(row: RowCells, column: number): string {
  const content = row.words[column * 3] ?? 0;
  if ((content & COMBINED) !== 0) return row.combined(column);
  const code = content & CODEPOINT_MASK;
  return code === 0 ? '' : String.fromCodePoint(code);
}

export function cellWidth(row: RowCells, column: number): number {
  return (row.words[column * 3] ?? 0) >>> WIDTH_SHIFT;
}

export function cellStyle(row: RowCells, column: number, into: CellStyle): CellStyle {
  into.fg = row.words[column * 3 + 1] ?? 0;
  into.bg = row.words[column * 3 + 2] ?? 0;
  const extended = (into.bg & BG_EXTENDED) !== 0;
  into.ext = extended ? row.extended(column) : 0;
  into.link = extended ? row.link(column) : 0;
  return into;
}

/** Number of leading cells that are not untouched (no content and the plain style). */
export function usedLength(row: RowCells): number {
  const words = row.words;
  let end = row.length * 3;
  // Four cells at a time: rows are mostly blank at the end, and every row that scrolls passes here.
  while (end >= 12) {
    const rest =
      ((words[end - 3] ?? 0) ^ EMPTY_CONTENT) |
      ((words[end - 6] ?? 0) ^ EMPTY_CONTENT) |
      ((words[end - 9] ?? 0) ^ EMPTY_CONTENT) |
      ((words[end - 12] ?? 0) ^ EMPTY_CONTENT) |
      (words[end - 2] ?? 0) |
      (words[end - 1] ?? 0) |
      (words[end - 5] ?? 0) |
      (words[end - 4] ?? 0) |
      (words[end - 8] ?? 0) |
      (words[end - 7] ?? 0) |
      (words[end - 11] ?? 0) |
      (words[end - 10] ?? 0);
    if (rest !== 0) break;
    end -= 12;
  }
  while (end > 0 && words[end - 3] === EMPTY_CONTENT && words[end - 2] === 0 && words[end - 1] === 0) end -= 3;
  return end / 3;
}
