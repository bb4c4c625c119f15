/** Gemini CLI: its input is the lowest row led by `>`, in a box or between lines; a spinner above it tells that the model works. */
import { readChoicePrompt } from './choice-prompt.ts';
import { NOTHING_SEEN, type ScreenAdapter, type ScreenReading, type ScreenRows } from './model.ts';
import { afterSpinner, isBlank, isRule, lastRow, shownEnd, withoutBox } from './rows.ts';

const WORK_ABOVE = 6;
const CONVERSATION_ABOVE = 12;
const PLACEHOLDER = /^(?:Type your message|Type your shell command|Press 'Esc' for NORMAL|Press 'i' for INSERT)/u;

export const geminiScreen: ScreenAdapter = {
  read(screen: ScreenRows): ScreenReading {
    const { rows } = screen;
    const end = shownEnd(rows);
    const input = lastRow(rows, 0, end, (row) => /^\s*[>!*](?:\s|$)/u.test(withoutBox(row)));
    const prompt = readChoicePrompt(rows);
    if (prompt !== undefined && input < prompt.top) {
      return { state: 'dialog', composer: 'unknown', inputTop: prompt.top, dialog: prompt.dialog };
    }
    // While it paints, the lowest such row may be what was asked before: then a part of the conversation follows.
    if (input === -1 || lastRow(rows, input + 1, end, isConversation) !== -1) return NOTHING_SEEN;
    const top = isRule(rows[input - 1]) ? input - 1 : input;
    return { state: stateAbove(rows, top), composer: composerOf(rows, input), inputTop: top };
  },
};

function stateAbove(rows: readonly string[], top: number): 'working' | 'interrupted' | 'ready' {
  const last = lastRow(rows, top - CONVERSATION_ABOVE, top, isConversation);
  // After a resize what was painted in the other size stands above the conversation, with its spinner.
  if (lastRow(rows, Math.max(last, top - WORK_ABOVE), top, isWorkingRow) !== -1) return 'working';
  return last !== -1 && /Request cancelled\./u.test(rows[last] ?? '') ? 'interrupted' : 'ready';
}

/** Led by the sign of an answer, a notice or a tool. */
function isConversation(row: string): boolean {
  return /^\s*[ℹ✕✦✓⚠╭]/u.test(row);
}

function isWorkingRow(row: string): boolean {
  return afterSpinner(row) !== undefined && /\(esc to cancel\b/iu.test(row);
}

function composerOf(rows: readonly string[], input: number): ScreenReading['composer'] {
  const text = withoutBox(rows[input] ?? '').trim();
  const written = text.slice(1).trim();
  const below = withoutBox(rows[input + 1] ?? '').trim();
  const goesOn = below !== '' && !isRule(below);
  if (written === '') return text.startsWith('>') && !goesOn ? 'empty' : 'unknown';
  return PLACEHOLDER.test(written) && !isBlank(written) ? 'empty' : 'partial';
}
