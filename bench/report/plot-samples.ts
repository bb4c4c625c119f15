/** How samples of times lie: from the least to the most, a tick at the median, a dot for each (or for each fiftieth part). */
import type { RowResult, Series } from '../model.ts';
import { quantile } from '../statistics.ts';
import { cut, dot, drawing, line, logScale, text, WIDTH } from './drawing.ts';
import { formatValue } from './table.ts';

const LEFT = 300;
const RIGHT = 180;
const STEP = 26;
const DOTS = 50;

function dotsOf({ samples }: Series): number[] {
  if (samples.length <= DOTS) return [...samples];
  return Array.from({ length: DOTS + 1 }, (_, index) => quantile(samples, index / DOTS));
}

/** Undefined when no row has two samples of a time. */
export function plotTimes(rows: readonly RowResult[]): string | undefined {
  const shown = rows
    .map((row) => ({ row, series: row.series.filter(({ unit, samples }) => unit === 'ms' && samples.length > 1) }))
    .filter(({ series }) => series.some(({ samples }) => samples.some((value) => value > 0)));
  if (shown.length === 0) return undefined;
  const title = 'Times, all samples';
  const parts = [
    text(16, 26, title, 'title'),
    text(LEFT, 26, 'each row with its own logarithmic scale, in ms; the tick is the median', 'quiet'),
  ];
  const end = WIDTH - RIGHT;
  let top = 56;
  for (const { row, series } of shown) {
    const { place, ticks } = logScale(
      series.flatMap(({ samples }) => samples),
      LEFT,
      end,
    );
    parts.push(text(16, top + 4, `${cut(row.title, WIDTH - 220)}${row.isQuick ? ' (quick)' : ''}`, 'strong'));
    const bottom = top + 16 + series.length * STEP;
    for (const tick of ticks) {
      parts.push(line(place(tick), top + 12, place(tick), bottom, 'line'));
      parts.push(text(place(tick), bottom + 14, String(tick), 'quiet', 'middle'));
    }
    for (const [index, one] of series.entries()) {
      const middle = top + 16 + index * STEP + STEP / 2;
      const [least, half, most] = [0, 0.5, 1].map((share) => place(quantile(one.samples, share)));
      const kind = one.name.startsWith('ours') ? 'good' : 'fair';
      parts.push(text(LEFT - 12, middle + 4, cut(one.name, LEFT - 24), '', 'end'));
      parts.push(line(least ?? LEFT, middle, most ?? LEFT, middle, 'range'));
      for (const value of dotsOf(one)) parts.push(dot(place(value), middle, 4, kind));
      parts.push(line(half ?? LEFT, middle - 9, half ?? LEFT, middle + 9, 'limit'));
      parts.push(text(end + 12, middle + 4, `median ${formatValue(quantile(one.samples, 0.5), 'ms')}`));
    }
    top = bottom + 46;
  }
  return drawing(top - 16, title, parts);
}
