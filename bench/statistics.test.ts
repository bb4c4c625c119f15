import { describe, expect, it } from 'vitest';
import { judge, type Rule } from './model.ts';
import { median, medianRatio, quantile, slope } from './statistics.ts';

describe('statistics of a run', () => {
  it('interpolates between neighbours and refuses an empty sample', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
    expect(() => median([])).toThrow('no sample');
  });

  it('takes ratios within a round, so that a machine that slows down meanwhile changes nothing', () => {
    expect(medianRatio([10, 5, 1], [20, 10, 2])).toBe(0.5);
    expect(() => medianRatio([1], [1, 2])).toThrow('1 rounds against 2');
  });

  it('finds the slope of a line', () => {
    expect(slope([1, 2, 3].map((x) => ({ x, y: 4 - 2 * x })))).toBeCloseTo(-2);
    expect(() => slope([{ x: 1, y: 1 }])).toThrow('two points');
  });
});

describe('judgement of a figure', () => {
  const rule: Rule = { id: 'r', title: 'r', unit: 'ratio', relation: 'at most', must: 2, stretch: 1 };
  it('marks stretch, must and missed, and passes nothing that is no number', () => {
    expect([0.5, 1, 1.5, 2, 2.1, Number.NaN].map((value) => judge(rule, value))).toEqual([
      'stretch',
      'stretch',
      'must',
      'must',
      'missed',
      'missed',
    ]);
    expect(judge({ ...rule, relation: 'at least', must: 0.5 }, 0.4)).toBe('missed');
  });
});
