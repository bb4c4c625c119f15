/**
 * Dialogs with numbered answers (STM-44), as agents draw them at the end of their screen: a title, at least two options that
 * count from 1, one of them pointed at or a footer that names keys. A list in prose or code has neither, or is followed by more text.
 */
import type { DialogChoice, ScreenDialog } from './model.ts';
import { isBlank, isLabelledRule, shownEnd, withoutBox } from './rows.ts';

export interface ChoicePrompt {
  readonly dialog: ScreenDialog;
  /** Its first row: the title. */
  readonly top: number;
  /** Row of its last option. */
  readonly last: number;
}

interface OptionRow {
  readonly at: number;
  readonly number: number;
  readonly isPointedAt: boolean;
  /** Column of the number: what continues the label stands further to the right. */
  readonly indent: number;
  readonly label: string;
}

/** Below the options stand hints only; above, the title is not far. */
const FOOTER_ROWS = 8;
const TITLE_ROWS = 12;
/** Rows of explanation between two options. */
const BETWEEN_ROWS = 6;

const OPTION = /^(\s*)([❯›»>●→▶]?)(\s*)(\d{1,2})[.)]\s+(\S.*)$/u;
const OWN_KEY = /\(((?:[a-z0-9]|esc|enter|tab|space|(?:ctrl|shift|alt)\s*[+-]\s*\w+))\)$/iu;
const KEY_WORDS = /\b(?:esc|escape|enter|return|tab|space|ctrl|shift|arrows?)\b|[↑↓←→⇆]/iu;
const CONFIRM_VERB =
  /^(?:do|would|will|should|can|may|are|is|allow|apply|accept|approve|proceed|confirm|continue|choose|select|pick|enable|trust|run|use|make|create|edit|overwrite|delete|switch|keep|ready)\b/iu;
const DESTRUCTIVE =
  /^(?:no\b|don'?t\b|do not\b|never\b|reject|deny|decline|refuse|cancel|abort|quit|exit|stop|delete|discard|remove|overwrite|reset)/iu;

export function readChoicePrompt(rows: readonly string[]): ChoicePrompt | undefined {
  const end = shownEnd(rows);
  const options = readOptions(rows, end);
  const [first] = options;
  const last = options.at(-1);
  if (first === undefined || last === undefined || options.length < 2) return undefined;
  const footer = readFooter(rows, last, end);
  if (footer === undefined) return undefined;
  const isPointed = options.filter(({ isPointedAt }) => isPointedAt).length === 1;
  const hasKeys = KEY_WORDS.test(footer.text);
  if (!isPointed && !hasKeys) return undefined;
  const title = readTitle(rows, first.at, isPointed && hasKeys);
  if (title === undefined) return undefined;
  const dismiss = /\besc(?:ape)?\s+(?:to\s+)?(\p{L}[\p{L} ]*)/iu.exec(footer.text)?.[1];
  const amend = /\btab\s+to\s+(\p{L}[\p{L} ]*)/iu.exec(footer.text)?.[1];
  return {
    dialog: {
      title: title.text,
      choices: options.map((option, index) => choiceOf(rows, option, options[index + 1]?.at ?? footer.at)),
      ...(dismiss === undefined ? {} : { dismiss: dismiss.trim() }),
      ...(amend === undefined ? {} : { amend: amend.trim() }),
    },
    top: title.at,
    last: last.at,
  };
}

/** A word in parentheses at the end is a key of the option; what stands in a second column, or below, explains it. */
function choiceOf(rows: readonly string[], option: OptionRow, next: number): DialogChoice {
  const key = OWN_KEY.exec(option.label);
  const [label = '', column] = (key === null ? option.label : option.label.slice(0, key.index)).trim().split(/\s{2,}/u);
  const below = rows
    .slice(option.at + 1, next)
    .map((row) => withoutBox(row).trim())
    .filter((row) => row !== '' && !isLabelledRule(row));
  const hint = key?.[1] ?? column ?? below.join(' ');
  return {
    key: String(option.number),
    label,
    highlighted: option.isPointedAt,
    destructive: DESTRUCTIVE.test(label),
    ...(hint === '' ? {} : { hint }),
  };
}

/** The lowest options that count from 1 upwards without a hole. */
function readOptions(rows: readonly string[], end: number): OptionRow[] {
  const options: OptionRow[] = [];
  for (let index = end - 1, skipped = 0; index >= 0; index--) {
    const option = optionOf(rows[index] ?? '', index);
    const below = options[0];
    if (option === undefined) {
      skipped++;
      if (skipped > (below === undefined ? FOOTER_ROWS : BETWEEN_ROWS)) break;
      continue;
    }
    // A row that looks like an option within the explanation of one is text.
    if (below !== undefined && option.number !== below.number - 1) {
      if (option.indent > below.indent) continue;
      break;
    }
    options.unshift(option);
    skipped = 0;
    if (option.number === 1) break;
  }
  if (options[0]?.number !== 1) return [];
  return options.every((option, index) => isContinued(rows, option, options[index + 1]?.at)) ? options : [];
}

function optionOf(row: string, at: number): OptionRow | undefined {
  const match = OPTION.exec(withoutBox(row));
  if (match === null) return undefined;
  const [, before = '', pointer = '', between = '', digits = '', label = ''] = match;
  return {
    at,
    number: Number(digits),
    isPointedAt: pointer !== '',
    indent: before.length + pointer.length + between.length,
    label: label.trim(),
  };
}

/** Between an option and the next one stands only what explains it: further to the right, blank, or a line. */
function isContinued(rows: readonly string[], option: OptionRow, next: number | undefined): boolean {
  if (next === undefined) return true;
  for (let index = option.at + 1; index < next; index++) {
    const row = withoutBox(rows[index] ?? '');
    if (isBlank(row) || isLabelledRule(row)) continue;
    if (row.length - row.trimStart().length <= option.indent) return false;
  }
  return true;
}

/** The hints below the last option, and where they begin; undefined when something else stands there. */
function readFooter(rows: readonly string[], last: OptionRow, end: number): { text: string; at: number } | undefined {
  const hints: string[] = [];
  let at = end;
  for (let index = last.at + 1; index < end; index++) {
    const row = withoutBox(rows[index] ?? '');
    if (isBlank(row) || isLabelledRule(row)) continue;
    const isExplanation = hints.length === 0 && row.length - row.trimStart().length > last.indent;
    if (isExplanation) continue;
    if (!KEY_WORDS.test(row)) return undefined;
    at = Math.min(at, index);
    hints.push(row.trim());
  }
  return { text: hints.join(' · '), at };
}

/**
 * The row above that asks. Nearest is a reason or a command more often than not, so a row that asks in the words of a dialog
 * is preferred to one that only ends in a question mark, and any row will do when it is certain that this is a dialog.
 */
function readTitle(rows: readonly string[], top: number, isCertain: boolean): { text: string; at: number } | undefined {
  const found: { text: string; at: number; rank: number }[] = [];
  for (let index = top - 1; index >= Math.max(0, top - TITLE_ROWS); index--) {
    const row = withoutBox(rows[index] ?? '');
    const text = row.trim();
    // Above a line, or a part of the conversation, begins something else.
    if (/^\s*[─━]{3,}/u.test(row) || /^\s?[•●⏺›❯✦]\s/u.test(row)) break;
    if (text === '' || isLabelledRule(text)) continue;
    const asks = /\?:?$/u.test(text);
    const confirms = CONFIRM_VERB.test(text);
    found.push({ text, at: index, rank: asks && confirms ? 3 : asks ? 2 : confirms ? 1 : 0 });
    // Without certainty the question stands directly above.
    if (!isCertain) break;
  }
  const best = found.reduce<(typeof found)[number] | undefined>(
    (chosen, one) => (chosen === undefined || one.rank > chosen.rank ? one : chosen),
    undefined,
  );
  return best === undefined || (best.rank === 0 && !isCertain) ? undefined : best;
}
