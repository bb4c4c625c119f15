/** Claude Code draws its input between two lines, with its work right above and its mode below; a dialog takes the place of all three. */
import { readChoicePrompt } from './choice-prompt.ts';
import { NOTHING_SEEN, type ScreenAdapter, type ScreenReading, type ScreenRows } from './model.ts';
import { afterSpinner, isBlank, isLabelledRule, lastRow, shownEnd } from './rows.ts';

const BOTTOM = 15;
const WORK_ABOVE = 15;
/** Shown in the empty input, with the cursor at its start; these words and that place are all that tells it from text. */
const PLACEHOLDER = /^(?:Try "|Press up to (?:edit|select) (?:a )?queued |Resend your message)/;

export const claudeScreen: ScreenAdapter = {
  read(screen: ScreenRows): ScreenReading {
    const { rows } = screen;
    const end = shownEnd(rows);
    const input = findInput(rows, end);
    const prompt = readChoicePrompt(rows);
    if (prompt !== undefined && (input === undefined || input.top < prompt.top)) {
      return { state: 'dialog', composer: 'unknown', inputTop: prompt.top, dialog: prompt.dialog };
    }
    if (input === undefined) return NOTHING_SEEN;
    const subTasks = countSubTasks(rows.slice(input.bottom, end));
    return {
      state: stateOf(rows, input, end),
      composer: composerOf(screen, input),
      inputTop: input.top,
      ...(subTasks === undefined ? {} : { subTasks }),
    };
  },
};

interface InputArea {
  /** Its upper line, or the prompt itself where none is drawn. */
  top: number;
  prompt: number;
  bottom: number;
}

function findInput(rows: readonly string[], end: number): InputArea | undefined {
  const from = end - BOTTOM;
  const bare = lastRow(rows, from, end, (row) => row.trim() === '❯');
  const led = lastRow(rows, from, end, (row) => /^\s?[❯!]\s/u.test(row));
  // Written text looks like a prompt of an earlier turn: only between two lines it is the input.
  const framed = led === -1 ? undefined : frameOf(rows, led, end);
  if (framed !== undefined && led >= bare) return framed;
  if (bare === -1) return framed;
  return frameOf(rows, bare, end) ?? { top: bare, prompt: bare, bottom: bare + 1 };
}

function frameOf(rows: readonly string[], prompt: number, end: number): InputArea | undefined {
  if (!isLabelledRule(rows[prompt - 1])) return undefined;
  for (let index = prompt + 1; index < end; index++) {
    if (isLabelledRule(rows[index])) return { top: prompt - 1, prompt, bottom: index + 1 };
  }
  return undefined;
}

function composerOf(
  { rows, cursorRow, cursorColumn }: ScreenRows,
  { prompt, bottom }: InputArea,
): ScreenReading['composer'] {
  const first = (rows[prompt] ?? '').trimStart();
  if (first.startsWith('!')) return 'partial';
  const text = [first.slice(1), ...rows.slice(prompt + 1, bottom - 1)].join('\n').trim();
  if (text === '') return 'empty';
  const isAtStart = cursorRow === prompt && cursorColumn <= 2;
  if (!isAtStart) return 'partial';
  return PLACEHOLDER.test(text) ? 'empty' : 'unknown';
}

function stateOf(rows: readonly string[], { top, bottom }: InputArea, end: number): ScreenReading['state'] {
  if (lastRow(rows, top - WORK_ABOVE, top, isWorkingRow) !== -1) return 'working';
  // Where the spinner has not been painted yet, or is covered by a list of tasks, the row of the mode tells it.
  if (lastRow(rows, bottom, end, (row) => /(?:^|·)\s*esc to interrupt\b/u.test(row)) !== -1) return 'working';
  // On the whole screen the conversation may end far above the input.
  const last = lastRow(rows, 0, top, (row) => !isBlank(row) && !isAside(row) && !isLabelledRule(row));
  return last !== -1 && /^\s*⎿?\s*Interrupted\b/u.test(rows[last] ?? '') ? 'interrupted' : 'ready';
}

/** What stands at the right edge is no part of the conversation, e.g. the effort with its static icon. */
function isAside(row: string): boolean {
  return /^\s{20,}/u.test(row);
}

/**
 * `✽ Nucleating… (3m 50s)`, in its first seconds without the parentheses, or a refused request that it tries again. The summary
 * of a finished turn has no ellipsis. One frame of the animation is an asterisk.
 */
function isWorkingRow(row: string): boolean {
  if (isAside(row)) return false;
  const text = afterSpinner(row) ?? /^\*\s(\p{Lu}.*)$/u.exec(row)?.[1];
  return (
    text !== undefined && (/…\s*\(/u.test(text) || /^[\p{Lu}][^.…]*…$/u.test(text) || /\bretrying in \d/iu.test(text))
  );
}

/** From the row of the mode (`⏵⏵ … · 1 shell`), or a row that says nothing else. */
function countSubTasks(below: readonly string[]): number | undefined {
  let count: number | undefined;
  for (const row of below) {
    const text = row.trim();
    const parts = /^(?:⏵⏵|››)/u.test(text) ? text.split('·').map((part) => part.trim()) : [text];
    for (const part of parts) {
      const number =
        /^(\d{1,3}) (?:background )?(?:shells?|bash(?:es)?|tasks?|monitors?|(?:local )?agents?)\b(?! limit)/u.exec(
          part,
        )?.[1];
      if (number !== undefined) count = (count ?? 0) + Number(number);
    }
    if (count === undefined && /^(?:⏵⏵|››)/u.test(text)) count = 0;
  }
  return count;
}
