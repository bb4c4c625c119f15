import { describe, expect, it } from 'vitest';
import { fitCells, fitFont, SMALLEST_FONT } from './cell-fit.ts';

describe('size in cells', () => {
  it('counts whole cells, at least one row and two columns, at most what a session may have', () => {
    expect(fitCells({ width: 803, height: 499 }, { width: 8, height: 20 })).toEqual({ cols: 100, rows: 24 });
    expect(fitCells({ width: 5, height: 5 }, { width: 8, height: 20 })).toEqual({ cols: 2, rows: 1 });
    expect(fitCells({ width: 99_999, height: 99_999 }, { width: 8, height: 20 })).toEqual({ cols: 500, rows: 500 });
  });

  it('knows nothing about a place or a cell without size', () => {
    expect(fitCells({ width: 0, height: 10 }, { width: 8, height: 20 })).toBeUndefined();
    expect(fitCells({ width: 10, height: 10 }, { width: Number.NaN, height: 20 })).toBeUndefined();
  });
});

describe('T13: letters shrink when another window asks for more cells', () => {
  it('stays as it is while the wanted size fits', () => {
    expect(fitFont(14, { cols: 100, rows: 30 }, { cols: 80, rows: 30 })).toBe(14);
  });

  it('shrinks by the tighter side, in half pixels, down to a readable end', () => {
    expect(fitFont(14, { cols: 100, rows: 30 }, { cols: 200, rows: 30 })).toBe(7);
    expect(fitFont(14, { cols: 100, rows: 30 }, { cols: 120, rows: 45 })).toBe(9);
    expect(fitFont(14, { cols: 40, rows: 30 }, { cols: 500, rows: 500 })).toBe(SMALLEST_FONT);
  });
});
