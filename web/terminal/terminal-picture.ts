/**
 * A picture of a terminal as the person has it before them: the rows on show, in its font, size and colours, with cursor and selection.
 * Drawn from the buffer, not read back from the screen: so it is the same whatever draws the terminal, and there also while the browser
 * does not draw the page at all (a window behind others).
 */
import type { Terminal } from '@xterm/xterm';
import { LIMITS } from '../../src/contract/index.ts';
import { parseHex, toHex } from './colours.ts';
import type { TerminalTheme } from './palettes.ts';
import { type PictureCell, screenCells } from './picture-cells.ts';

export interface PictureSource {
  terminal: Terminal;
  theme: TerminalTheme;
  hasCursor: boolean;
}

const MARGIN = 8;
const SHARPEST = 2;
/** Pixels of a picture; a larger screen is drawn smaller. */
const MOST_PIXELS = 8_000_000;
const SMALLEST = 0.25;
/** Letters stay sharp and colours what they are; only a screen full of noise is too large for it. */
const LOSSLESS = 1;
const LOSSY = 0.92;

interface Metrics {
  width: number;
  height: number;
  baseline: number;
}

/** WebP, or PNG where the browser writes no WebP. Undefined when it does not get small enough. */
export async function drawTerminal(source: PictureSource): Promise<Blob | undefined> {
  const { terminal } = source;
  const metrics = measureCell(terminal);
  const width = metrics.width * terminal.cols + 2 * MARGIN;
  const height = metrics.height * terminal.rows + 2 * MARGIN;
  const sharpest = Math.min(window.devicePixelRatio || 1, SHARPEST, Math.sqrt(MOST_PIXELS / (width * height)));
  for (let scale = sharpest; scale >= SMALLEST * sharpest; scale /= 2) {
    const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
    const pen = canvas.getContext('2d', { alpha: false });
    if (pen === null) return undefined;
    pen.scale(scale, scale);
    draw(pen, source, metrics, { width, height });
    for (const quality of [LOSSLESS, LOSSY]) {
      const picture = await canvas.convertToBlob({ type: 'image/webp', quality });
      if (picture.size <= LIMITS.windowPicture) return picture;
    }
  }
  return undefined;
}

function fontOf(terminal: Terminal, cell?: PictureCell): string {
  const { fontSize = 14, fontFamily = 'monospace' } = terminal.options;
  return `${cell?.isItalic ? 'italic ' : ''}${cell?.isBold ? 'bold ' : ''}${fontSize}px ${fontFamily}`;
}

function measureCell(terminal: Terminal): Metrics {
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  if (pen === null) throw new Error('the browser draws nothing');
  pen.font = fontOf(terminal);
  const { width, fontBoundingBoxAscent, fontBoundingBoxDescent } = pen.measureText('W');
  return {
    width,
    height: Math.ceil(fontBoundingBoxAscent + fontBoundingBoxDescent),
    baseline: Math.ceil(fontBoundingBoxAscent),
  };
}

function draw(
  pen: OffscreenCanvasRenderingContext2D,
  { terminal, theme, hasCursor }: PictureSource,
  metrics: Metrics,
  size: { width: number; height: number },
): void {
  const { buffer, rows, cols } = terminal;
  const rowsOfCells = screenCells({
    buffer,
    rows,
    cols,
    theme: theme.colours,
    minimumContrast: terminal.options.minimumContrastRatio ?? 1,
    selection: terminal.getSelectionPosition(),
  });
  pen.fillStyle = theme.colours.background;
  // To the last pixel, of which a part may be left over.
  pen.fillRect(0, 0, size.width + 1, size.height + 1);
  pen.translate(MARGIN, MARGIN);
  pen.textBaseline = 'alphabetic';
  // All grounds first: a letter may reach a little into its neighbour.
  rowsOfCells.forEach((cells, row) => {
    for (const cell of cells) {
      const ground = toHex(cell.ground);
      if (ground === theme.colours.background) continue;
      pen.fillStyle = ground;
      // Whole pixels, or a seam shows between neighbours.
      const left = Math.floor(cell.column * metrics.width);
      const right = Math.ceil((cell.column + cell.width) * metrics.width);
      pen.fillRect(left, row * metrics.height, right - left, metrics.height);
    }
  });
  rowsOfCells.forEach((cells, row) => {
    for (const cell of cells) drawLetters(pen, terminal, cell, row, metrics);
  });
  const { cursorX, cursorY, baseY, viewportY } = buffer.active;
  const cursorRow = baseY + cursorY - viewportY;
  if (hasCursor && cursorRow >= 0 && cursorRow < rows) {
    const under = rowsOfCells[cursorRow]?.findLast(({ column }) => column <= cursorX);
    drawCursor(pen, terminal, theme, { column: cursorX, row: cursorRow, under }, metrics);
  }
}

function drawLetters(
  pen: OffscreenCanvasRenderingContext2D,
  terminal: Terminal,
  cell: PictureCell,
  row: number,
  metrics: Metrics,
): void {
  const left = cell.column * metrics.width;
  const top = row * metrics.height;
  const width = cell.width * metrics.width;
  pen.fillStyle = toHex(cell.colour);
  if (cell.text !== '') {
    pen.font = fontOf(terminal, cell);
    // A letter from another font may be wider than its cells.
    pen.fillText(cell.text, left, top + metrics.baseline, width + 1);
  }
  if (cell.isUnderlined) pen.fillRect(left, top + metrics.baseline + 1, width, 1);
  if (cell.isStruck) pen.fillRect(left, top + Math.round(metrics.height / 2), width, 1);
  if (cell.isOverlined) pen.fillRect(left, top, width, 1);
}

function drawCursor(
  pen: OffscreenCanvasRenderingContext2D,
  terminal: Terminal,
  { colours }: TerminalTheme,
  { column, row, under }: { column: number; row: number; under: PictureCell | undefined },
  metrics: Metrics,
): void {
  const { cursorStyle } = terminal.options;
  const left = column * metrics.width;
  const top = row * metrics.height;
  pen.fillStyle = colours.cursor;
  if (cursorStyle === 'bar') pen.fillRect(left, top, 2, metrics.height);
  else if (cursorStyle === 'underline') pen.fillRect(left, top + metrics.height - 2, metrics.width, 2);
  else {
    const width = metrics.width * (under?.column === column ? under.width : 1);
    pen.fillRect(left, top, width, metrics.height);
    if (under?.column !== column) return;
    drawLetters(pen, terminal, { ...under, colour: parseHex(colours.background) }, row, metrics);
  }
}
