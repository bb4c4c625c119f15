/** The table at the terminal. */
import type { Figure, RowResult, Unit } from '../model.ts';

export function formatValue(value: number, unit: Unit): string {
  if (unit === 'count' || unit === 'bytes') return Math.round(value).toLocaleString('en-US');
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toFixed(digits);
  if (unit === 'ratio') return `${text} ×`;
  return unit === 'percent' ? `${text} %` : `${text} ${unit}`;
}

function limit(figure: Figure, value: number | undefined): string {
  if (value === undefined) return '';
  return `${figure.relation === 'at least' ? '≥' : '≤'} ${formatValue(value, figure.unit)}`;
}

export const MARKS = {
  stretch: '★ stretch',
  must: '✓ must',
  missed: '✗ missed',
  'no baseline': '✗ no baseline',
  failed: '✗ failed',
} as const;

export function cellsOf(figure: Figure): string[] {
  return [
    figure.title,
    figure.value === undefined ? '–' : formatValue(figure.value, figure.unit),
    limit(figure, figure.must),
    limit(figure, figure.stretch),
    MARKS[figure.verdict],
  ];
}

export const HEADINGS = ['figure', 'measured', 'must', 'stretch', 'mark'];

/** Lines without colour, so that a file and a terminal show the same. */
export function formatTable(results: readonly RowResult[]): string {
  const all = [HEADINGS, ...results.flatMap((row) => row.figures.map(cellsOf))];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  const lines = [line(HEADINGS)];
  for (const row of results) {
    lines.push('', `${row.id}: ${row.title}${row.isQuick ? ' (quick: small counts, no proof)' : ''}`);
    for (const figure of row.figures) {
      lines.push(line(cellsOf(figure)));
      if (figure.reason !== undefined) lines.push(`    ${figure.reason}`);
    }
  }
  return lines.join('\n');
}
