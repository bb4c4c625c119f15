/** The figures as a part of docs/performance.md, in Markdown. */
import { type BenchFile, type Figure, isPassed, type RowResult } from '../model.ts';
import { quantile } from '../statistics.ts';
import { cellsOf, formatValue, HEADINGS } from './table.ts';

export interface Picture {
  /** As the page links it. */
  readonly path: string;
  readonly alternative: string;
}

const REASON_LENGTH = 160;

/** One line for a page that everyone reads: without addresses, and without the folders of who measured. */
export function publicText(text: string): string {
  const plain = text
    .replace(/\s+/g, ' ')
    .replace(/\b[a-z][a-z+]*:\/\/\S+/gi, '(address)')
    .replace(/(?<![\w/.:])(?:~|\/[\w.@+-]+)(?:\/[\w.@+-]+)*\/([\w.@+-]+)/g, '…/$1')
    .trim();
  return plain.length <= REASON_LENGTH ? plain : `${plain.slice(0, REASON_LENGTH - 1)}…`;
}

function cell(text: string): string {
  return publicText(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function table(headings: readonly string[], lines: readonly (readonly string[])[]): string {
  const write = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [write(headings), `|${'---|'.repeat(headings.length)}`, ...lines.map(write)].join('\n');
}

function figuresTable(rows: readonly RowResult[]): string {
  const lines = rows.flatMap((row) =>
    row.figures.map((figure) => [`${row.id}${row.isQuick ? ' (quick)' : ''}`, ...cellsOf(figure)]),
  );
  return table(['row', ...HEADINGS], lines);
}

function samplesTable(rows: readonly RowResult[]): string {
  const lines = rows.flatMap((row) =>
    row.series.map(({ name, unit, samples }) => {
      if (samples.length === 0) return [row.id, name, '–', '–', '0'];
      const [least, half, most] = [0, 0.5, 1].map((share) => formatValue(quantile(samples, share), unit));
      return [row.id, name, half ?? '–', `${least} to ${most}`, String(samples.length)];
    }),
  );
  return table(['row', 'series', 'median', 'least to most', 'samples'], lines);
}

function nameOf(row: RowResult, figure: Figure): string {
  return `**${row.id}**, ${figure.title}`;
}

/** What a reader would otherwise have to look for: what does not pass, and what a figure must not be taken for. */
function remarks(rows: readonly RowResult[], absent: readonly string[]): string[] {
  const found: string[] = [];
  for (const row of rows) {
    for (const figure of row.figures) {
      if (isPassed(figure)) continue;
      const [, measured, must] = cellsOf(figure);
      const why =
        figure.reason === undefined
          ? `${measured} where ${must} is asked`
          : `${figure.verdict}: ${publicText(figure.reason)}`;
      found.push(`- ${nameOf(row, figure)}: ${why.replaceAll('<', '&lt;')}`);
    }
    for (const note of row.notes) found.push(`- **${row.id}**: ${publicText(note).replaceAll('<', '&lt;')}`);
  }
  const quick = rows.filter((row) => row.isQuick).map((row) => row.id);
  if (quick.length > 0) found.push(`- Small counts, no proof (\`--quick\`): ${quick.join(', ')}`);
  if (absent.length > 0) found.push(`- Not measured in this run: ${absent.join(', ')}`);
  const busy = rows.filter((row) => row.loadBefore >= 1).map((row) => `${row.id} (${row.loadBefore.toFixed(1)})`);
  if (busy.length > 0) found.push(`- Load average of 1 or more before the row began: ${busy.join(', ')}`);
  return found;
}

function when(rows: readonly RowResult[]): string {
  const times = rows.map((row) => row.at.slice(0, 16).replace('T', ' ')).sort();
  const [first, last] = [times[0], times.at(-1)];
  return first === last ? `${first} UTC` : `${first} to ${last} UTC`;
}

export interface PageOptions {
  /** Ids of all rows there are, in order. */
  readonly known: readonly string[];
  readonly pictures: readonly Picture[];
}

export function figuresPage({ commit, machine, rows }: BenchFile, { known, pictures }: PageOptions): string {
  if (rows.length === 0) return 'The run has no row.';
  const figures = rows.flatMap((row) => row.figures);
  const stretched = figures.filter(({ verdict }) => verdict === 'stretch').length;
  const absent = known.filter((id) => !rows.some((row) => row.id === id));
  const found = remarks(rows, absent);
  return [
    `Measured ${when(rows)} at commit \`${commit}\` on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ` +
      `${machine.system}, Node ${machine.node}.\n` +
      `**${figures.filter(isPassed).length} of ${figures.length} musts hold, ${stretched} of them with the stretch.**`,
    figuresTable(rows),
    ...(found.length === 0 ? [] : ['### What to know of them', found.join('\n')]),
    ...(pictures.length === 0 ? [] : ['### Plots']),
    ...pictures.map(({ path, alternative }) => `![${alternative}](${path})`),
    '### All series',
    samplesTable(rows),
  ].join('\n\n');
}

const BEGIN = '<!-- figures: written by npm run bench:report, changes are lost -->';
const END = '<!-- figures: end -->';

/** The page with its figures replaced; everything else on it is written by hand. */
export function replaceFigures(page: string, figures: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error(`the page has no place for figures: "${BEGIN}" … "${END}"`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${figures}\n\n${page.slice(to)}`;
}
