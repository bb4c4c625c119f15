import { expect, it } from 'vitest';
import { firstRoot } from './roots.ts';

it('TRN-8: the first root, as text or as MCP writes it, without its scheme', () => {
  for (const [roots, path] of [
    [['/a/b', '/c'], '/a/b'],
    [['file:///a/b/'], '/a/b'],
    [[{ uri: 'file:///a%20b/%C3%BC', name: 'x' }], '/a b/ü'],
    [['file://localhost/a'], '/a'],
    [['file:///a%zz'], '/a%zz'],
    [['/'], '/'],
    [['/a%20b'], '/a%20b'],
  ] as const) {
    expect(firstRoot(roots), JSON.stringify(roots)).toBe(path);
  }
});

it('TRN-8: what names no folder of this machine is none', () => {
  const none = [
    undefined,
    null,
    'file:///a',
    {},
    [],
    [3],
    [{}],
    [{ uri: 4 }],
    [''],
    ['a'],
    ['https://x/a'],
    ['file://host/a'],
  ];
  for (const roots of [...none, ['/a/../b'], ['/a\0'], [`/${'x'.repeat(5_000)}`]]) {
    expect(firstRoot(roots), JSON.stringify(roots)).toBeUndefined();
  }
  // The second never stands in for the first.
  expect(firstRoot(['https://x', '/b'])).toBeUndefined();
});
