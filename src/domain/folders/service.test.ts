import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { LIMITS } from '../../contract/index.ts';
import { createFolderService, type FolderService } from './index.ts';

const cleanup = cleanupAfterEach();
const signal = new AbortController().signal;
let home: string;
let folders: FolderService;

beforeEach(async () => {
  home = await cleanup.temporaryDirectory();
  folders = createFolderService({
    home,
    configDirectory: home,
    defaultShell: () => '/bin/sh',
    shellsFile: join(home, 'shells'),
  });
});

describe('paths in the text of a terminal', () => {
  it('http.md 15: found from each folder in turn, with a place at its end, from home, and absolute; nothing else', async () => {
    await mkdir(join(home, 'src'));
    await mkdir(join(home, 'other'));
    for (const name of ['src/main.ts', 'src/odd:12', 'other/only here']) await writeFile(join(home, name), '');
    const places = [join(home, 'src'), join(home, 'other')];
    const cases: [string, string | null][] = [
      ['main.ts', 'src/main.ts'],
      ['main.ts:12', 'src/main.ts'],
      ['main.ts:12:5', 'src/main.ts'],
      ['main.ts:12:5:', 'src/main.ts'],
      ['main.ts(12,5)', 'src/main.ts'],
      ['odd:12', 'src/odd:12'],
      ['only here', 'other/only here'],
      ['../src/main.ts', 'src/main.ts'],
      ['~/src/main.ts', 'src/main.ts'],
      [`${home}/src/main.ts:3`, 'src/main.ts'],
      ['missing.ts', null],
      ['main.ts/under', null],
      ['~root/x', null],
      ['', null],
      [':12', null],
      ['a\0b', null],
      ['x'.repeat(4_000), null],
    ];
    for (const [candidate, path] of cases) {
      const expected = path === null ? null : { absolute_path: join(home, path), is_directory: false };
      expect(await folders.resolve(places, candidate), candidate).toEqual(expected);
    }
    expect(await folders.resolve([home], './src/')).toEqual({ absolute_path: join(home, 'src'), is_directory: true });
    expect(await folders.resolve([''], 'src')).toBeNull();
    expect(await folders.resolve([''], '/')).toEqual({ absolute_path: '/', is_directory: true });
  });
});

describe('folders to start a terminal in', () => {
  it('lists folders and links to folders, as people count; no files, no hidden ones, no broken links', async () => {
    for (const name of ['b10', 'b9', 'Beta', '.hidden', 'alpha']) await mkdir(join(home, name));
    await writeFile(join(home, 'file'), '');
    await symlink(join(home, 'alpha'), join(home, 'link'));
    await symlink(join(home, 'nowhere'), join(home, 'broken'));
    expect(await folders.list('~', '', signal)).toEqual({
      path: home,
      parent: join(home, '..'),
      directories: ['alpha', 'b9', 'b10', 'Beta', 'link'],
      truncated: false,
    });
    expect((await folders.list('~', 'B', signal)).directories).toEqual(['b9', 'b10', 'Beta']);
    expect((await folders.list(home, '.', signal)).directories).toEqual(['.hidden']);
  });

  it('names are given as they are, whatever stands in them, and the root has no parent', async () => {
    const hostile = ['<img src=x onerror=alert(1)>', 'a\u001b]0;title\u0007b', 'line\nbreak', '\u202egnp.exe'];
    for (const name of hostile) await mkdir(join(home, name));
    expect(new Set((await folders.list(home, '', signal)).directories)).toEqual(new Set(hostile));
    expect((await folders.list('/', '', signal)).parent).toBeNull();
  });

  it('http.md 1.4: refuses relative paths, traversal and other homes; says why a folder cannot be read', async () => {
    await writeFile(join(home, 'file'), '');
    const cases: [string, string][] = [
      ['', 'path_required'],
      ['x', 'path_not_absolute'],
      [`${home}/../x`, 'path_traversal'],
      ['/a\0b', 'path_traversal'],
      ['~root', 'path_user_home'],
      [join(home, 'missing'), 'folder_unreadable'],
      [join(home, 'file'), 'folder_unreadable'],
      [`/${'x'.repeat(3_000)}`, 'folder_unreadable'],
    ];
    for (const [path, code] of cases) {
      await expect(folders.list(path, '', signal), path).rejects.toMatchObject({ code });
    }
  });

  it('a folder with more than fits says so, and a prefix still finds what lies behind', async () => {
    await Promise.all(Array.from({ length: LIMITS.folderNames + 5 }, (_, index) => mkdir(join(home, `d${index}`))));
    await mkdir(join(home, 'zz-last'));
    const all = await folders.list(home, '', signal);
    expect([all.directories.length, all.truncated]).toEqual([LIMITS.folderNames, true]);
    expect(await folders.list(home, 'zz', signal)).toMatchObject({ directories: ['zz-last'], truncated: false });
  });

  it('shells are those that the machine lists and has', async () => {
    await writeFile(join(home, 'runs'), '');
    await chmod(join(home, 'runs'), 0o755);
    await writeFile(join(home, 'shells'), `# shells\n${home}/runs\n${home}/missing\n${home}/runs\nrelative\n`);
    expect(await folders.launchChoices()).toEqual({ home, default_shell: '/bin/sh', shells: [`${home}/runs`] });
  });

  it('the data folder: sums by name, the largest first; a link counts as itself', async () => {
    await mkdir(join(home, 'logs'));
    await writeFile(join(home, 'logs', 'a'), 'x'.repeat(3_000));
    await writeFile(join(home, 'logs', 'b'), 'x'.repeat(2_000));
    await writeFile(join(home, 'state.db'), 'x'.repeat(4_000));
    await symlink('/', join(home, 'root'));
    const report = await folders.storage(signal);
    expect(report.entries.slice(0, 2)).toEqual([
      { name: 'logs', bytes: 5_000, files: 2 },
      { name: 'state.db', bytes: 4_000, files: 1 },
    ]);
    expect(report.entries[2]?.bytes).toBeLessThan(100);
    expect([report.directory, report.truncated]).toEqual([home, false]);
    expect(report.free_bytes).toBeGreaterThan(0);
  });
});
