/** Finds what a person means by a few letters: every word of the query must be in the text, in any order. */

export interface FuzzyMatch {
  /** Larger is better. */
  score: number;
  /** Indices (UTF-16) of the letters that matched, ascending, each once. */
  positions: readonly number[];
}

const WORD_START = 3;
const INSIDE = 2;
const SCATTERED = 1;

/** Undefined when a word of the query is not there. An empty query matches everything alike. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const positions = new Set<number>();
  const lower = foldCase(text);
  let score = 0;
  for (const word of foldCase(query).split(/\s+/)) {
    if (word === '') continue;
    const found = matchWord(word, lower);
    if (found === undefined) return undefined;
    // Long words say more than short ones, and early hits more than late ones.
    score += found.quality * 100 * word.length - (found.positions[0] ?? 0);
    for (const at of found.positions) positions.add(at);
  }
  return { score: score - text.length / 10, positions: [...positions].sort((a, b) => a - b) };
}

/** Lower case that keeps every index: letters whose lower case is longer stay as they are. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function matchWord(word: string, text: string): { quality: number; positions: number[] } | undefined {
  let inside: number | undefined;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (isWordStart(text, at)) return { quality: WORD_START, positions: range(at, word.length) };
    inside ??= at;
  }
  if (inside !== undefined) return { quality: INSIDE, positions: range(inside, word.length) };
  const positions: number[] = [];
  let from = 0;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at === -1) return undefined;
    positions.push(...range(at, letter.length));
    from = at + letter.length;
  }
  return { quality: SCATTERED, positions };
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

function range(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index);
}
