/** Searching in lines of text: what a query means, and where it is found. Pure; runs in a worker of its own. */

export interface FindQuery {
  text: string;
  isRegex: boolean;
  isCaseSensitive: boolean;
  isWholeWord: boolean;
}

export interface Pattern {
  source: string;
  flags: string;
}

/** A place in a text, in UTF-16 units. */
export interface TextMatch {
  line: number;
  start: number;
  end: number;
}

export type CompiledQuery = { kind: 'empty' } | { kind: 'invalid'; message: string } | ({ kind: 'pattern' } & Pattern);

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
const WORD = '[\\p{L}\\p{N}\\p{M}_]';

export function compileQuery({ text, isRegex, isCaseSensitive, isWholeWord }: FindQuery): CompiledQuery {
  if (text === '') return { kind: 'empty' };
  const bare = isRegex ? text : text.replace(SYNTAX, '\\$&');
  const source = isWholeWord ? `(?<!${WORD})(?:${bare})(?!${WORD})` : bare;
  const flags = isCaseSensitive ? 'gu' : 'giu';
  try {
    // Of its own first: a stray parenthesis must not pair with one of ours.
    new RegExp(bare, flags);
    new RegExp(source, flags);
    return { kind: 'pattern', source, flags };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'invalid', message: describeSyntax(error.message) };
  }
}

/** Browsers say `Invalid regular expression: /…/u: what is wrong`; only the end is of interest. */
function describeSyntax(message: string): string {
  const at = message.lastIndexOf(': ');
  return at === -1 ? message : message.slice(at + 2);
}

/** Matches in order, none overlapping, none empty; at most `most`. */
export function findInTexts(texts: readonly string[], { source, flags }: Pattern, most: number): TextMatch[] {
  const pattern = new RegExp(source, flags);
  const found: TextMatch[] = [];
  for (const [line, text] of texts.entries()) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const end = match.index + match[0].length;
      if (match[0] === '') pattern.lastIndex = nextIndex(text, pattern.lastIndex);
      else found.push({ line, start: match.index, end });
      if (found.length >= most) return found;
    }
  }
  return found;
}

/** One letter on, so that an empty match does not stand still. */
function nextIndex(text: string, index: number): number {
  return index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);
}
