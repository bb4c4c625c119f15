import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError, toJsonValue } from './json-value.ts';

const LIMIT = 65_536;

describe('a value of the page as JSON', () => {
  it('is itself where JSON knows it', async () => {
    await fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        // Written, since JSON has no minus zero.
        expect(JSON.stringify(toJsonValue(value, LIMIT))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is told in words where JSON does not know it', () => {
    const value = {
      nothing: undefined,
      big: 12n,
      none: Number.NaN,
      when: new Date(0),
      run: function start() {},
      mark: Symbol('s'),
      bytes: new Uint8Array(3),
      later: Promise.resolve(),
      pattern: /a+/g,
      failure: new TypeError('no'),
      all: globalThis,
      named: new Map([['a', 1]]),
      pairs: new Map([[1, 2]]),
      once: new Set(['x']),
      own: { toJSON: () => ({ x: 1 }) },
    };
    expect(toJsonValue(value, LIMIT)).toEqual({
      nothing: null,
      big: '12n',
      none: 'NaN',
      when: '1970-01-01T00:00:00.000Z',
      run: '[function start]',
      mark: 'Symbol(s)',
      bytes: '[Uint8Array of 3 bytes]',
      later: '[promise]',
      pattern: '/a+/g',
      failure: '[TypeError: no]',
      all: '[window]',
      named: { a: 1 },
      pairs: [[1, 2]],
      once: ['x'],
      own: { x: 1 },
    });
  });

  it('DBG-1: ends where it leads back to itself, throws, or goes too deep', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    circle.self = circle;
    expect(toJsonValue(circle, LIMIT)).toEqual({ name: 'a', self: '[circular]' });
    const broken = {
      get secret() {
        throw new Error('not now');
      },
      after: 1,
    };
    expect(toJsonValue(broken, LIMIT)).toEqual({ secret: '[threw Error: not now]', after: 1 });
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('none of yours');
        },
      },
    );
    expect(toJsonValue([hostile], LIMIT)).toEqual(['[threw Error: none of yours]']);
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100; level++) deep = [deep];
    expect(JSON.stringify(toJsonValue(deep, LIMIT))).toContain('[deeper]');
    expect(describeError(Object.create(null))).toBe('something that cannot be told');
  });

  it('the same object twice is no circle', () => {
    const shared = { a: 1 };
    expect(toJsonValue([shared, shared], LIMIT)).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('DBG-1: stays under the limit, whatever it is given', () => {
    const awkward = fc.oneof(fc.string({ unit: 'binary', maxLength: 4_000 }), fc.constant('"\\\u0000'.repeat(3_000)));
    const value = fc.oneof(awkward, fc.array(awkward, { maxLength: 30 }), fc.dictionary(fc.string(), awkward));
    fc.assert(
      fc.property(value, (any) => {
        expect(JSON.stringify(toJsonValue([any, [any]], 4_096)).length).toBeLessThanOrEqual(4_096);
      }),
    );
    const many = toJsonValue(
      Array.from({ length: 100_000 }, (_, index) => index),
      4_096,
    ) as unknown[];
    expect(many.at(-1)).toMatch(/^\[\d+ more\]$/);
  });
});
