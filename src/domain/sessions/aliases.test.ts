import { describe, expect, it } from 'vitest';
import { basePrefix, choosePrefix, directoryName, parseAlias } from './aliases.ts';

describe('ADR-4: prefixes', () => {
  it.each([
    ['tuicommander', 'tu'],
    ['night-recovery', 'nr'],
    ['snake_case_name', 'scn'],
    ['a.b', 'ab'],
    ['camelCase', 'cc'],
    ['x', 'x'],
    ['ab', 'ab'],
    ['', 'sh'],
    ['---', 'sh'],
    ['été', 'ét'],
    ['日本語', '日本'],
    ['𠀀𠀁𠀂', '𠀀𠀁'],
    ['my project', 'my'],
  ])('%s gives %s', (name, prefix) => {
    expect(basePrefix(name)).toBe(prefix);
  });

  it('the name is the last segment of the folder', () => {
    expect(directoryName('/home/me/tuicommander')).toBe('tuicommander');
    expect(directoryName('/home/me/tuicommander/')).toBe('tuicommander');
    expect(directoryName('/')).toBe('');
    expect(directoryName('C:\\work\\thing')).toBe('thing');
  });

  it('the same directory name keeps its prefix', () => {
    expect(choosePrefix('turtle', [{ alias: 'tur-4', name: 'turtle' }])).toBe('tur');
  });

  it('a clash lengthens: one part by its own letters, several by those of the longest part, then digits', () => {
    const taken = (...prefixes: string[]) =>
      prefixes.map((prefix) => ({ alias: `${prefix}-1`, name: `other-${prefix}` }));
    expect(choosePrefix('turtle', taken('tu'))).toBe('tur');
    expect(choosePrefix('turtle', taken('tu', 'tur', 'turt'))).toBe('turtl');
    expect(choosePrefix('turtle', taken('tu', 'tur', 'turt', 'turtl'))).toBe('tu2');
    expect(choosePrefix('night-recovery', taken('nr'))).toBe('nre');
    expect(choosePrefix('night-recovery', taken('nr', 'nre', 'nrec', 'nreco'))).toBe('nr2');
    expect(choosePrefix('x', taken('x', 'x2', 'x3'))).toBe('x4');
    expect(choosePrefix('', taken('sh'))).toBe('sh2');
    expect(choosePrefix('x', taken('x', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', 'x8', 'x9'))).toBe('x');
  });
});

describe('ADR-5: shape of a restored alias', () => {
  it('is prefix and number, nothing else', () => {
    expect(parseAlias('tu-7')).toEqual({ prefix: 'tu', number: 7 });
    for (const bad of [
      'tu',
      'tu-',
      'tu-0',
      'tu-07',
      '-1',
      'TU-1',
      'a b-1',
      'tu-1\n',
      '../x-1',
      'tu-1e3',
      `${'x'.repeat(99)}-1`,
    ]) {
      expect(parseAlias(bad)).toBeUndefined();
    }
  });
});
