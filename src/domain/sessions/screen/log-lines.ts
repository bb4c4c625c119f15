/** Rows of cells as lines of styled text (LogLine), from stored bytes or from the live grid. */
import type { LogColor, LogLine, LogSpan } from '../../../contract/index.ts';
import {
  BG_EXTENDED,
  BG_ITALIC,
  type CellStyle,
  COLOR_MODE_MASK,
  COLOR_PALETTE_16,
  COLOR_PALETTE_256,
  cellStyle,
  cellText,
  cellWidth,
  EXT_STYLE_MASK,
  FG_BOLD,
  FG_INVERSE,
  FG_UNDERLINE,
  PLAIN_STYLE,
  type RowCells,
  usedLength,
} from './cells.ts';
import { decodeCells, decodeRuns, type MeasureWidth } from './row-codec.ts';

type SpanStyle = Omit<LogSpan, 'text'>;

function colorOf(word: number): LogColor | undefined {
  switch (word & COLOR_MODE_MASK) {
    case 0:
      return undefined;
    case COLOR_PALETTE_16:
    case COLOR_PALETTE_256:
      return { idx: word & 255 };
    default:
      return { rgb: [(word >>> 16) & 255, (word >>> 8) & 255, word & 255] };
  }
}

/** Inverse video is folded into the two colours; a default colour becomes 0 as text and 7 as ground then. */
function spanStyle(style: CellStyle): SpanStyle {
  let fg = colorOf(style.fg);
  let bg = colorOf(style.bg);
  if ((style.fg & FG_INVERSE) !== 0) [fg, bg] = [bg ?? { idx: 0 }, fg ?? { idx: 7 }];
  const span: SpanStyle = {};
  if (fg !== undefined) span.fg = fg;
  if (bg !== undefined) span.bg = bg;
  if ((style.fg & FG_BOLD) !== 0) span.bold = true;
  if ((style.bg & BG_ITALIC) !== 0) span.italic = true;
  const underlined =
    (style.fg & FG_UNDERLINE) !== 0 || ((style.bg & BG_EXTENDED) !== 0 && (style.ext & EXT_STYLE_MASK) !== 0);
  if (underlined) span.underline = true;
  return span;
}

function equalColors(one: LogColor | undefined, other: LogColor | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if ('idx' in one) return 'idx' in other && one.idx === other.idx;
  return 'rgb' in other && one.rgb.every((part, index) => part === other.rgb[index]);
}

function equalSpans(one: SpanStyle, other: SpanStyle): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.underline === other.underline &&
    equalColors(one.fg, other.fg) &&
    equalColors(one.bg, other.bg)
  );
}

/** Builds one line of spans. Cells without content count only when something follows or their ground is coloured. */
export class LineBuilder {
  readonly #spans: LogSpan[] = [];
  #style: SpanStyle = {};
  #text = '';
  #blanks = 0;
  #emptyTail: CellStyle | undefined;

  setStyle(style: CellStyle): void {
    const next = spanStyle(style);
    if (equalSpans(next, this.#style)) return;
    // Pending blanks were written in the style before; they show only its ground.
    if (this.#blanks > 0 && (this.#style.bg !== undefined || next.bg !== undefined)) this.#flushBlanks();
    this.#endSpan();
    this.#style = next;
  }

  addText(text: string): void {
    this.#flushBlanks();
    this.#text += text;
  }

  /** A row begins. `isWide`: with a wide character, for which the last column of the row before had no room. */
  startRow(isWide: boolean): void {
    const tail = this.#emptyTail;
    this.#emptyTail = undefined;
    if (tail === undefined || isWide) return;
    this.setStyle(tail);
    this.addBlank();
  }

  /** The row ends in an empty column; whether that is text shows when the next one begins. */
  endRowEmpty(style: CellStyle): void {
    this.#emptyTail = style;
  }

  addBlank(): void {
    if (this.#style.bg !== undefined) this.addText(' ');
    else this.#blanks++;
  }

  finish(): LogLine {
    this.startRow(false);
    this.#endSpan();
    return { spans: this.#spans };
  }

  #flushBlanks(): void {
    if (this.#blanks === 0) return;
    this.#text += ' '.repeat(this.#blanks);
    this.#blanks = 0;
  }

  #endSpan(): void {
    if (this.#text === '') return;
    this.#spans.push({ text: this.#text, ...this.#style });
    this.#text = '';
  }
}

const ASCII = new TextDecoder('latin1');

/** `isPlain`: the text is ASCII only and has no runs. `endsEmpty`: the last column of the terminal is a cell without content. */
export interface StoredForm {
  isPlain: boolean;
  endsEmpty: boolean;
}

/** Adds a stored row. */
export function addStoredRow(
  builder: LineBuilder,
  bytes: Uint8Array,
  text: number,
  runs: number,
  end: number,
  form: StoredForm,
  measure: MeasureWidth,
): void {
  if (form.isPlain) {
    builder.startRow(false);
    builder.setStyle(PLAIN_STYLE);
    addPlainText(builder, ASCII.decode(bytes.subarray(text, runs)));
    return;
  }
  const columns: number[] = [];
  const styles: CellStyle[] = [];
  decodeRuns(bytes, runs, end, (column, style) => {
    columns.push(column);
    styles.push(style);
  });
  let next = 0;
  let hasStarted = false;
  // The tail is one byte: a cell without content, one column wide.
  const tail = form.endsEmpty ? 1 : 0;
  decodeCells(bytes, text, runs - tail, measure, (column, cell, width) => {
    if (!hasStarted) {
      hasStarted = true;
      builder.startRow(width === 2);
      builder.setStyle(PLAIN_STYLE);
    }
    while (next < columns.length && (columns[next] ?? 0) <= column) {
      builder.setStyle(styles[next] ?? PLAIN_STYLE);
      next++;
    }
    if (cell !== '') builder.addText(cell);
    else if (width === 1) builder.addBlank();
  });
  if (!hasStarted) builder.startRow(false);
  // A row that is full has a style up to its last column.
  if (form.endsEmpty) builder.endRowEmpty(styles.at(-1) ?? PLAIN_STYLE);
}

function addPlainText(builder: LineBuilder, text: string): void {
  if (!text.includes('\0')) {
    if (text !== '') builder.addText(text);
    return;
  }
  for (const part of text.split(/(\0)/)) {
    if (part === '\0') builder.addBlank();
    else if (part !== '') builder.addText(part);
  }
}

/** Adds a row of the live grid. */
export function addGridRow(builder: LineBuilder, row: RowCells): void {
  const length = usedLength(row);
  const style: CellStyle = { fg: 0, bg: 0, ext: 0, link: 0 };
  builder.setStyle(PLAIN_STYLE);
  for (let column = 0; column < length; column++) {
    builder.setStyle(cellStyle(row, column, style));
    const text = cellText(row, column);
    if (text !== '') builder.addText(text);
    else if (cellWidth(row, column) === 1) builder.addBlank();
  }
}

/** Plain text of a row without trailing blanks. */
export function rowText(row: RowCells): string {
  let text = '';
  const length = usedLength(row);
  for (let column = 0; column < length; column++) {
    const cell = cellText(row, column);
    if (cell !== '') text += cell;
    else if (cellWidth(row, column) !== 0) text += ' ';
  }
  return text.trimEnd();
}
