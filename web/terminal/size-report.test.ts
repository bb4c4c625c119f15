import { describe, expect, it } from 'vitest';
import { DEADLINES } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { SizeReport } from './size-report.ts';

describe('T13: sizes that change quickly', () => {
  it('100 in a second are told a few times, and the last one always', () => {
    const clock = new ManualClock();
    const told: number[] = [];
    const report = new SizeReport(clock, ({ cols }) => told.push(cols));
    for (let cols = 1; cols <= 100; cols++) {
      report.change({ rows: 24, cols });
      clock.advance(10);
    }
    clock.advance(DEADLINES.sizePace);
    expect(told[0]).toBe(1);
    expect(told.at(-1)).toBe(100);
    expect(told.length).toBeLessThanOrEqual(1_000 / DEADLINES.sizePace + 2);
    clock.advance(10 * DEADLINES.sizePace);
    report.change({ rows: 24, cols: 7 });
    expect(told.at(-1)).toBe(7);
  });

  it('nothing is told after the terminal is put away', () => {
    const clock = new ManualClock();
    const told: number[] = [];
    const report = new SizeReport(clock, ({ cols }) => told.push(cols));
    report.change({ rows: 24, cols: 1 });
    report.change({ rows: 24, cols: 2 });
    report.dispose();
    clock.advance(10 * DEADLINES.sizePace);
    expect(told).toEqual([1]);
  });
});
