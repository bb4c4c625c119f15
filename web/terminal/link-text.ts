/**
 * Web addresses and file paths in a line of text. Programs write it, so nothing in it is believed: an address is what the
 * browser reads in it, and a path counts only once the server found it.
 */

export type TextLink = {
  /** Place in the text; `end` is behind it. */
  start: number;
  end: number;
} & (
  | { kind: 'web'; url: string }
  | { kind: 'path'; path: string; line: number | undefined; column: number | undefined }
);

/** Longer lines are data, not messages. */
const LONGEST_LINE = 20_000;
const MOST_LINKS = 50;
const LONGEST_PATH = 1_024;

const WEB = /\bhttps?:\/\/[^\s"'`<>{}|\\^\u0000-\u001f]+/giu;
/** Between quotes a path may have blanks. Python names the line behind it. */
const QUOTED = /(["'`])((?:~|\.{0,2})\/(?:(?!\1)[^\n]){1,1000}?)\1(?:, line (\d{1,9}))?/gu;
const WORD = /[^\s"'`<>|(){}[\],;*?$=&!\u2502]+(?:\(\d{1,9}(?:,\s?\d{1,9})?\))?/gu;
const PLACE = /(?::(\d{1,9})(?::(\d{1,9}))?|\((\d{1,9})(?:,\s?(\d{1,9}))?\))$/;
/** A name without a folder is a path only with an ending, as in `main.ts`, and not when it is a number or a version. */
const NAME = /^(?=.*\p{L})[\p{L}\p{N}_@+.-]*\.\p{L}[\p{L}\p{N}]{0,9}$/u;

/** Only web addresses open. Undefined for everything else, whatever it claims to be. */
export function webTarget(uri: string): string | undefined {
  let url: URL;
  try {
    url = new URL(uri);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** Links of one line, in order, none over another. */
export function findLinks(text: string): TextLink[] {
  if (text.length > LONGEST_LINE) return [];
  const links: TextLink[] = [];
  const isFree = (start: number, end: number) => links.every((link) => end <= link.start || start >= link.end);
  for (const match of text.matchAll(WEB)) {
    const written = withoutTrailing(match[0]);
    const url = webTarget(written);
    if (url !== undefined) links.push({ kind: 'web', start: match.index, end: match.index + written.length, url });
  }
  for (const match of text.matchAll(QUOTED)) {
    const [, , path = '', line] = match;
    const start = match.index + 1;
    if (isFree(start, start + path.length)) links.push(toPath(path, start, numberOf(line)));
  }
  for (const match of text.matchAll(WORD)) {
    const written = match[0].replace(/[.:]+$/, '');
    const { index } = match;
    if (written.length <= LONGEST_PATH && isPath(written) && isFree(index, index + written.length))
      links.push(toPath(written, index));
  }
  return links.sort((a, b) => a.start - b.start).slice(0, MOST_LINKS);
}

function isPath(written: string): boolean {
  const path = written.replace(PLACE, '');
  if (path.includes('://') || !/[\p{L}\p{N}]/u.test(path)) return false;
  return path.includes('/') || NAME.test(path);
}

function toPath(written: string, start: number, line?: number): TextLink {
  const place = PLACE.exec(written);
  return {
    kind: 'path',
    start,
    end: start + written.length,
    path: written,
    line: line ?? numberOf(place?.[1] ?? place?.[3]),
    column: numberOf(place?.[2] ?? place?.[4]),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** A sentence's own signs behind an address are no part of it; brackets are when they were opened in it. */
function withoutTrailing(address: string): string {
  let text = address;
  for (;;) {
    const shorter = text.replace(/[.,:;!?*_~]+$/, '');
    const last = shorter.at(-1);
    const open = last === ')' ? '(' : last === ']' ? '[' : undefined;
    const isUnopened = open !== undefined && shorter.split(open).length < shorter.split(last ?? '').length;
    const next = isUnopened ? shorter.slice(0, -1) : shorter;
    if (next === text) return text;
    text = next;
  }
}
