import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzyMatch } from './fuzzy.ts';

const best = (query: string, texts: string[]) =>
  texts
    .map((text) => ({ text, match: fuzzyMatch(query, text) }))
    .filter(({ match }) => match !== undefined)
    .sort((a, b) => (b.match?.score ?? 0) - (a.match?.score ?? 0))
    .map(({ text }) => text);

describe('DESIGN 9: the palette finds what a few letters mean', () => {
  it('takes words in any order and prefers beginnings of words', () => {
    expect(best('term new', ['New terminal', 'Rename terminal', 'Determine a newt', 'Zoom in'])).toEqual([
      'New terminal',
      'Determine a newt',
    ]);
    expect(best('pane', ['Expanded', 'Next pane'])).toEqual(['Next pane', 'Expanded']);
  });

  it('finds scattered letters, and nothing when one is missing', () => {
    expect(best('ntl', ['New terminal', 'Intel'])).toEqual(['New terminal', 'Intel']);
    expect(fuzzyMatch('xyz', 'New terminal')).toBeUndefined();
  });

  it('tells where the letters stand', () => {
    expect(fuzzyMatch('tab', 'Next tab')?.positions).toEqual([5, 6, 7]);
    expect(fuzzyMatch('', 'anything')?.positions).toEqual([]);
  });

  it('a text matches itself, and positions are letters of the text whatever the letters are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.string({ maxLength: 8 }), (text, query) => {
        expect(fuzzyMatch(text, text)).toBeDefined();
        const positions = fuzzyMatch(query, text)?.positions ?? [];
        expect(positions.every((at, index) => at >= 0 && at < text.length && at > (positions[index - 1] ?? -1))).toBe(
          true,
        );
      }),
      { numRuns: 200 },
    );
  });
});
