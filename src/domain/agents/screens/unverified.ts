/** Agents that nobody has tried with us yet: what their rows seem to say is a hint, never a confirmation (STM-30). */
import { readChoicePrompt } from './choice-prompt.ts';
import { NOTHING_SEEN, type ScreenAdapter, type ScreenReading, type ScreenRows } from './model.ts';
import { afterSpinner, lastRow, shownEnd, withoutBox } from './rows.ts';

const BOTTOM = 15;
const WORK_ABOVE = 15;

function dialogBelow(rows: readonly string[], input: number): ScreenReading | undefined {
  const prompt = readChoicePrompt(rows);
  if (prompt === undefined || input > prompt.last || (input !== -1 && input < prompt.top - BOTTOM)) return undefined;
  return { state: 'dialog', composer: 'unknown', inputTop: prompt.top, dialog: prompt.dialog };
}

/** A bare `>` among the last three rows; its bar moves while it works. */
export const aiderScreen: ScreenAdapter = {
  read({ rows }: ScreenRows): ScreenReading {
    const end = shownEnd(rows);
    if (lastRow(rows, end - 3, end, (row) => /░█|█░/u.test(row)) !== -1) {
      return { state: 'working', composer: 'unknown' };
    }
    const input = lastRow(rows, end - 3, end, (row) => row.trimEnd() === '>');
    return input === -1 ? NOTHING_SEEN : { state: 'ready', composer: 'empty', inputTop: input };
  },
};

/** `❯`, bare or in a box; a lone `█` at the right edge is a scrollbar. */
export const grokScreen: ScreenAdapter = {
  read({ rows }: ScreenRows): ScreenReading {
    const end = shownEnd(rows);
    const input = lastRow(rows, end - BOTTOM, end, (row) => withoutBox(row).trim() === '❯');
    if (input === -1) return dialogBelow(rows, input) ?? NOTHING_SEEN;
    const isWorking = lastRow(rows, input - WORK_ABOVE, input, isSpinnerRow) !== -1;
    return { state: isWorking ? 'working' : 'ready', composer: 'empty', inputTop: input };
  },
};

/** A gauge of its context stands below the input: `12.3%/200k … • model`. */
export const piScreen: ScreenAdapter = {
  read({ rows }: ScreenRows): ScreenReading {
    const end = shownEnd(rows);
    const gauge = lastRow(rows, end - BOTTOM, end, (row) => /\d%\/\S/u.test(row) && row.includes(' • '));
    if (gauge === -1) return dialogBelow(rows, gauge) ?? NOTHING_SEEN;
    const isWorking = lastRow(rows, gauge - WORK_ABOVE, gauge, isSpinnerRow) !== -1;
    return { state: isWorking ? 'working' : 'ready', composer: 'unknown' };
  },
};

function isSpinnerRow(row: string): boolean {
  return (afterSpinner(withoutBox(row)) ?? '') !== '';
}
