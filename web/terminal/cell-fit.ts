/** Sizes: how many cells fit into a place, and how small letters must be when more cells are asked for than fit. */
import { LIMITS } from '../../src/contract/index.ts';

export interface PixelSize {
  width: number;
  height: number;
}

export interface CellCount {
  rows: number;
  cols: number;
}

/** Smaller letters cannot be read; a larger terminal than this allows is scrolled. */
export const SMALLEST_FONT = 6;

export function fitCells(place: PixelSize, cell: PixelSize): CellCount | undefined {
  if (!(cell.width > 0 && cell.height > 0 && place.width > 0 && place.height > 0)) return undefined;
  return {
    rows: clamp(Math.floor(place.height / cell.height), 1, LIMITS.rowsMax),
    cols: clamp(Math.floor(place.width / cell.width), 2, LIMITS.colsMax),
  };
}

/** The font size, in half pixels, at which `wanted` fits where `fitting` cells fit at `fontSize`. Never larger than that. */
export function fitFont(fontSize: number, fitting: CellCount, wanted: CellCount): number {
  const ratio = Math.min(1, fitting.rows / wanted.rows, fitting.cols / wanted.cols);
  return ratio === 1 ? fontSize : Math.max(SMALLEST_FONT, Math.floor(fontSize * ratio * 2) / 2);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
