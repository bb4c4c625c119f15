import { describe, expect, it } from 'vitest';
import type { ProcessStats } from '../../src/contract/index.ts';
import { buildRows, groupKey, heatOf, OWN_GROUP, type View } from './rows.ts';

function stats(pid: number, parent_pid: number, session_id: string | null, change: Partial<ProcessStats> = {}) {
  const one: ProcessStats = {
    session_id,
    name: `program-${pid}`,
    pid,
    rss_kb: pid,
    cpu_pct: 0,
    kind: 'process',
    parent_pid,
    program: `program-${pid}`,
    command: `run ${pid}`,
    start_ticks: pid,
    age_secs: 1_000 - pid,
    state: 'S',
    is_foreground: false,
    ...change,
  };
  return one;
}

const LIST = [
  stats(50, 1, null, { kind: 'server', name: 'TUICommander', program: 'node' }),
  stats(60, 50, null, { kind: 'host', name: 'Terminal host', program: 'node' }),
  stats(100, 60, 'session-a', { kind: 'session', name: 'api', program: 'bash' }),
  stats(101, 100, 'session-a', { cpu_pct: 5, command: 'cargo TEST' }),
  stats(103, 101, 'session-a', { cpu_pct: 30 }),
  stats(102, 100, 'session-a', { cpu_pct: 20 }),
  stats(190, 1, 'session-a'),
  stats(200, 60, 'session-b', { kind: 'session', name: 'web', program: 'zsh', cpu_pct: 90 }),
];

const view = (change: Partial<View> = {}): View => ({
  sort: undefined,
  isDescending: true,
  layout: 'tree',
  filter: '',
  only: undefined,
  collapsed: new Set(),
  ...change,
});

/** `+name` for a group, else depth dots and the pid. */
const drawn = (change: Partial<View> = {}) =>
  buildRows(LIST, view(change)).map((row) =>
    row.kind === 'group' ? `+${row.name}` : `${'.'.repeat(row.depth)}${row.stats.pid}`,
  );

describe('rows of the process monitor', () => {
  it('stand as trees in groups, the server first, orphans beside the first process', () => {
    expect(drawn()).toEqual([
      '+TUICommander',
      '50',
      '60',
      '+api',
      '100',
      '.101',
      '..103',
      '.102',
      '190',
      '+web',
      '200',
    ]);
    const [own, , , api] = buildRows(LIST, view());
    expect(own).toMatchObject({ group: OWN_GROUP, count: 2, memory: 110 });
    expect(api).toMatchObject({ group: 'session-a', count: 5, cpu: 55, age: 900 });
  });

  it('know which lines go on below them', () => {
    const lines = buildRows(LIST, view()).flatMap((row) =>
      row.kind === 'process' && row.group === 'session-a' ? [[row.stats.pid, row.lines, row.isLast]] : [],
    );
    expect(lines).toEqual([
      [100, [], false],
      [101, [true], false],
      [103, [true, true], true],
      [102, [true], true],
      [190, [], true],
    ]);
  });

  it('are sorted by what a group and a subtree use together, without breaking trees', () => {
    expect(drawn({ sort: 'cpu' })).toEqual([
      '+web',
      '200',
      '+api',
      '100',
      '.101',
      '..103',
      '.102',
      '190',
      '+TUICommander',
      '50',
      '60',
    ]);
    expect(drawn({ sort: 'cpu', isDescending: false }).slice(3, 9)).toEqual([
      '+api',
      '190',
      '100',
      '.102',
      '.101',
      '..103',
    ]);
    expect(drawn({ sort: 'pid' }).slice(3, 5)).toEqual(['+api', '190']);
    expect(drawn({ sort: 'name', isDescending: false }).filter((row) => row.startsWith('+'))).toEqual([
      '+api',
      '+TUICommander',
      '+web',
    ]);
  });

  it('fold: a folded row stands for all below it', () => {
    const collapsed = new Set(['101:101', groupKey('session-b')]);
    expect(drawn({ collapsed })).toEqual(['+TUICommander', '50', '60', '+api', '100', '.101', '.102', '190', '+web']);
    const folded = buildRows(LIST, view({ collapsed })).find(({ key }) => key === '101:101');
    expect(folded).toMatchObject({ cpu: 35, memory: 204, below: 1, isCollapsed: true });
  });

  it('a filter keeps what leads to a match, also when that is folded, and every word counts', () => {
    const collapsed = new Set([groupKey('session-a')]);
    expect(drawn({ filter: 'program-103', collapsed })).toEqual(['+api', '100', '.101', '..103']);
    expect(drawn({ filter: 'cargo test' })).toEqual(['+api', '100', '.101']);
    expect(drawn({ filter: 'api 102' })).toEqual(['+api', '100', '.102']);
    expect(drawn({ filter: 'session-b' })).toEqual(['+web', '200']);
    expect(drawn({ filter: 'nothing like it' })).toEqual([]);
    expect(drawn({ only: 'session-b' })).toEqual(['+web', '200']);
  });

  it('as a list every process stands for itself', () => {
    expect(drawn({ layout: 'list', sort: 'memory' })).toEqual(['200', '190', '103', '102', '101', '100', '60', '50']);
    expect(drawn({ layout: 'list', filter: 'zsh' })).toEqual(['200']);
  });

  it('http.md 7: CPU has classes above 40 and above 80 percent', () => {
    expect([40, 40.1, 80, 80.1].map(heatOf)).toEqual(['calm', 'warm', 'warm', 'hot']);
  });
});
