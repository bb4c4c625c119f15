/** Codex: the lowest row led by `›` is its input, its work stands in the few rows above. Its titles are ignored on purpose. */
import { readChoicePrompt } from './choice-prompt.ts';
import { NOTHING_SEEN, type ScreenAdapter, type ScreenReading, type ScreenRows } from './model.ts';
import { isBlank, isLabelledRule, lastRow, shownEnd } from './rows.ts';

const WORK_ABOVE = 6;
const PROMPT = /^\s?[›»](?![›»])(?:\s|$)/u;

export const codexScreen: ScreenAdapter = {
  read(screen: ScreenRows): ScreenReading {
    const { rows } = screen;
    const end = shownEnd(rows);
    const prompt = readChoicePrompt(rows);
    const input = lastRow(rows, 0, end, (row) => PROMPT.test(row));
    // It takes the place of the input, which stands below everything else.
    if (prompt !== undefined && input <= prompt.last) {
      return { state: 'dialog', composer: 'unknown', inputTop: prompt.top, dialog: prompt.dialog };
    }
    if (input === -1) return NOTHING_SEEN;
    return { state: stateAbove(rows, input), composer: composerOf(screen, input), inputTop: input };
  },
};

function stateAbove(rows: readonly string[], input: number): 'working' | 'interrupted' | 'ready' {
  if (lastRow(rows, input - WORK_ABOVE, input, (row) => /\besc to interrupt\)/iu.test(row)) !== -1) return 'working';
  const last = lastRow(rows, 0, input, (row) => !isBlank(row) && !isLabelledRule(row));
  // The notice may be wrapped into a second row.
  return lastRow(rows, last - 2, last + 1, (row) => /^\s*■ Conversation interrupted/u.test(row)) === -1
    ? 'ready'
    : 'interrupted';
}

/** The empty input shows a suggestion; only the place of the cursor tells it from text. */
function composerOf({ rows, cursorRow, cursorColumn }: ScreenRows, input: number): ScreenReading['composer'] {
  const text = (rows[input] ?? '').trimStart().slice(1).trim();
  const isOneRow = isBlank(rows[input + 1]);
  if (text === '' && isOneRow) return 'empty';
  let bottom = input + 1;
  while (bottom < rows.length && !isBlank(rows[bottom])) bottom++;
  // Half painted: the cursor is not where it will stay.
  if (cursorRow < input || cursorRow >= bottom) return 'unknown';
  if (cursorRow > input || cursorColumn > 2) return 'partial';
  return SUGGESTION.test(text) && isOneRow ? 'empty' : 'unknown';
}

const SUGGESTION =
  /^(?:Ask Codex to do anything|Explain this codebase|Summarize recent commits|Implement \{feature\}|Find and fix a bug in @filename|Write tests for @filename|Improve documentation in @filename|Run \/review on my current changes|Use \/skills to list available skills)$/u;
