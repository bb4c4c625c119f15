import { describe, expect, it } from 'vitest';
import type { BenchFile, Figure, RowResult } from '../model.ts';
import { figuresPage, publicText, replaceFigures } from './page.ts';
import { plotLimits, plotRatios } from './plot-limits.ts';
import { plotTimes } from './plot-samples.ts';
import { readBenchFile } from './read.ts';

const RATIO = { id: 'ratio', title: 'rate against bare', unit: 'ratio', relation: 'at least', must: 0.6 } as const;
const TIME = { id: 'time', title: 'screen after', unit: 'ms', relation: 'at most', must: 50, stretch: 20 } as const;
const LOST = { id: 'lost', title: 'bytes lost', unit: 'bytes', relation: 'at most', must: 0 } as const;

function row(id: string, figures: Figure[], more: Partial<RowResult> = {}): RowResult {
  const base = { title: `Row ${id}`, at: '2026-01-02T03:04:05.000Z', seconds: 1, isQuick: false, rounds: 5 };
  return { id, ...base, figures, series: [], notes: [], loadBefore: 0.1, ...more };
}

function fileOf(rows: RowResult[]): BenchFile {
  const machine = { cpu: 'A <cpu>', cores: 2, memoryGb: 8, system: 'linux 6.1', node: '20.0.0' };
  return { commit: 'abcdef', machine, rows };
}

const ROWS = [
  row('burst', [
    { ...RATIO, value: 0.7, verdict: 'must' },
    { ...RATIO, title: 'rate against tmux', reason: 'no tmux | on <PATH>', verdict: 'no baseline' },
  ]),
  row('back', [{ ...TIME, value: 70, verdict: 'missed' }], {
    isQuick: true,
    loadBefore: 1.5,
    series: [
      { name: 'screen', unit: 'ms', samples: [60, 70, 0, 90] },
      { name: 'nothing', unit: 'ms', samples: [] },
    ],
  }),
  row('exit', [{ ...LOST, value: 0, verdict: 'must' }]),
  row('start', [{ ...TIME, title: 'x'.repeat(400), reason: 'it\nbroke', verdict: 'failed' }], {
    notes: ['failed: it\nbroke'],
  }),
];

const XML =
  /^<svg [^<]*>\n<style>[^<]*<\/style>\n(?:<(?:rect|line|circle) [^<>]*\/>\n|<text [^<>]*>[^<>]*<\/text>\n)*<\/svg>\n$/;

describe('the figures of docs/performance.md', () => {
  it('say of each figure whether it passed, and of one that has no number why', () => {
    const page = figuresPage(fileOf(ROWS), { known: ['burst', 'back', 'exit', 'start', 'echo'], pictures: [] });
    expect(page).toContain('**2 of 5 musts hold, 0 of them with the stretch.**');
    expect(page).toContain('| burst | rate against bare | 0.70 × | ≥ 0.60 × |  | ✓ must |');
    expect(page).toContain('| burst | rate against tmux | – | ≥ 0.60 × |  | ✗ no baseline |');
    expect(page).toContain('- **burst**, rate against tmux: no baseline: no tmux | on &lt;PATH>');
    expect(page).toContain('- **back**, screen after: 70.0 ms where ≤ 50.0 ms is asked');
    expect(page).toContain('- **start**: failed: it broke');
    expect(page).toContain('- Small counts, no proof (`--quick`): back');
    expect(page).toContain('- Not measured in this run: echo');
    expect(page).toContain('- Load average of 1 or more before the row began: back (1.5)');
    expect(page).toContain('| back | nothing | – | – | 0 |');
  });

  it('tell neither addresses nor folders of who measured', () => {
    expect(publicText('cannot read /opt/x/file.js of https://example.org/a?b, GET /health is tools/call')).toBe(
      'cannot read …/file.js of (address) GET /health is tools/call',
    );
  });

  it('replace those of before and nothing else of the page', () => {
    const page =
      'above\n<!-- figures: written by npm run bench:report, changes are lost -->\nold\n<!-- figures: end -->\nbelow';
    const once = replaceFigures(page, 'new');
    expect(once).toMatch(/^above\n<!--.*-->\n\nnew\n\n<!-- figures: end -->\nbelow$/);
    expect(replaceFigures(once, 'new')).toBe(once);
    expect(() => replaceFigures('a page', 'new')).toThrow('no place for figures');
  });

  it('draw what has a number and name what has none', () => {
    const ratios = plotRatios(ROWS);
    const limits = plotLimits(ROWS);
    const times = plotTimes(ROWS);
    for (const picture of [ratios, limits, times]) expect(picture).toMatch(XML);
    expect(ratios).toContain('✗ no baseline');
    expect(ratios?.match(/<circle/g)).toHaveLength(1);
    expect(limits).toContain('✗ failed');
    expect(times?.match(/<circle/g)).toHaveLength(4);
    expect([plotRatios([]), plotLimits([]), plotTimes([])]).toEqual([undefined, undefined, undefined]);
  });

  it('come from JSON in which a number could not be told', () => {
    const told = row('back', [{ ...TIME, value: Number.NaN, verdict: 'missed' }], {
      series: [{ name: 'screen', unit: 'ms', samples: [Number.NaN, 2] }],
    });
    const [read] = readBenchFile(JSON.stringify(fileOf([told]))).rows;
    expect(read?.figures[0]).not.toHaveProperty('value');
    expect(read?.series[0]?.samples).toEqual([2]);
    expect(() => readBenchFile('{"commit":"a"}')).toThrow('not the JSON of a run: machine');
  });
});
