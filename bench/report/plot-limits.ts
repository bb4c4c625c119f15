/** Figures against their limits, one line each: the tinted part is where the must holds, its darker part the stretch. */
import type { Figure, RowResult } from '../model.ts';
import { box, cut, dot, drawing, line, logScale, text, WIDTH } from './drawing.ts';
import { formatValue, MARKS } from './table.ts';

const LEFT = 424;
const RIGHT = 180;
const TOP = 66;
const STEP = 28;

const KINDS = { stretch: 'good', must: 'fair', missed: 'bad', 'no baseline': 'bad', failed: 'bad' } as const;

interface Entry {
  readonly label: string;
  readonly figure: Figure;
  readonly value: number | undefined;
  readonly must: number;
  readonly stretch: number | undefined;
}

interface Plot {
  readonly title: string;
  readonly axis: string;
  readonly unit: 'ratio' | 'share';
  readonly entries: readonly Entry[];
}

function entriesOf(rows: readonly RowResult[], isWanted: (figure: Figure) => boolean, isShare: boolean): Entry[] {
  return rows.flatMap((row) =>
    row.figures.filter(isWanted).map((figure) => {
      const whole = isShare ? figure.must : 1;
      return {
        label: `${row.id}: ${figure.title}${row.isQuick ? ' (quick)' : ''}`,
        figure,
        value: figure.value === undefined ? undefined : figure.value / whole,
        must: figure.must / whole,
        stretch: figure.stretch === undefined ? undefined : figure.stretch / whole,
      };
    }),
  );
}

function draw({ title, axis, unit, entries }: Plot): string | undefined {
  if (entries.length === 0) return undefined;
  const end = WIDTH - RIGHT;
  const bottom = TOP + entries.length * STEP;
  const values = entries.flatMap(({ value, must, stretch }) => [value, must, stretch]);
  const { place, ticks } = logScale([1, ...values.filter((value) => value !== undefined)], LEFT, end);
  const parts = [text(16, 26, title, 'title'), text(LEFT, 46, axis, 'quiet')];
  for (const tick of ticks) {
    parts.push(line(place(tick), TOP - 6, place(tick), bottom, 'line'));
    const label = unit === 'ratio' ? `${tick} ×` : `${Number((tick * 100).toPrecision(1))} %`;
    parts.push(text(place(tick), bottom + 18, label, 'quiet', 'middle'));
  }
  for (const [index, { label, figure, value, must, stretch }] of entries.entries()) {
    const top = TOP + index * STEP;
    const middle = top + STEP / 2 - 2;
    for (const limit of stretch === undefined ? [must] : [must, stretch]) {
      const from = figure.relation === 'at most' ? LEFT : place(limit);
      const to = figure.relation === 'at most' ? place(limit) : end;
      parts.push(box(from, top + 2, to - from, STEP - 8, 'holds'));
    }
    parts.push(line(place(must), top, place(must), top + STEP - 4, 'limit'));
    parts.push(text(LEFT - 12, middle + 4, cut(label, LEFT - 24), '', 'end'));
    const kind = KINDS[figure.verdict];
    if (value !== undefined) parts.push(dot(place(value), middle, 6, kind));
    const measured = figure.value === undefined ? '' : `${formatValue(figure.value, figure.unit)}  `;
    parts.push(text(end + 12, middle + 4, `${measured}${MARKS[figure.verdict]}`, `${kind} strong`));
  }
  return drawing(bottom + 32, title, parts);
}

/** Undefined when no figure has a baseline. */
export function plotRatios(rows: readonly RowResult[]): string | undefined {
  return draw({
    title: 'Ratios against baselines in the same run',
    axis: 'tinted: the must holds, darker: the stretch too; logarithmic',
    unit: 'ratio',
    entries: entriesOf(rows, ({ unit }) => unit === 'ratio', false),
  });
}

/** Figures with a limit of their own, as a share of it. Undefined when there is none. */
export function plotLimits(rows: readonly RowResult[]): string | undefined {
  return draw({
    title: 'Figures without a baseline, as a share of their must',
    axis: 'tinted: the must holds, darker: the stretch too; logarithmic',
    unit: 'share',
    entries: entriesOf(rows, ({ unit, must }) => unit !== 'ratio' && must > 0, true),
  });
}
