import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, restoreExactJson } from './exact-json.ts';

const through = (text: string) => restoreExactJson(JSON.stringify(parseExactJson(text)));

describe('exact JSON', () => {
  it.each([
    '9007199254740993',
    '-18446744073709551616',
    '1e999',
    '0.1234567890123456789',
    '123456789.123456789123',
    '[12345678901234567890,{"9007199254740993":9007199254740993}]',
    '{"a":"9007199254740993","b":"x\\"9007199254740993\\\\","c":1.5}',
  ])('P6: hands %s through', (text) => expect(through(text)).toBe(text));

  it('reads what JavaScript can hold as numbers', () => {
    expect(parseExactJson('[1.5,9007199254740991,-3,1234567890123456]')).toEqual([
      1.5, 9_007_199_254_740_991, -3, 1_234_567_890_123_456,
    ]);
    expect(parseExactJson('[1e5,1.0,2.50E-3,10000000000000000000000,0e9]')).toEqual([1e5, 1, 0.0025, 1e22, 0]);
  });

  it('writes a number back also into a text that was made of its value', () => {
    const value = parseExactJson('{"id":9007199254740993}');
    const text = restoreExactJson(JSON.stringify({ text: JSON.stringify(value) }));
    expect(JSON.parse(text)).toEqual({ text: '{"id":9007199254740993}' });
  });

  it('refuses what is no JSON', () => {
    for (const text of ['12345678901234567890x', '{"a":00000000000000000001}', '1e', '"1e5']) {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    }
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(through(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('P6: every whole number arrives as the same one', () => {
    const numbers = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.nat({ max: 30 }));
    fc.assert(
      fc.property(numbers, ([whole, zeros]) => {
        const text = `${whole}${'0'.repeat(zeros)}`;
        const arrived = through(text);
        expect(
          arrived.includes('e') ? BigInt(Number(arrived)) === BigInt(Number(text)) : BigInt(arrived) === BigInt(text),
        ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
