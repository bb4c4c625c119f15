import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, readBufferText } from './buffer-text.ts';
import { compileQuery, type FindQuery, findInTexts } from './find-text.ts';

function find(texts: string[], text: string, options: Partial<FindQuery> = {}): string[] {
  const query = compileQuery({ text, isRegex: false, isCaseSensitive: false, isWholeWord: false, ...options });
  if (query.kind !== 'pattern') throw new Error(query.kind);
  return findInTexts(texts, query, 1_000).map(({ line, start, end }) => texts[line]?.slice(start, end) ?? '');
}

function play(cols: number, rows: number, text: string) {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 1_000, allowProposedApi: true });
  return new Promise<typeof terminal>((resolve) => terminal.write(text, () => resolve(terminal)));
}

describe('issue 4: what a query finds', () => {
  it('plain text is no pattern; case matters only when asked', () => {
    expect(find(['a.c abc A.C'], 'a.c')).toEqual(['a.c', 'A.C']);
    expect(find(['a.c abc A.C'], 'a.c', { isCaseSensitive: true })).toEqual(['a.c']);
    expect(find(['(x) [y] {z} \\ / - ^'], '\\ / - ^')).toEqual(['\\ / - ^']);
  });

  it('a pattern counts what a person counts: longest, none twice, none empty', () => {
    expect(find(['12345 67'], '\\d+', { isRegex: true })).toEqual(['12345', '67']);
    expect(find(['aaa'], 'aa')).toEqual(['aa']);
    expect(find(['a😀b'], 'x*', { isRegex: true })).toEqual([]);
    expect(find(['😀😀'], '.', { isRegex: true })).toEqual(['😀', '😀']);
    expect(find(['one', 'two one'], '^one$', { isRegex: true })).toEqual(['one']);
  });

  it('whole words end at letters of every script', () => {
    expect(find(['cat category cat_ bécat cat'], 'cat', { isWholeWord: true })).toEqual(['cat', 'cat']);
    expect(find(['err erreur error'], 'err|error', { isRegex: true, isWholeWord: true })).toEqual(['err', 'error']);
  });

  it('an invalid pattern says what is wrong with it', () => {
    const options = { isRegex: true, isCaseSensitive: false };
    expect(compileQuery({ text: '(', isWholeWord: false, ...options })).toMatchObject({ kind: 'invalid' });
    expect(compileQuery({ text: 'a)(b', isWholeWord: true, ...options })).toMatchObject({ kind: 'invalid' });
    expect(compileQuery({ text: '', isWholeWord: false, ...options })).toEqual({ kind: 'empty' });
  });

  it('any plain text is found where it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 6 }), fc.string({ maxLength: 6 }), (text, around) => {
        expect(find([`${around}${text}`], text, { isCaseSensitive: true })).toContain(text);
      }),
      { numRuns: 200 },
    );
  });

  it('stops at the bound', () => {
    const query = compileQuery({ text: 'a', isRegex: false, isCaseSensitive: false, isWholeWord: false });
    if (query.kind !== 'pattern') throw new Error(query.kind);
    expect(findInTexts(['aaaa', 'aaaa'], query, 5)).toHaveLength(5);
  });
});

describe('issue 4: text of a buffer and its cells', () => {
  it('joins wrapped rows and knows the cells of wide letters', async () => {
    const terminal = await play(5, 3, 'abcd漢字efg\r\nnext');
    const text = readBufferText(terminal.buffer.active);
    expect(text.texts.slice(0, 2)).toEqual(['abcd漢字efg', 'next']);
    expect(cellsOf(terminal.buffer.active, 0, 3, 6)).toEqual([
      { row: 0, column: 3, width: 1 },
      { row: 1, column: 0, width: 4 },
    ]);
  });

  it('each letter that was printed is in the text, and its cells hold it', async () => {
    const words = fc.array(fc.constantFrom('a', 'b', '漢', '😀', 'é', 'e\u0301', 'x y'), {
      minLength: 1,
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 2, max: 9 }), async (letters, cols) => {
        const printed = `${letters.join('')}|`;
        const { active } = (await play(cols, 4, printed)).buffer;
        const { texts, rows } = readBufferText(active);
        expect(texts[0]).toBe(printed);
        for (const at of [0, Math.floor(printed.length / 2), printed.length - 1]) {
          const cells = cellsOf(active, rows[0] ?? 0, at, printed.length);
          const [first] = cells;
          const end = cells.at(-1);
          expect(
            active
              .getLine(end?.row ?? 0)
              ?.getCell((end?.column ?? 0) + (end?.width ?? 0) - 1)
              ?.getChars(),
          ).toBe('|');
          const chars = active
            .getLine(first?.row ?? 0)
            ?.getCell(first?.column ?? 0)
            ?.getChars();
          // An index inside a letter of several units stands for what comes behind it.
          if (/^[ab|漢]$/.test(printed[at] ?? '') && printed[at + 1] !== '\u0301') expect(chars).toBe(printed[at]);
        }
      }),
      { numRuns: 25 },
    );
  });
});
