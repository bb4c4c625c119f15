import { describe, expect, it } from 'vitest';
import type { ProcessHistory } from '../../src/contract/index.ts';
import { formatAge, formatMemory, formatPercent } from './format.ts';
import { OWN_GROUP } from './rows.ts';
import { axisOf, COLORS, groupsIn, loadOf, runsOf, stack, Timeline, windowFor } from './timeline.ts';

const load = (cpu_pct: number, rss_kb = 1) => ({ cpu_pct, rss_kb });

function history(agos: readonly [id: number, ago: number][], sessions: Record<string, number> = {}): ProcessHistory {
  return {
    interval_ms: 3_000,
    machine: null,
    names: Object.fromEntries(Object.keys(sessions).map((id) => [id, `name of ${id}`])),
    newest_id: agos.at(-1)?.[0] ?? 0,
    samples: agos.map(([id, ago_ms]) => ({
      id,
      ago_ms,
      process_count: 2,
      total: load(9),
      server: load(1),
      host: load(2),
      sessions: Object.fromEntries(Object.entries(sessions).map(([session, cpu]) => [session, load(cpu)])),
    })),
  };
}

describe('time line of the process monitor', () => {
  it('puts samples on the page’s own clock, each once, and forgets after a quarter of an hour', () => {
    const timeline = new Timeline();
    const first: [number, number][] = [
      [1, 3_000],
      [2, 0],
    ];
    expect(timeline.add(history(first), 100_000)).toBe(true);
    timeline.add(history([[2, 3_000], ...([[3, 0]] as [number, number][])]), 103_000);
    expect(timeline.points.map(({ id, at }) => [id, at])).toEqual([
      [1, 97_000],
      [2, 100_000],
      [3, 103_000],
    ]);
    timeline.add(history([[4, 0]]), 1_001_000);
    expect(timeline.points.map(({ id }) => id)).toEqual([3, 4]);
  });

  it('a server that began anew makes everything before void', () => {
    const timeline = new Timeline();
    timeline.add(history([[40, 0]]), 1_000);
    expect(timeline.add(history([[2, 0]]), 4_000)).toBe(false);
    expect([timeline.points, timeline.newestId]).toEqual([[], 0]);
    expect(timeline.add(history([[2, 0]]), 4_000)).toBe(true);
    expect(timeline.points).toHaveLength(1);
  });

  it('server and host are one group, and sessions lie on it', () => {
    const timeline = new Timeline();
    timeline.add(history([[1, 0]], { a: 10, b: 20 }), 1_000);
    const groups = groupsIn(timeline.points);
    expect(groups).toEqual([OWN_GROUP, 'a', 'b']);
    expect(stack(timeline.points, groups, 'cpu_pct')).toEqual([
      [
        [0, 3],
        [3, 13],
        [13, 33],
      ],
    ]);
    const [point] = timeline.points;
    if (point === undefined) throw new Error('there is no point');
    expect(loadOf(point, 'a session that is gone', 'cpu_pct')).toBe(0);
    expect(timeline.names.get('a')).toBe('name of a');
  });

  it('a pause is a gap, not a line', () => {
    const timeline = new Timeline();
    const agos: [number, number][] = [
      [1, 60_000],
      [2, 57_000],
      [3, 3_000],
      [4, 0],
    ];
    timeline.add(history(agos), 100_000);
    expect(runsOf(timeline.points, 3_000).map((run) => run.map(({ id }) => id))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('sessions keep their colours, which are free again when nothing of them is left to see', () => {
    const timeline = new Timeline();
    const names = Array.from({ length: COLORS + 1 }, (_, at) => `s${at}`);
    timeline.add(history([[1, 0]], Object.fromEntries(names.map((name) => [name, 1]))), 0);
    expect(names.map((name) => timeline.colorOf(name))).toEqual([...Array(COLORS).keys(), undefined]);
    expect(timeline.colorOf(OWN_GROUP)).toBeUndefined();
    timeline.add(history([[2, 0]], { s1: 1, late: 1 }), 1_000_000);
    timeline.freeColors();
    expect([timeline.colorOf('late'), timeline.colorOf('s1')]).toEqual([0, 1]);
  });

  it('axes end at round figures above the most', () => {
    expect([0, 5, 12, 50, 51, 101, 230].map((most) => axisOf(most, 'cpu_pct').at(-1))).toEqual([
      5, 5, 20, 50, 100, 200, 300,
    ]);
    const megabytes = (most: number) => axisOf(most * 1_024, 'rss_kb').map((mark) => mark / 1_024);
    expect(megabytes(0)).toEqual([0, 0.5, 1]);
    expect(megabytes(150)).toEqual([0, 64, 128, 192]);
    expect(megabytes(200)).toEqual([0, 128, 256]);
    expect(megabytes(3_000)).toEqual([0, 1_024, 2_048, 3_072]);
  });

  it('shows less time while the page is young, never more than was asked', () => {
    expect([0, 60_000, 61_000, 200_000, 901_000].map((age) => windowFor(age, 300_000))).toEqual([
      60_000, 60_000, 120_000, 300_000, 300_000,
    ]);
    expect(windowFor(400_000, 900_000)).toBe(900_000);
  });
});

describe('figures', () => {
  it('http.md 7: memory in KB and MB, CPU in percent, ages in words', () => {
    expect([0, 512, 1_024, 15_360, 1_048_576, 24_000_000].map(formatMemory)).toEqual([
      '0 KB',
      '512 KB',
      '1.0 MB',
      '15 MB',
      '1.00 GB',
      '22.9 GB',
    ]);
    expect([0, 0.04, 0.1, 99.9, 100, 203.4].map(formatPercent)).toEqual([
      '0 %',
      '0 %',
      '0.1 %',
      '99.9 %',
      '100 %',
      '203 %',
    ]);
    expect([0, 59, 60, 3_600, 5_400, 36_000, 200_000].map(formatAge)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h',
      '1 h 30 min',
      '10 h',
      '2 d',
    ]);
  });
});
