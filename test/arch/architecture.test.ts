import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  checkBlockingCalls,
  checkCycles,
  checkDoors,
  checkExports,
  checkLayers,
  checkPackageHomes,
  checkPlaces,
  checkRuntimeWords,
  checkXtermInternals,
} from './rules.ts';
import { readTree } from './source.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const tree = readTree(root, ['src', 'web'], (path) => /\.tsx?$/.test(path));
const texts = readTree(root, [''], (path) => /\.(tsx?|mjs|css|html|json|md|ya?ml)$|(^|\/)run$/.test(path));
const allowed = JSON.parse(readFileSync(join(root, 'test/arch/blocking-calls.json'), 'utf8')) as Record<string, number>;

describe('architecture', () => {
  it('finds the sources it is to judge', () => {
    expect(tree.has('src/base/index.ts')).toBe(true);
    expect(tree.size).toBeGreaterThan(20);
    expect(texts.has('package-lock.json') && texts.has('docs/architecture.md') && texts.has('.ci/run')).toBe(true);
  });

  it('imports only downwards', () => expect(checkLayers(tree)).toEqual([]));
  it('enters a room only through its door, in the written order', () => expect(checkDoors(tree)).toEqual([]));
  it('has no import cycle', () => expect(checkCycles(tree)).toEqual([]));
  it('keeps Node and the DOM out of base and contract', () => expect(checkRuntimeWords(tree)).toEqual([]));
  it('keeps each package in its one place', () => expect(checkPackageHomes(tree)).toEqual([]));
  it('touches xterm internals in one file', () => expect(checkXtermInternals(tree)).toEqual([]));
  it('P7: lets blocking calls on request paths only shrink', () =>
    expect(checkBlockingCalls(tree, allowed)).toEqual([]));
  it('exports by name', () => expect(checkExports(tree)).toEqual([]));
  it('names no machine', () => expect(checkPlaces(texts)).toEqual([]));
});
