import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, isJsonWithinDepth, type JsonObject, mergeJson } from './json-merge.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;
const same = (left: unknown, right: unknown) => expect(JSON.stringify(left)).toBe(JSON.stringify(right));

/** Written the slow way, as the rule reads. */
function expected(base: unknown, changes: unknown): unknown {
  if (!isJsonObject(changes)) return changes;
  const before = new Map(isJsonObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(changes)) before.set(key, expected(before.get(key), value));
  return [...before].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Objects as sorted lists of pairs, so that a key called __proto__ is compared like any other. */
function flat(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, flat(inner)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

function flatExpected(value: unknown): unknown {
  return Array.isArray(value) ? value : flat(value);
}

describe('merging JSON (http.md 10)', () => {
  it('an empty change changes nothing, and a change onto nothing is the change', () => {
    fc.assert(
      fc.property(object, (value) => {
        same(mergeJson(value, {}), value);
        same(flat(mergeJson({}, value)), flat(value));
      }),
    );
  });

  it('the same change twice is the same as once', () => {
    fc.assert(
      fc.property(object, object, (base, changes) => {
        const once = mergeJson(base, changes);
        same(mergeJson(once, changes), once);
      }),
    );
  });

  it('neither argument changes', () => {
    fc.assert(
      fc.property(object, object, (base, changes) => {
        const before = JSON.stringify([base, changes]);
        mergeJson(base, changes);
        expect(JSON.stringify([base, changes])).toBe(before);
      }),
    );
  });

  it('each key follows the rule: absent keeps, objects merge, all else replaces', () => {
    fc.assert(
      fc.property(object, object, (base, changes) => {
        const merged = mergeJson(base, changes);
        const keys = new Set([...Object.keys(base), ...Object.keys(changes)]);
        expect(new Set(Object.keys(merged))).toEqual(keys);
        for (const key of keys) {
          const want = Object.hasOwn(changes, key)
            ? expected(Object.hasOwn(base, key) ? base[key] : undefined, changes[key])
            : base[key];
          if (isJsonObject(changes[key])) continue;
          same(flatExpected(merged[key]), flatExpected(want));
        }
      }),
    );
  });

  it('an empty list clears, an empty text blanks, null replaces, an object replaces a scalar', () => {
    const base = { list: [1, 2], text: 'x', deep: { keep: 1, gone: { a: 1 } }, scalar: 5 };
    const changes = { list: [], text: '', deep: { gone: null }, scalar: { inner: true } };
    expect(mergeJson(base, changes)).toEqual({
      list: [],
      text: '',
      deep: { keep: 1, gone: null },
      scalar: { inner: true },
    });
  });

  it('a key called __proto__ is data', () => {
    const changes = JSON.parse('{"__proto__":{"polluted":1},"deep":{"__proto__":{"polluted":2}}}') as JsonObject;
    const merged = mergeJson({ deep: {} }, changes);
    expect(JSON.stringify(merged)).toBe('{"deep":{"__proto__":{"polluted":2}},"__proto__":{"polluted":1}}');
    expect('polluted' in merged).toBe(false);
    expect('polluted' in {}).toBe(false);
  });

  it('depth is measured without using the stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(isJsonWithinDepth(deep, 64)).toBe(false);
    expect(isJsonWithinDepth({ a: [{ b: 1 }] }, 3)).toBe(true);
    expect(isJsonWithinDepth({ a: [{ b: 1 }] }, 2)).toBe(false);
  });
});
