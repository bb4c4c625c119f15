/** What stands in each cell of a terminal's screen, in the colours in which it is drawn: the plan of its picture. */
import type { IBuffer, IBufferCell, IBufferRange, ITheme } from '@xterm/xterm';
import { mix, paletteColour, parseHex, type Rgb, readableOn, sixteenOf } from './colours.ts';

export interface PictureCell {
  column: number;
  /** Cells that it takes. */
  width: number;
  /** Empty where nothing is drawn. */
  text: string;
  colour: Rgb;
  ground: Rgb;
  isBold: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
  isOverlined: boolean;
}

export interface ScreenSource {
  /** Its headless twin has the same. */
  buffer: { readonly active: Pick<IBuffer, 'viewportY' | 'getLine'> };
  rows: number;
  cols: number;
  theme: ITheme & { background: string; foreground: string };
  minimumContrast: number;
  selection?: IBufferRange | undefined;
}

const BRIGHTER = 8;

/** Letters that are pictures of surfaces and lines: their colour meets that of their neighbours, so it stays as it is. */
const SURFACES = /^[\u2500-\u259f\ue0a0-\ue0d7]/;

/** The rows that are on show, from the top. */
export function screenCells(source: ScreenSource): PictureCell[][] {
  const { buffer, rows, cols } = source;
  const painter = new CellColours(source);
  return Array.from({ length: rows }, (_, row) => {
    const y = buffer.active.viewportY + row;
    const line = buffer.active.getLine(y);
    const cells: PictureCell[] = [];
    for (let column = 0; column < cols; column++) {
      const cell = line?.getCell(column);
      // The second half of a wide letter belongs to the first.
      if (cell === undefined || cell.getWidth() === 0) continue;
      cells.push(painter.describe(cell, column, y));
    }
    return cells;
  });
}

class CellColours {
  readonly #source: ScreenSource;
  readonly #sixteen: readonly Rgb[];
  readonly #text: Rgb;
  readonly #ground: Rgb;
  readonly #selected: Rgb;

  constructor(source: ScreenSource) {
    const { theme } = source;
    this.#source = source;
    this.#sixteen = sixteenOf(theme, theme.foreground);
    this.#text = parseHex(theme.foreground);
    this.#ground = parseHex(theme.background);
    this.#selected = parseHex(theme.selectionBackground ?? theme.foreground);
  }

  describe(cell: IBufferCell, column: number, row: number): PictureCell {
    const isBold = cell.isBold() !== 0;
    let colour = this.#foreground(cell, isBold);
    let ground = this.#background(cell);
    if (cell.isInverse() !== 0) [colour, ground] = [ground, colour];
    if (isWithin(this.#source.selection, column, row)) ground = this.#selected;
    const text = cell.isInvisible() !== 0 ? '' : cell.getChars();
    const isDim = cell.isDim() !== 0;
    if (!SURFACES.test(text)) {
      colour = readableOn(colour, ground, this.#source.minimumContrast / (isDim ? 2 : 1));
    }
    if (isDim) colour = mix(colour, ground, 0.5);
    return {
      column,
      width: cell.getWidth(),
      text: text.trim() === '' ? '' : text,
      colour,
      ground,
      isBold,
      isItalic: cell.isItalic() !== 0,
      isUnderlined: cell.isUnderline() !== 0,
      isStruck: cell.isStrikethrough() !== 0,
      isOverlined: cell.isOverline() !== 0,
    };
  }

  #foreground(cell: IBufferCell, isBold: boolean): Rgb {
    if (cell.isFgDefault()) return this.#text;
    const colour = cell.getFgColor();
    if (cell.isFgRGB()) return toRgb(colour);
    // Bold text of the first eight is drawn in their brighter twins.
    return paletteColour(this.#sixteen, isBold && colour < BRIGHTER ? colour + BRIGHTER : colour);
  }

  #background(cell: IBufferCell): Rgb {
    if (cell.isBgDefault()) return this.#ground;
    const colour = cell.getBgColor();
    return cell.isBgRGB() ? toRgb(colour) : paletteColour(this.#sixteen, colour);
  }
}

function toRgb(value: number): Rgb {
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The end of a selection is the cell behind it. */
function isWithin(selection: IBufferRange | undefined, column: number, row: number): boolean {
  if (selection === undefined) return false;
  const { start, end } = selection;
  const isAfterStart = row > start.y || (row === start.y && column >= start.x);
  const isBeforeEnd = row < end.y || (row === end.y && column < end.x);
  return isAfterStart && isBeforeEnd;
}
