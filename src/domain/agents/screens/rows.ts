/** What adapters ask of single rows. Rows are plain text; nothing here depends on their width. */

/** One more than the last row that shows something: an inline program leaves the rest of a tall terminal blank. */
export function shownEnd(rows: readonly string[]): number {
  let end = rows.length;
  while (end > 0 && isBlank(rows[end - 1])) end--;
  return end;
}

export function isBlank(row: string | undefined): boolean {
  return row === undefined || row.trim() === '';
}

/** A horizontal line and nothing else, as agents draw it around their input; three cells are enough on a narrow screen. */
export function isRule(row: string | undefined): boolean {
  return row !== undefined && /^[\s╭╰├┌└╔╚]*[─━═▀▄▔▁╌┄]{3,}[─━═▀▄▔▁╌┄\s╮╯┤┐┘╗╝]*$/u.test(row);
}

/** A rule into which a program may have written a label, e.g. the name of a tool. */
export function isLabelledRule(row: string | undefined): boolean {
  return row !== undefined && (isRule(row) || /^\s*[─━╌┄]{3,}.*[─━╌┄]\s*$/u.test(row));
}

/** The row without the sides of a box around it. */
export function withoutBox(row: string): string {
  return row.replace(/^(\s*)[│┃║▌▏](?=\s|$)/u, '$1 ').replace(/\s*[│┃║▐▕█]?\s*$/u, '');
}

/** Moved between the frames of an animation: the dingbats of Claude, circles, braille. */
const SPINNER = /^[\u2720-\u273f\u00b7\u25d0-\u25d3\u2801-\u28ff]/u;

/** The text behind a spinner that leads the row; undefined without one (a spinner within a row is decoration). */
export function afterSpinner(row: string): string | undefined {
  const text = row.trimStart();
  return SPINNER.test(text) && (text.length === 1 || /^.\s/u.test(text)) ? text.slice(1).trim() : undefined;
}

/** Index of the last row in [from, to) that satisfies `test`, or -1. */
export function lastRow(rows: readonly string[], from: number, to: number, test: (row: string) => boolean): number {
  for (let index = Math.min(to, rows.length) - 1; index >= Math.max(0, from); index--) {
    if (test(rows[index] ?? '')) return index;
  }
  return -1;
}
