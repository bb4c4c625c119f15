import { describe, expect, it } from 'vitest';
import { qrPath } from './qr-code.tsx';

/** The dark cells of a path, by row and column. */
function cellsOf(path: string): Set<string> {
  return new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`));
}

describe('DESIGN 9: the remote address as a code', () => {
  const { size, path } = qrPath('http://192.168.1.20:9877/mobile');
  const cells = cellsOf(path);

  it('has the three marks in its corners that a camera finds it by, and none in the fourth', () => {
    const last = size - 4 - 7;
    const isMark = (left: number, top: number) =>
      Array.from({ length: 7 }, (_, at) => at).every(
        (at) =>
          cells.has(`${left + at},${top}`) &&
          cells.has(`${left + at},${top + 6}`) &&
          cells.has(`${left},${top + at}`) &&
          cells.has(`${left + 6},${top + at}`),
      ) &&
      cells.has(`${left + 3},${top + 3}`) &&
      !cells.has(`${left + 1},${top + 1}`);
    expect([isMark(4, 4), isMark(last, 4), isMark(4, last), isMark(last, last)]).toEqual([true, true, true, false]);
  });

  it('keeps a border of four cells empty on every side', () => {
    const outside = [...cells].filter((cell) => cell.split(',').some((at) => Number(at) < 4 || Number(at) >= size - 4));
    expect(outside).toEqual([]);
    expect((size - 8 - 17) % 4, 'a size that codes have').toBe(0);
  });

  it('another address is another code', () => {
    expect(qrPath('http://192.168.1.21:9877/mobile').path).not.toBe(path);
  });
});
