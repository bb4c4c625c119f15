import { describe, expect, it } from 'vitest';
import { findRoot, initialsOf, readRegistry, toRepositoryPath } from './registry.ts';

const HOME = '/home/me';
const pathsOf = (value: unknown) => readRegistry(value, HOME).repositories.map(({ path }) => path);

describe('readRegistry', () => {
  it('takes the keys of repos, and those of repositories as well', () => {
    expect(pathsOf({ repos: { '/a': {} } })).toEqual(['/a']);
    expect(pathsOf({ repositories: { '/b': {} } })).toEqual(['/b']);
    const both = {
      repos: { '/a': { displayName: 'Real' } },
      repositories: { '/a': { displayName: 'Alias' }, '/b': {} },
    };
    expect(readRegistry(both, HOME).repositories.map(({ name }) => name)).toEqual(['Real', 'b']);
  });

  it('keeps the order of the person: the list, then the groups, then the rest', () => {
    const value = {
      repos: { '/d': {}, '/c': {}, '/b': {}, '/a': {} },
      repoOrder: ['/b', '/gone'],
      groups: { two: { name: 'Two', repoOrder: ['/c'] }, one: { name: 'One', repoOrder: ['/a'] } },
      groupOrder: ['one', 'two'],
    };
    const { repositories } = readRegistry(value, HOME);
    expect(repositories.map(({ path, group }) => [path, group])).toEqual([
      ['/b', undefined],
      ['/a', 'One'],
      ['/c', 'Two'],
      ['/d', undefined],
    ]);
  });

  it('reads name, initials and what lies on another machine', () => {
    const value = {
      repos: {
        '/srv/my-app/': { displayName: ' ', initials: 'XY' },
        '/far': { connectionId: 'c1', activeBranch: 'dev', isGitRepo: true },
      },
      activeRepoPath: '/srv/my-app/',
    };
    const { repositories, active } = readRegistry(value, HOME);
    expect(repositories).toEqual([
      { path: '/srv/my-app', name: 'my-app', initials: 'XY', group: undefined, elsewhere: undefined },
      { path: '/far', name: 'far', initials: 'FA', group: undefined, elsewhere: { branch: 'dev', isGitRepo: true } },
    ]);
    expect(active).toBe(repositories[0]);
  });

  it('takes whatever stands in the file, and only folders for repositories', () => {
    for (const value of [
      null,
      3,
      [],
      {},
      { repos: [] },
      { repos: { '/a': 1 }, groups: [], repoOrder: {}, groupOrder: 1 },
    ]) {
      expect(() => readRegistry(value, HOME)).not.toThrow();
    }
    const repos = {
      '': {},
      relative: {},
      '/a/../b': {},
      '/nul\0': {},
      '~other/x': {},
      '~/mine': {},
      '//x//y/.': {},
      '/x/y': {},
    };
    expect(pathsOf({ repos, repoOrder: ['toString', 5] })).toEqual(['/home/me/mine', '/x/y']);
    const hostile = JSON.parse(
      '{"repos":{"/a":{},"__proto__":{}},"groups":{"__proto__":{"name":"g","repoOrder":["/a"]}}}',
    );
    expect(pathsOf(hostile)).toEqual(['/a']);
    expect(readRegistry({ repos: {}, activeRepoPath: 'toString' }, HOME).active).toBeUndefined();
    expect(readRegistry({ repos: { '/a': {} }, activeRepoPath: '/removed' }, HOME).active).toBeUndefined();
  });
});

describe('findRoot', () => {
  it('TRN-8: the longest root that is the path or lies above it by whole names', () => {
    const roots = ['/a', '/a/b', '/a/b/c/d', '/z/'];
    expect(findRoot('/a/b', roots)).toBe('/a/b');
    expect(findRoot('/a/b/c', roots)).toBe('/a/b');
    expect(findRoot('/a/b-other', roots)).toBe('/a');
    expect(findRoot('/a/b-other', ['/a/b'])).toBeUndefined();
    expect(findRoot('/b', roots)).toBeUndefined();
    expect(findRoot('/any', ['/'])).toBe('/');
    expect(findRoot('/any', [])).toBeUndefined();
  });
});

it('toRepositoryPath: one spelling, by the rule of paths', () => {
  expect(toRepositoryPath('~/x/', HOME)).toBe('/home/me/x');
  expect(toRepositoryPath('/', HOME)).toBe('/');
  for (const path of ['', 'x', '/a/../b', '/a\0', '~other']) expect(() => toRepositoryPath(path, HOME), path).toThrow();
});

it('initialsOf: two upper-case characters, whatever the name', () => {
  const names = ['tuic', 'my-app', 'a', 'one two three', '日本', '/', '', 'ß', '🚀 rocket', '_x_'];
  expect(names.map(initialsOf)).toEqual(['TU', 'MA', 'AA', 'OT', '日本', '??', '??', 'SS', 'RO', 'XX']);
});
