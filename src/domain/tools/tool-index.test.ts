import fc from 'fast-check';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { summaryOf, ToolIndex } from './tool-index.ts';

const tool = (name: string, description = '') => ({ name, description });
const names = (index: ToolIndex, query: string, limit = 10) => index.search(query, limit).map(({ name }) => name);

describe('search', () => {
  it('LAZ-3: finds by name and by any word of the whole description, the name first', () => {
    const index = new ToolIndex();
    index.replace('native', [
      tool('session', 'Terminals.\n- resize: sets the size'),
      tool('repo', 'Repositories and their pull requests'),
      tool('github__create_pull_request', 'Opens one'),
    ]);
    expect(names(index, 'resize')).toEqual(['session']);
    expect(names(index, 'pull request')).toEqual(['github__create_pull_request', 'repo']);
    expect(names(index, 'terminal')).toEqual(['session']);
    expect(names(index, 'zebra')).toEqual([]);
  });

  it('finds words inside of camelCase names, in any case', () => {
    const index = new ToolIndex();
    index.replace('up', [tool('up__listOpenIssues'), tool('up__other')]);
    expect(names(index, 'ISSUES')).toEqual(['up__listOpenIssues']);
  });

  it('N01: finds a tool whose name was cut by the name that its server gave it', () => {
    const index = new ToolIndex();
    index.replace('a', [{ name: 'long_a1b2c3', description: 'x', keywords: 'exec-sql long' }, tool('other')]);
    expect(names(index, 'exec sql')).toEqual(['long_a1b2c3']);
  });

  it('LAZ-8: a group is replaced as one and leaves nothing behind', () => {
    const index = new ToolIndex();
    index.replace('a', [tool('a__one', 'kite'), tool('a__two', 'kite')]);
    index.replace('b', [tool('b__one', 'kite')]);
    index.replace('a', [tool('a__three', 'kite')]);
    expect(names(index, 'kite')).toEqual(['a__three', 'b__one']);
    index.replace('a', []);
    expect([names(index, 'kite'), index.size]).toEqual([['b__one'], 1]);
  });

  it('gives the best of many only, in order', () => {
    const index = new ToolIndex();
    index.replace('a', [tool('one', 'kite and boat'), tool('two', 'kite'), tool('kite'), tool('six', 'kite')]);
    expect(names(index, 'kite', 3)).toEqual(['kite', 'six', 'two']);
    expect(names(index, 'kite boat', 1)).toEqual(['one']);
  });

  it('gives equal answers whatever the order of the groups', () => {
    const words = fc.constantFrom('kite', 'boat', 'list', 'open');
    const tools = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{3,6}$/), description: words }), {
      selector: ({ name }) => name,
      maxLength: 12,
    });
    fc.assert(
      fc.property(tools, fc.nat(), (all, at) => {
        const cut = all.length === 0 ? 0 : at % all.length;
        const first = new ToolIndex();
        first.replace('a', all.slice(0, cut));
        first.replace('b', all.slice(cut));
        const second = new ToolIndex();
        second.replace('b', all.slice(cut));
        second.replace('a', all.slice(0, cut));
        return JSON.stringify(first.search('kite', 100)) === JSON.stringify(second.search('kite', 100));
      }),
      { numRuns: 50 },
    );
  });
});

describe('order', () => {
  it('is that of BM25, told by another implementation of it', () => {
    const words = fc.constantFrom('kite', 'boat', 'list', 'open', 'wind', 'sail');
    const text = fc.uniqueArray(words, { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), words, (descriptions, query) => {
        const tools = descriptions.map((description, place) => tool(`t${place}`, description));
        const index = new ToolIndex();
        index.replace('a', tools);
        const other = new MiniSearch({
          fields: ['description'],
          idField: 'name',
          searchOptions: { bm25: { k: 1.2, b: 0.75, d: 0 }, prefix: false },
        });
        other.addAll(tools);
        const theirs = new Map(other.search(query).map(({ id, score }) => [String(id), score]));
        const ours = index.search(query, 100).map(({ name }) => name);
        expect([...ours].sort()).toEqual([...theirs.keys()].sort());
        const scores = ours.map((name) => theirs.get(name) ?? 0);
        for (const [place, score] of scores.entries()) {
          expect(score).toBeLessThanOrEqual((scores[place - 1] ?? Number.POSITIVE_INFINITY) + 1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('summary', () => {
  it('is the first sentence, and never a whole page', () => {
    expect(summaryOf('Reads a file. And more.\nnext')).toBe('Reads a file.');
    expect(summaryOf('Version 1.2 of it\nnext')).toBe('Version 1.2 of it');
    expect(summaryOf('x'.repeat(500))).toHaveLength(200);
    expect(summaryOf('')).toBe('');
  });
});
