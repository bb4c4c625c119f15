import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyChanges,
  diff,
  findOverlap,
  flatten,
  formatKey,
  parseKey,
  parseValue,
  valueAt,
  withValue,
} from './config-document.ts';

describe('keys', () => {
  it('are parts with dots between; a part with a dot or blank stands in quotes', () => {
    expect(parseKey('services.server.port')).toEqual(['services', 'server', 'port']);
    expect(parseKey('collapse_clients."my client.2"')).toEqual(['collapse_clients', 'my client.2']);
    for (const text of ['', '.', 'a.', '.a', 'a..b', 'a b', '"a']) expect(parseKey(text), text).toBe(undefined);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (key) => {
        expect(parseKey(formatKey(key))).toEqual(key);
      }),
      { numRuns: 200 },
    );
  });

  it('never reach what is no own key', () => {
    expect(valueAt({ a: {} }, ['a', 'constructor'])).toBe(undefined);
    expect(valueAt({}, ['__proto__', 'x'])).toBe(undefined);
    const made = withValue({}, ['__proto__', 'polluted'], 1) as object;
    expect(Object.hasOwn(made, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBe(undefined);
  });
});

describe('changes', () => {
  it('what differs, applied to the old document, is the new one', () => {
    const document = fc.letrec((tie) => ({
      node: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', '__proto__', 'x.y'),
        fc.oneof(
          { depthSize: 'small' },
          fc.constantFrom(1, 'text', null, true),
          fc.array(fc.nat(3), { maxLength: 2 }),
          tie('node'),
        ),
        { maxKeys: 3, noNullPrototype: true },
      ),
    })).node;
    fc.assert(
      fc.property(document, document, (before, after) => {
        const sorted = (value: unknown) =>
          flatten(value)
            .map(({ key, value: inner }) => [key, inner])
            .sort();
        expect(sorted(applyChanges(before, diff(before, after)))).toEqual(sorted(after));
      }),
      { numRuns: 300 },
    );
  });

  it('overlap when they are to the same key, or one lies inside the other', () => {
    const change = (...key: string[]) => ({ key, value: 1 });
    expect(findOverlap([change('a', 'b'), change('c')], [change('a', 'x'), change('d')])).toEqual([]);
    expect(findOverlap([change('a', 'b'), change('c')], [change('a'), change('c', 'd')])).toEqual([['a', 'b'], ['c']]);
    expect(findOverlap([change()], [change('c', 'd')])).toEqual([[]]);
  });
});

describe('typed values', () => {
  it('have the type of what stands there', () => {
    const cases: [string, unknown, unknown][] = [
      ['8', 'text', '8'],
      ['8', 1, 8],
      ['off', true, false],
      ['TRUE', false, true],
      ['["a"]', [], ['a']],
      ['{"a":1}', {}, { a: 1 }],
      ['null', null, null],
      ['/bin/sh', null, '/bin/sh'],
      ['8', undefined, 8],
    ];
    for (const [text, present, value] of cases) expect(parseValue(text, present), text).toEqual({ value });
    for (const [text, present] of [
      ['x', 1],
      ['', 1],
      ['1', true],
      ['a', []],
      ['{}', []],
      ['a', {}],
      ['Infinity', 1],
    ] as const) {
      expect(parseValue(text, present), text).toHaveProperty('problem');
    }
  });
});
