/**
 * Samples over time, and what the charts make of them. Times are those of this page (`performance.now`), computed from how long ago the
 * server says a sample was: no clock of either side is trusted. Pure.
 */
import type { ProcessHistory, ProcessLoad } from '../../src/contract/index.ts';
import { OWN_GROUP } from './rows.ts';

export type Metric = 'cpu_pct' | 'rss_kb';

export interface Point {
  id: number;
  at: number;
  total: ProcessLoad;
  /** By group; the server and its terminal host are one. */
  groups: ReadonlyMap<string, ProcessLoad>;
}

export interface Series {
  group: string;
  /** Undefined: all that have no colour of their own. */
  color: number | undefined;
}

export const COLORS = 7;
const LONGEST = 900_000;
/** A longer pause than this many intervals is drawn as one. */
const PAUSE = 2.5;

export class Timeline {
  points: readonly Point[] = [];
  readonly names = new Map<string, string>();
  readonly #colors = new Map<string, number>();
  interval = 3_000;
  newestId = 0;

  /** False when the server began anew, and everything before is void. */
  add(history: ProcessHistory, now: number): boolean {
    if (history.newest_id < this.newestId) {
      this.clear();
      return false;
    }
    this.interval = history.interval_ms;
    this.newestId = history.newest_id;
    for (const [group, name] of Object.entries(history.names)) this.names.set(group, name);
    const last = this.points.at(-1)?.id ?? 0;
    const added = history.samples
      .filter(({ id }) => id > last)
      .map(({ id, ago_ms, total, server, host, sessions }): Point => {
        const own = { cpu_pct: server.cpu_pct + host.cpu_pct, rss_kb: server.rss_kb + host.rss_kb };
        return { id, at: now - ago_ms, total, groups: new Map([[OWN_GROUP, own], ...Object.entries(sessions)]) };
      });
    this.points = [...this.points, ...added].filter(({ at }) => now - at <= LONGEST);
    return true;
  }

  clear(): void {
    this.points = [];
    this.newestId = 0;
  }

  within(since: number): readonly Point[] {
    return this.points.filter(({ at }) => at >= since);
  }

  /** A session keeps its colour as long as the page lives; what comes when all are taken shares the quiet one. */
  colorOf(group: string): number | undefined {
    if (group === OWN_GROUP) return undefined;
    const known = this.#colors.get(group);
    if (known !== undefined) return known;
    const taken = new Set(this.#colors.values());
    for (let color = 0; color < COLORS; color++) {
      if (taken.has(color)) continue;
      this.#colors.set(group, color);
      return color;
    }
    return undefined;
  }

  /** Colours of sessions that are in no point any more are free again. */
  freeColors(): void {
    const shown = new Set(this.points.flatMap(({ groups }) => [...groups.keys()]));
    for (const group of this.#colors.keys()) if (!shown.has(group)) this.#colors.delete(group);
  }
}

/** A chart that is mostly empty says little: while the page is young it shows less time. */
export function windowFor(age: number, most: number): number {
  const fits = [60_000, 120_000, 300_000, 900_000].find((window) => age <= window) ?? most;
  return Math.min(most, fits);
}

export function groupsIn(points: readonly Point[]): string[] {
  const found = new Set<string>();
  for (const { groups } of points) for (const group of groups.keys()) found.add(group);
  return [...found];
}

/** Points without a pause between them. */
export function runsOf(points: readonly Point[], interval: number): Point[][] {
  const runs: Point[][] = [];
  let last: Point | undefined;
  for (const point of points) {
    if (last === undefined || point.at - last.at > interval * PAUSE) runs.push([]);
    runs.at(-1)?.push(point);
    last = point;
  }
  return runs;
}

export function loadOf(point: Point, group: string, metric: Metric): number {
  return point.groups.get(group)?.[metric] ?? 0;
}

/** For each point the bottom and the top of each group, in the order of `groups`. */
export function stack(points: readonly Point[], groups: readonly string[], metric: Metric): [number, number][][] {
  return points.map((point) => {
    let sum = 0;
    return groups.map((group): [number, number] => {
      const bottom = sum;
      sum += loadOf(point, group, metric);
      return [bottom, sum];
    });
  });
}

const CPU_STEPS = [5, 10, 20, 50];

/** Top of the axis with its marks: 0, the middle and the top, all round. */
export function axisOf(most: number, metric: Metric): number[] {
  if (metric === 'cpu_pct') {
    const small = CPU_STEPS.find((step) => most <= step);
    const top = small ?? Math.ceil(most / 100) * 100;
    return [0, top / 2, top];
  }
  // Powers of two: half of a round size is round as well.
  let top = 1_024;
  while (top < most) top *= 2;
  const lower = (top / 4) * 3;
  const fits = most <= lower && top > 4_096;
  return fits ? [0, lower / 3, (lower / 3) * 2, lower] : [0, top / 2, top];
}
