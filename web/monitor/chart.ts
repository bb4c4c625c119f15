/** A stacked area over time with axes and a line that reads it. Draws itself anew with each change of data, size or window. */
import { draw, make, setAttribute, setText } from './elements.ts';
import { formatAge, formatAgo, formatMemory, formatPercent } from './format.ts';
import { axisOf, loadOf, type Metric, type Point, runsOf, stack } from './timeline.ts';

export interface ChartData {
  points: readonly Point[];
  interval: number;
  now: number;
  /** Milliseconds on the axis. */
  window: number;
  /** From the bottom up. */
  groups: readonly string[];
  nameOf(group: string): string;
  colorOf(group: string): string;
}

const MARGIN = { top: 8, right: 10, bottom: 20, left: 52 };
const ROWS_IN_TIP = 8;

function clockMarks(window: number, isNarrow: boolean): number[] {
  const parts = window === 300_000 || window === 900_000 ? 5 : 4;
  // Half of five parts is none; a narrow one gets every second mark from the right.
  const step = (window / parts) * (isNarrow ? 2 : 1);
  const marks: number[] = [];
  for (let ago = 0; ago <= window; ago += step) marks.push(ago);
  return marks;
}

const point = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

export class StackChart {
  readonly #metric: Metric;
  readonly #label: string;
  readonly #host: HTMLElement;
  readonly #svg = draw('svg', { role: 'img' });
  readonly #plot = draw('g');
  readonly #cursor = draw('line', { class: 'chart-cursor', hidden: true });
  readonly #tip = make('div', { class: 'chart-tip', hidden: true });
  #data: ChartData | undefined;
  #width = 0;
  #height = 0;
  #pointer: number | undefined;

  constructor(host: HTMLElement, metric: Metric, label: string) {
    this.#host = host;
    this.#metric = metric;
    this.#label = label;
    this.#svg.append(this.#plot, this.#cursor);
    host.append(this.#svg, this.#tip);
    new ResizeObserver(() => this.#resize()).observe(host);
    host.addEventListener('pointermove', (event) => this.#point(event.clientX - host.getBoundingClientRect().left));
    host.addEventListener('pointerdown', (event) => this.#point(event.clientX - host.getBoundingClientRect().left));
    host.addEventListener('pointerleave', () => this.#point(undefined));
  }

  show(data: ChartData): void {
    this.#data = data;
    this.#draw();
  }

  #format(value: number): string {
    return this.#metric === 'cpu_pct' ? formatPercent(value) : formatMemory(value);
  }

  #resize(): void {
    const [width, height] = [this.#host.clientWidth, this.#host.clientHeight];
    if ((width === this.#width && height === this.#height) || width === 0) return;
    this.#width = width;
    this.#height = height;
    this.#draw();
  }

  #point(x: number | undefined): void {
    this.#pointer = x;
    this.#read();
  }

  #right(): number {
    return this.#width - MARGIN.right;
  }

  #x(at: number, { now, window }: ChartData): number {
    return this.#right() - ((now - at) / window) * (this.#right() - MARGIN.left);
  }

  #draw(): void {
    const data = this.#data;
    if (data === undefined || this.#width === 0) return;
    const { points, groups, window } = data;
    const totals = points.map((one) => groups.reduce((sum, group) => sum + loadOf(one, group, this.#metric), 0));
    const most = Math.max(0, ...totals);
    const marks = axisOf(most, this.#metric);
    const top = marks.at(-1) ?? 1;
    const bottom = this.#height - MARGIN.bottom;
    const y = (value: number) => bottom - (value / top) * (bottom - MARGIN.top);
    const children: SVGElement[] = [];
    for (const mark of marks) {
      const at = Math.round(y(mark)) + 0.5;
      children.push(
        draw('line', {
          class: mark === 0 ? 'chart-base' : 'chart-grid',
          x1: MARGIN.left,
          x2: this.#right(),
          y1: at,
          y2: at,
        }),
        draw(
          'text',
          { class: 'chart-mark', x: MARGIN.left - 8, y: at + 3.5, 'text-anchor': 'end' },
          this.#markText(mark),
        ),
      );
    }
    for (const ago of clockMarks(window, this.#width < 420)) {
      const x = this.#x(data.now - ago, data);
      const text =
        ago === 0 ? 'now' : ago < 60_000 || ago % 60_000 !== 0 ? `−${ago / 1_000} s` : `−${ago / 60_000} min`;
      const anchor = ago === 0 ? 'end' : ago === window ? 'start' : 'middle';
      children.push(
        draw('line', { class: 'chart-tick', x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
        draw('text', { class: 'chart-mark', x, y: this.#height - 4, 'text-anchor': anchor }, text),
      );
    }
    for (const run of runsOf(points, data.interval)) children.push(...this.#areas(run, data, y));
    this.#plot.replaceChildren(...children);
    setAttribute(this.#svg, 'width', String(this.#width));
    setAttribute(this.#svg, 'height', String(this.#height));
    const newest = totals.at(-1) ?? 0;
    const peak = `at most ${this.#format(most)} in the last ${formatAge(window / 1_000)}`;
    setAttribute(this.#svg, 'aria-label', `${this.#label}: ${this.#format(newest)} now, ${peak}`);
    this.#read();
  }

  #markText(value: number): string {
    if (this.#metric === 'rss_kb')
      return value === 0 ? '0' : formatMemory(value).replace('.0 ', ' ').replace('.00 ', ' ');
    return `${value} %`;
  }

  #areas(run: readonly Point[], data: ChartData, y: (value: number) => number): SVGElement[] {
    const layers = stack(run, data.groups, this.#metric);
    const first = run[0];
    if (first === undefined) return [];
    // One sample alone is drawn as wide as the time it stands for.
    const xs = run.map(({ at }) => this.#x(at, data));
    if (xs.length === 1) {
      layers.unshift(layers[0] ?? []);
      xs.unshift(Math.max(MARGIN.left, this.#x(first.at - data.interval, data)));
    }
    return data.groups.flatMap((group, layer) => {
      const edge = (side: 0 | 1) => xs.map((x, at) => point(x, y(layers[at]?.[layer]?.[side] ?? 0)));
      const upper = edge(1);
      const isEmpty = layers.every((values) => (values[layer]?.[1] ?? 0) - (values[layer]?.[0] ?? 0) <= 0);
      if (isEmpty) return [];
      const color = data.colorOf(group);
      return [
        draw('path', { class: `chart-area ${color}`, d: `M${upper.join('L')}L${edge(0).reverse().join('L')}Z` }),
        draw('path', { class: `chart-line ${color}`, d: `M${upper.join('L')}` }),
      ];
    });
  }

  /** Values at the sample nearest to the pointer. */
  #read(): void {
    const data = this.#data;
    const nearest = data === undefined || this.#pointer === undefined ? undefined : this.#nearest(this.#pointer, data);
    this.#cursor.toggleAttribute('hidden', nearest === undefined);
    this.#tip.hidden = nearest === undefined;
    if (data === undefined || nearest === undefined) return;
    const x = this.#x(nearest.at, data);
    for (const name of ['x1', 'x2']) setAttribute(this.#cursor, name, x.toFixed(1));
    setAttribute(this.#cursor, 'y1', String(MARGIN.top));
    setAttribute(this.#cursor, 'y2', String(this.#height - MARGIN.bottom));
    const present = data.groups
      .map((group) => ({ group, value: loadOf(nearest, group, this.#metric) }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value);
    const rows = present
      .slice(0, ROWS_IN_TIP)
      .map(({ group, value }) =>
        make(
          'div',
          { class: 'tip-row' },
          make('i', { class: `swatch ${data.colorOf(group)}` }),
          make('bdi', { class: 'tip-name' }, data.nameOf(group)),
          make('b', {}, this.#format(value)),
        ),
      );
    const more = present.length - rows.length;
    if (more > 0) rows.push(make('div', { class: 'tip-row' }, `and ${more} more`));
    const head = make('div', { class: 'tip-head' });
    setText(head, formatAgo(data.now - nearest.at));
    this.#tip.replaceChildren(head, ...rows);
    const isRight = x > this.#width / 2;
    this.#tip.style.left = isRight ? 'auto' : `${x + 12}px`;
    this.#tip.style.right = isRight ? `${this.#width - x + 12}px` : 'auto';
  }

  #nearest(pointer: number, data: ChartData): Point | undefined {
    let best: Point | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const candidate of data.points) {
      const away = Math.abs(this.#x(candidate.at, data) - pointer);
      if (away >= distance) continue;
      best = candidate;
      distance = away;
    }
    return best;
  }
}

/** CPU of one group as a line without axes, for a row of the table. */
export function sparkline(data: ChartData, group: string, width: number, height: number): SVGElement {
  // Before it began it was not idle, it was not there.
  const points = data.points.filter(({ groups }) => groups.has(group));
  const values = points.map((one) => loadOf(one, group, 'cpu_pct'));
  const top = Math.max(20, ...values);
  const x = (at: number) => width - ((data.now - at) / data.window) * width;
  const y = (value: number) => height - 1 - (value / top) * (height - 2);
  const paths = runsOf(points, data.interval).map((run) => {
    const line = run.map((one) => point(x(one.at), y(loadOf(one, group, 'cpu_pct')))).join('L');
    return draw('path', { class: `spark-line ${data.colorOf(group)}`, d: `M${line}` });
  });
  return draw('svg', { class: 'spark', width, height, 'aria-hidden': 'true' }, ...paths);
}
