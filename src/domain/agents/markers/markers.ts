/** The two markers that agents are asked to print (MRK-1 to MRK-4): `intent: text (title)` and `suggest: [ A | B | C ]`. */
import type { SaidRow } from './said.ts';

export type Marker =
  | { readonly type: 'intent'; readonly text: string; readonly title?: string; readonly isClosed: boolean }
  | { readonly type: 'suggest'; readonly items: readonly string[] };

const MOST_ROWS = 4;
const MOST_BYTES = 512;
const SHORTEST_INTENT = 4;
const LONGEST_TITLE = 200;
const FEWEST_ITEMS = 2;
const MOST_ITEMS = 4;
const KEYWORDS = ['intent:', 'suggest:'] as const;
/** As the instructions write it, not filled in. */
const PLACEHOLDER = /^(?:<.*>|\[.*\]|\.{3}|…|text|what you (?:will|are about to) do)$/iu;

/** In the order of the screen. */
export function readMarkers(said: readonly (SaidRow | undefined)[]): Marker[] {
  const found: Marker[] = [];
  for (let index = 0; index < said.length; index++) {
    const marker = readAt(said, index);
    if (marker !== undefined) found.push(marker);
  }
  return found;
}

/** The rows of one marker from its first; a message that begins, or a row without text, ends it. */
function blockAt(said: readonly (SaidRow | undefined)[], index: number): string[] {
  const block: string[] = [];
  for (let at = index; at < index + MOST_ROWS; at++) {
    const row = said[at];
    if (row === undefined || row.text === '' || (at > index && row.isStart)) break;
    block.push(row.text.replaceAll('`', '').trim());
  }
  return block;
}

function readAt(said: readonly (SaidRow | undefined)[], index: number): Marker | undefined {
  const block = blockAt(said, index);
  const [first = ''] = block;
  for (const keyword of KEYWORDS) {
    if (first === '' || !(first.startsWith(keyword) || keyword.startsWith(first))) continue;
    const taken = afterKeyword(block, keyword);
    if (taken === undefined) continue;
    const { rest, rows } = taken;
    return keyword === 'intent:' ? readIntent(rest, rows) : readSuggest(rest, rows);
  }
  return undefined;
}

/** On a narrow screen the keyword itself may be split between rows, at any letter. */
function afterKeyword(
  block: readonly string[],
  keyword: string,
): { rest: string; rows: readonly string[] } | undefined {
  let head = '';
  for (const [index, row] of block.entries()) {
    head += row;
    if (head.startsWith(keyword)) return { rest: head.slice(keyword.length).trim(), rows: block.slice(index + 1) };
    if (!keyword.startsWith(head)) return undefined;
  }
  return undefined;
}

function tidy(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

function readIntent(first: string, rows: readonly string[]): Marker | undefined {
  const following: string[] = [];
  for (const row of rows) {
    if (KEYWORDS.some((keyword) => row.startsWith(keyword)) || /\)$/u.test([first, ...following].join(' '))) break;
    following.push(row);
  }
  const whole = tidy([first, ...following].join(' '));
  if (Buffer.byteLength(whole) > MOST_BYTES) return undefined;
  const parts = /^(.*?)\s*\(([^()]+)\)$/u.exec(whole);
  const text = parts?.[1] ?? whole;
  const title = parts?.[2]?.trim();
  if ([...text].length < SHORTEST_INTENT || PLACEHOLDER.test(text)) return undefined;
  const named =
    title === undefined || title === '' || PLACEHOLDER.test(title) ? {} : { title: title.slice(0, LONGEST_TITLE) };
  return { type: 'intent', text, ...named, isClosed: parts !== null };
}

function readSuggest(first: string, rows: readonly string[]): Marker | undefined {
  let whole = first;
  for (const row of rows) {
    if (whole.includes(']')) break;
    whole += ` ${row}`;
  }
  // An unfinished list is none (MRK-4), nor one with words behind it.
  const list = /^\[([^[\]]*)\]$/u.exec(tidy(whole))?.[1];
  if (list === undefined || Buffer.byteLength(whole) > MOST_BYTES) return undefined;
  const items = list.split('|').map(tidy);
  if (items.some((item) => item === '' || PLACEHOLDER.test(item))) return undefined;
  return items.length < FEWEST_ITEMS || items.length > MOST_ITEMS ? undefined : { type: 'suggest', items };
}

export function keyOf(marker: Marker): string {
  return marker.type === 'intent' ? `i ${marker.text} (${marker.title ?? ''})` : `s ${marker.items.join('|')}`;
}
