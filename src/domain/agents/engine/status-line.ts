/** What an agent says it is at, in the row with its spinner: `✽ Reading files… (12s)`. */
import { leadsWithSpinner } from './rows.ts';

const LONGEST_TASK = 200;

/** The lowest such row counts: the ones above it are older. */
export function readTask(rows: readonly string[]): string | undefined {
  for (const row of [...rows].reverse()) {
    if (!leadsWithSpinner(row)) continue;
    const task = /^\s*\S\s*(\S[^…]*)…/u.exec(row)?.[1]?.trim();
    if (task !== undefined && task !== '') return task.slice(0, LONGEST_TASK);
  }
  return undefined;
}
