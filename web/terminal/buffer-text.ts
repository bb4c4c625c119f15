/** The text of a terminal's buffer, wrapped rows joined, and the way back from a place in it to cells. */

/** What is read of xterm's buffer; its headless twin has the same. */
export interface ReadableBuffer {
  readonly length: number;
  getLine(row: number): ReadableRow | undefined;
}

export interface ReadableRow {
  readonly isWrapped: boolean;
  readonly length: number;
  translateToString(trimRight?: boolean, start?: number, end?: number): string;
  getCell(column: number): { getWidth(): number; getChars(): string } | undefined;
}

export interface BufferText {
  readonly texts: readonly string[];
  /** First row of each text. */
  readonly rows: readonly number[];
}

/** Cells of one row. */
export interface CellRange {
  row: number;
  column: number;
  width: number;
}

export function readBufferText(buffer: ReadableBuffer): BufferText {
  const texts: string[] = [];
  const rows: number[] = [];
  for (let row = 0; row < buffer.length; ) {
    const { text, next } = readLogicalLine(buffer, row);
    texts.push(text);
    rows.push(row);
    row = next;
  }
  return { texts, rows };
}

export function readLogicalLine(buffer: ReadableBuffer, first: number): { text: string; next: number } {
  let text = '';
  let row = first;
  for (;;) {
    const next = buffer.getLine(row + 1);
    const continues = next?.isWrapped === true;
    text += rowText(buffer.getLine(row), continues ? next : undefined);
    row++;
    if (!continues) return { text, next: row };
  }
}

/** A wide letter that did not fit leaves an empty cell at the margin, which is no part of the text. */
function rowText(row: ReadableRow | undefined, wrappedNext: ReadableRow | undefined): string {
  if (row === undefined) return '';
  if (wrappedNext === undefined) return row.translateToString(true);
  const isMarginEmpty = row.getCell(row.length - 1)?.getChars() === '' && row.getCell(row.length - 1)?.getWidth() === 1;
  const end = isMarginEmpty && wrappedNext.getCell(0)?.getWidth() === 2 ? row.length - 1 : row.length;
  return row.translateToString(false, 0, end);
}

/** The cells of a part of a logical line, row by row. */
export function cellsOf(buffer: ReadableBuffer, firstRow: number, start: number, end: number): CellRange[] {
  const ranges: CellRange[] = [];
  let at = 0;
  for (let row = firstRow; at < end; row++) {
    const line = buffer.getLine(row);
    if (line === undefined || (row > firstRow && !line.isWrapped)) break;
    const next = buffer.getLine(row + 1);
    const text = rowText(line, next?.isWrapped === true ? next : undefined);
    if (at + text.length > start) {
      const from = columnOf(line, Math.max(0, start - at));
      const to = columnOf(line, Math.min(text.length, end - at));
      if (to > from) ranges.push({ row, column: from, width: to - from });
    }
    at += text.length;
  }
  return ranges;
}

/** The column in which the letter at `index` of the row's text begins. */
function columnOf(row: ReadableRow, index: number): number {
  let column = 0;
  for (let at = 0; at < index && column < row.length; ) {
    const cell = row.getCell(column);
    at += Math.max(1, cell?.getChars().length ?? 1);
    column += Math.max(1, cell?.getWidth() ?? 1);
  }
  return column;
}
