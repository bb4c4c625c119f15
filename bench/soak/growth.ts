/**
 * How fast memory grows, in MB a minute. Each kill begins a new life of the server, which fills up anew: so only samples at
 * the same age of two lives are compared, and the median of all these slopes is the growth. A run with one life is compared
 * with itself. The median bears the few samples in which a burst or a collection was under way.
 */
import { quantile } from '../statistics.ts';

export interface Point {
  /** Seconds. */
  readonly at: number;
  readonly life: number;
  readonly age: number;
  readonly megabytes: number;
}

export interface Growth {
  /** MB a minute. */
  readonly rate: number;
  /** How far the samples lie from that line, as MB a minute over the time they cover: what no rate below it can be told from. */
  readonly uncertainty: number;
  readonly lives: number;
}

/** Lives are compared within steps of age this long, in seconds. */
const STEP = 4;

function pairsOf(points: readonly Point[]): [Point, Point][] {
  const lives = new Set(points.map((point) => point.life));
  const pairs: [Point, Point][] = [];
  for (const [index, first] of points.entries()) {
    for (const second of points.slice(index + 1)) {
      if (second.at - first.at < STEP) continue;
      const isComparable =
        lives.size === 1 || (first.life !== second.life && Math.abs(first.age - second.age) < STEP / 2);
      if (isComparable) pairs.push([first, second]);
    }
  }
  return pairs;
}

export function growthOf(points: readonly Point[]): Growth {
  const pairs = pairsOf(points);
  const slopes = pairs.map(([first, second]) => ((second.megabytes - first.megabytes) / (second.at - first.at)) * 60);
  const rate = quantile(slopes, 0.5);
  // What is left of each pair when the growth is taken away, by the quartiles, over the whole time.
  const rests = pairs.map(
    ([first, second]) => second.megabytes - first.megabytes - (rate * (second.at - first.at)) / 60,
  );
  const spread = (quantile(rests, 0.75) - quantile(rests, 0.25)) / 2;
  const minutes = (Math.max(...points.map(({ at }) => at)) - Math.min(...points.map(({ at }) => at))) / 60;
  return { rate, uncertainty: spread / minutes, lives: new Set(points.map(({ life }) => life)).size };
}
