import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../src/contract/index.ts';
import { HELD_LINES, LogBuffer, lineText } from './log-buffer.ts';

const lines = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from }, (_, index) => ({ spans: [{ text: `line ${from + index}` }] }));

const held = (buffer: LogBuffer) =>
  Array.from({ length: buffer.end - buffer.first }, (_, index) =>
    lineText(buffer.line(buffer.first + index) ?? { spans: [] }),
  );

const texts = (from: number, to: number) => lines(from, to).map(lineText);

function filled(from: number, to: number): LogBuffer {
  const buffer = new LogBuffer();
  buffer.reset(from, lines(from, to), [], to);
  return buffer;
}

describe('log buffer', () => {
  it('newer lines follow, older ones come before; each is there once', () => {
    const buffer = filled(10, 20);
    buffer.append(20, lines(20, 25), true);
    buffer.append(18, lines(18, 27), true);
    expect(buffer.prepend(5, lines(5, 10))).toBe(true);
    expect(buffer.prepend(0, lines(0, 3)), 'it would leave a hole').toBe(false);
    expect(held(buffer)).toEqual(texts(5, 27));
  });

  it('keeps a bounded number of lines while followed', () => {
    const buffer = filled(0, 0);
    for (let at = 0; at < 10_000; at += 500) buffer.append(at, lines(at, at + 500), true);
    expect(buffer.end).toBe(10_000);
    expect(buffer.end - buffer.first).toBeLessThanOrEqual(HELD_LINES.most);
    expect(held(buffer).at(-1)).toBe('line 9999');
  });

  it('counts what does not fit while somebody reads further up, and never moves what is read', () => {
    const buffer = filled(0, 1_000);
    expect(buffer.append(1_000, lines(1_000, 1_800), false)).toBe(true);
    expect(buffer.append(1_800, lines(1_800, 2_600), false)).toBe(false);
    expect([buffer.first, buffer.end, buffer.total, buffer.isCut]).toEqual([0, 1_800, 2_600, true]);
    expect(buffer.append(2_600, lines(2_600, 2_601), false), 'nor a line behind a hole').toBe(false);
    buffer.append(2_601, lines(2_601, 2_602), true);
    expect([held(buffer), buffer.isCut]).toEqual([['line 2601'], false]);
  });

  it('P1: lines that will not come leave a mark with their number', () => {
    const buffer = filled(0, 10);
    buffer.gap(10, 50, 'slow viewer');
    buffer.append(50, lines(50, 52), true);
    expect(buffer.marks).toEqual([{ before: 50, missing: 40, reason: 'slow viewer' }]);
    expect(held(buffer)).toEqual(texts(50, 52));
    buffer.gap(40, 45, 'evicted');
    expect(held(buffer), 'a gap that is behind changes nothing').toEqual(texts(50, 52));
  });

  it('CSI 3 J empties what stood above', () => {
    const buffer = filled(0, 10);
    buffer.gap(10, 10, 'cleared by program');
    expect([held(buffer), buffer.first]).toEqual([[], 10]);
    buffer.append(10, lines(10, 12), true);
    buffer.gap(11, 11, 'cleared by program');
    expect(held(buffer)).toEqual(['line 11']);
  });

  it('whatever comes, it holds an unbroken run of right lines', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('append' as const),
        count: fc.nat(900),
        isFollowed: fc.boolean(),
        back: fc.nat(5),
      }),
      fc.record({ kind: fc.constant('older' as const), count: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ kind: fc.constant('gap' as const), count: fc.nat(30) }),
      fc.record({ kind: fc.constant('clear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const buffer = filled(100, 110);
        let total = 110;
        for (const each of steps) {
          if (each.kind === 'append') {
            const from = Math.max(100, total - each.back);
            buffer.append(from, lines(from, total + each.count), each.isFollowed);
            total += each.count;
          } else if (each.kind === 'older') {
            const from = Math.max(0, buffer.first - each.count);
            buffer.prepend(from, lines(from, buffer.first));
          } else if (each.kind === 'gap') {
            buffer.gap(total, total + each.count, 'evicted');
            total += each.count;
          } else buffer.gap(total, total, 'cleared by program');
          expect(held(buffer)).toEqual(texts(buffer.first, buffer.end));
          expect(buffer.total).toBe(total);
          expect(buffer.end).toBeLessThanOrEqual(total);
        }
      }),
      { numRuns: 30 },
    );
  });
});
