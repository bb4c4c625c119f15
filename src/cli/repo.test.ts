import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine } from '../../test/kit/command-line.ts';
import { EXIT_CODES, type RepositoryEntry } from '../contract/index.ts';
import { addRepository, hasRepository, removeRepository } from './repositories-document.ts';

const cleanup = cleanupAfterEach();

interface Held {
  document: Record<string, unknown>;
  version: number;
  /** Somebody else's work, right behind a read. */
  afterRead: (() => void) | undefined;
}

let tuic: CommandLine;
let folder: string;
let held: Held;
let list: RepositoryEntry[];

beforeEach(async () => {
  tuic = await prepareCommandLine(cleanup);
  folder = join(tuic.configDirectory, 'app');
  await mkdir(folder);
  held = { document: {}, version: 1, afterRead: undefined };
  list = [];
  const info = { path: folder, name: 'app', initials: 'AP', branch: 'main', status: 'clean', is_git_repo: true };
  await tuic.serve({
    'GET /config/repositories': () => {
      const answer = { body: held.document, headers: { etag: `"${held.version}"` } };
      held.afterRead?.();
      return answer;
    },
    'PUT /config/repositories': ({ headers, body }) => {
      if (headers['if-match'] !== `"${held.version}"`) return { status: 412, body: { error: 'was changed' } };
      held.version++;
      held.document = body as Record<string, unknown>;
      return { body: { ok: true }, headers: { etag: `"${held.version}"` } };
    },
    [`GET /repo/info?${new URLSearchParams({ path: folder })}`]: { body: info },
    'GET /repo/list': () => ({ body: list }),
  });
});

const puts = () => tuic.asked('PUT /config/repositories').length;

describe('tuic repo add', () => {
  it('registers the folder once, with all that windows expect', async () => {
    expect(await tuic.run(['repo', 'add'], { workingDirectory: folder })).toBe(0);
    expect(tuic.output).toBe(`Added ${folder}\n`);
    expect(held.document).toEqual({
      repos: {
        [folder]: {
          path: folder,
          displayName: 'app',
          initials: 'AP',
          isGitRepo: true,
          expanded: true,
          collapsed: false,
          parked: false,
          branches: {},
          activeBranch: 'main',
        },
      },
      repoOrder: [folder],
      activeRepoPath: null,
      groups: {},
      groupOrder: [],
    });
    expect(await tuic.run(['repo', 'add', `${folder}/`, '--json'])).toBe(0);
    expect(JSON.parse(tuic.output)).toEqual({ path: folder, added: false, is_git_repo: true });
    expect(puts()).toBe(1);
  });

  it('reads again when a window was quicker, and keeps what that wrote', async () => {
    const other = { repos: { '/other': {} }, repoOrder: ['/other'], future: { kept: true } };
    held.afterRead = () => Object.assign(held, { document: other, version: 7, afterRead: undefined });
    expect(await tuic.run(['repo', 'add', folder])).toBe(0);
    expect(held.document).toMatchObject({ repoOrder: ['/other', folder], future: { kept: true } });
    expect(Object.keys(held.document.repos as object).sort()).toEqual(['/other', folder].sort());
  });

  it('refuses what is no folder, and asks nobody then', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await tuic.run(['repo', 'add', join(folder, 'file')])).toBe(EXIT_CODES.usage);
    expect(await tuic.run(['repo', 'add', join(folder, 'gone')])).toBe(EXIT_CODES.notFound);
    expect(tuic.errors).toContain('ENOENT');
    expect(tuic.requests).toEqual([]);
  });
});

describe('tuic repo rm', () => {
  it('takes it out everywhere, also when the folder is gone, and leaves the rest as it is', async () => {
    held.document = {
      repos: { '/gone/': { displayName: 'x' }, '/b': { displayName: 'b' } },
      repositories: { '/gone': {} },
      repoOrder: ['/b', '/gone/'],
      activeRepoPath: '/gone/',
      groups: { g: { name: 'G', repoOrder: ['/gone/', '/b'] }, odd: 5 },
      groupOrder: ['g'],
      future: [1],
    };
    expect(await tuic.run(['repo', 'rm', '/gone'])).toBe(0);
    expect(held.document).toEqual({
      repos: { '/b': { displayName: 'b' } },
      repositories: {},
      repoOrder: ['/b'],
      activeRepoPath: null,
      groups: { g: { name: 'G', repoOrder: ['/b'] }, odd: 5 },
      groupOrder: ['g'],
      future: [1],
    });
  });

  it('says that a folder is not registered, and writes nothing', async () => {
    held.document = { repos: { '/a/b': {} } };
    for (const path of ['/a', '/a/b/c', '/a/b-other']) {
      expect(await tuic.run(['repo', 'rm', path])).toBe(EXIT_CODES.notFound);
      expect(tuic.errors).toContain('tuic repo ls');
    }
    expect(puts()).toBe(0);
  });
});

describe('tuic repo ls', () => {
  it('shows branch, state and distance; names of others cannot reach the terminal', async () => {
    expect(await tuic.run(['repo', 'ls'])).toBe(0);
    expect(tuic.output).toContain('tuic repo add');
    list = [
      {
        path: '/home/user/a',
        name: 'a\u001b[31m',
        branch: 'main',
        status: 'dirty',
        is_git_repo: true,
        ahead: 1,
        behind: 0,
      },
      { path: '/b', name: 'b', branch: '', status: 'not-git', is_git_repo: false },
    ];
    await tuic.run(['repo', 'ls']);
    expect(tuic.lines).toEqual([
      'NAME    BRANCH  STATE    REMOTE  FOLDER',
      'a\ufffd[31m  main    dirty    +1 -0   ~/a',
      'b       -       not-git  -       /b',
    ]);
    await tuic.run(['repo', 'ls', '--json']);
    expect(JSON.parse(tuic.output)).toEqual(list);
  });
});

it('edits whatever stands in the document', () => {
  const info = { path: '/a', name: 'a', initials: 'AA', branch: '', status: 'not-git', is_git_repo: false } as const;
  for (const document of [null, [], 'x', { repos: [] }, { repoOrder: 5, groups: null }]) {
    const added = addRepository(document, info);
    expect(hasRepository(added, '/a/')).toBe(true);
    expect(hasRepository(removeRepository(added, '/a'), '/a')).toBe(false);
    expect(() => removeRepository(document, '/a')).not.toThrow();
  }
});
