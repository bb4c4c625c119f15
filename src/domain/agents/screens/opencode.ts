/** OpenCode takes the whole screen: a frame of `┃` closed by `╹▀▀▀`, and a row of keys below that changes while it works. */
import { readChoicePrompt } from './choice-prompt.ts';
import { type DialogChoice, NOTHING_SEEN, type ScreenAdapter, type ScreenReading, type ScreenRows } from './model.ts';
import { lastRow, shownEnd } from './rows.ts';

const STATUS_ROWS = 3;
const PLACEHOLDER = /^(?:Ask anything|Run a command)(?:…|\.\.\.)/u;

export const opencodeScreen: ScreenAdapter = {
  read({ rows, cursorRow }: ScreenRows): ScreenReading {
    const end = shownEnd(rows);
    const dialog = permissionOf(rows, end);
    if (dialog !== undefined) return dialog;
    const close = lastRow(rows, 0, end, (row) => /╹▀{4}/u.test(row));
    const prompt = readChoicePrompt(rows);
    if (prompt !== undefined && close < prompt.top) {
      return { state: 'dialog', composer: 'unknown', inputTop: prompt.top, dialog: prompt.dialog };
    }
    if (close === -1) return NOTHING_SEEN;
    const column = (rows[close] ?? '').indexOf('╹');
    let top = close;
    while (top > 0 && rows[top - 1]?.[column] === '┃') top--;
    if (top === close) return NOTHING_SEEN;
    const below = rows.slice(close + 1, close + 1 + STATUS_ROWS).join('\n');
    // The bar is painted last: without it nothing is known.
    const composer = composerOf(rows.slice(top, close), column, cursorRow - top);
    if (/\besc (?:again to )?interrupt\b/u.test(below)) return { state: 'working', composer, inputTop: top };
    if (!/\bctrl\+p commands\b/u.test(below)) return { ...NOTHING_SEEN, inputTop: top };
    return { state: 'ready', composer, inputTop: top };
  },
};

/** The last row of the frame names the model; text stands above it. */
function composerOf(frame: readonly string[], column: number, cursorRow: number): ScreenReading['composer'] {
  const texts = frame.map((row) => (row.slice(column + 1).split(/\s{4,}\S/u)[0] ?? '').trim());
  const written = texts.slice(0, -1).filter((text) => text !== '');
  if (written.length === 0) return 'empty';
  if (PLACEHOLDER.test(written[0] ?? '') && written.length === 1) return 'empty';
  return cursorRow >= 0 && cursorRow < frame.length ? 'partial' : 'unknown';
}

/** Its answers stand side by side and are told apart by colour only, so no key takes one directly; Esc refuses. */
function permissionOf(rows: readonly string[], end: number): ScreenReading | undefined {
  const top = lastRow(rows, 0, end, (row) => /△\s+(?:Permission required|Always allow|Reject permission)/u.test(row));
  if (top === -1) return undefined;
  const answers = lastRow(
    rows,
    top + 1,
    end,
    (row) => /\benter confirm\b/u.test(row) || /Allow once\s+Allow always/u.test(row),
  );
  if (answers === -1) return undefined;
  const titles = rows.slice(top + 1, answers).map((row) => row.replace(/[┃│]/gu, ' ').trim());
  const labels = rows
    .slice(top + 1, end)
    .flatMap((row) => row.match(/Allow once|Allow always|Reject|Confirm|Cancel/gu) ?? []);
  const choices: DialogChoice[] = labels.map((label) => ({
    key: '',
    label,
    highlighted: false,
    destructive: /^(?:Reject|Cancel)/u.test(label),
    ...(label === 'Reject' ? { hint: 'esc' } : {}),
  }));
  const title = titles.find((text) => text !== '') ?? 'Permission required';
  return { state: 'dialog', composer: 'unknown', inputTop: top, dialog: { title, choices, dismiss: 'reject' } };
}
