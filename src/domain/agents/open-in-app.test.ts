import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type Config, type CreateSession, ERRORS, type OpenInApp } from '../../contract/index.ts';
import type { DetachedProgram } from '../../platform/process/index.ts';
import { EDITORS } from './editors.ts';
import { createAppOpener } from './open-in-app.ts';

const cleanup = cleanupAfterEach();
let home: string;
let file: string;
let started: DetachedProgram[];
let terminals: CreateSession[];
let absent: string[];
let launchers: Config['custom_launchers'];

beforeEach(async () => {
  home = await cleanup.temporaryDirectory('open-');
  file = join(home, 'a.ts');
  await writeFile(file, '');
  started = [];
  terminals = [];
  absent = [];
  launchers = [];
});

function open(input: Partial<OpenInApp>, failure?: Error) {
  const opener = createAppOpener({
    detection: {
      programs: async (names) => new Map(names.map((name) => [name, absent.includes(name) ? null : `/opt/${name}`])),
      path: async () => '/usr/bin:/opt',
    },
    home,
    platform: 'linux',
    environment: { LANG: 'C', PATH: '/usr/bin' },
    launchers: () => launchers,
    async start(program) {
      if (failure !== undefined) throw failure;
      started.push(program);
    },
    async openTerminal(session) {
      terminals.push(session);
    },
  });
  return opener.open({ path: file, app: 'vscode', ...input });
}
const commandOf = async (input: Partial<OpenInApp>) => {
  await open(input);
  const { file: program, args } = started.at(-1) ?? { file: '', args: [] };
  return [program, ...args];
};

describe('open in an app', () => {
  it('http.md 12: each editor is told the place in its own way', async () => {
    const place = { line: 7, col: 3 };
    for (const app of ['vscode', 'cursor', 'windsurf'])
      expect((await commandOf({ app, ...place })).slice(1)).toEqual(['--goto', `${file}:7:3`]);
    expect(await commandOf({ app: 'zed', ...place })).toEqual(['/opt/zed', `${file}:7:3`]);
    expect(await commandOf({ app: 'vscode', line: 7 })).toEqual(['/opt/code', '--goto', `${file}:7`]);
    expect(await commandOf({ app: 'goland', ...place })).toEqual(['/opt/goland', '--line', '7', '--column', '3', file]);
    for (const app of Object.keys(EDITORS).filter((id) => !['kitty', 'neovim'].includes(id)))
      expect((await commandOf({ app, col: 3 })).slice(1)).toEqual([file]);
    expect(await commandOf({ app: 'kitty' })).toEqual(['/opt/kitty', '--directory', home]);
    expect(started.at(-1)).toMatchObject({ cwd: home, env: { LANG: 'C', PATH: '/usr/bin:/opt' } });
  });

  it('takes the second name of a program when the first is not here', async () => {
    absent = ['zed'];
    expect(await commandOf({ app: 'zed' })).toEqual(['/opt/zeditor', file]);
  });

  it('what works in a terminal gets one of ours', async () => {
    await open({ app: 'neovim', line: 7 });
    await open({ app: 'terminal' });
    await open({ app: 'terminal', path: '~/' });
    expect(terminals).toEqual([
      { shell: '/opt/nvim', args: ['+7', '--', file], cwd: home },
      { cwd: home },
      { cwd: `${home}/` },
    ]);
    expect(await commandOf({ app: 'file-manager' })).toEqual(['/opt/xdg-open', home]);
  });

  it('a launcher of the person comes first, with the path where it says or last', async () => {
    const own = { id: 'vscode', name: 'Mine', executable: 'mine', args: ['-n'], enabled: true, platform: null };
    launchers = [own];
    expect(await commandOf({})).toEqual(['/opt/mine', '-n', file]);
    launchers = [{ ...own, executable: '~/bin/mine', args: ['--file={path}', '-n'] }];
    expect(await commandOf({})).toEqual([join(home, 'bin/mine'), `--file=${file}`, '-n']);
    launchers = [{ ...own, enabled: false }];
    expect(await commandOf({})).toEqual(['/opt/code', file]);
  });

  it('refuses what it does not know, what is not there, and what does not start', async () => {
    for (const app of ['toString', 'emacs']) {
      const refusal = { code: 'unknown_app', message: `Unknown app: ${app}` };
      await expect(open({ app, path: '/absent' })).rejects.toMatchObject(refusal);
    }
    expect(ERRORS.unknown_app.status).toBe(400);
    await expect(open({ path: join(home, 'absent') })).rejects.toMatchObject({ code: 'not_found' });
    await expect(open({ path: 'a.ts' })).rejects.toMatchObject({ code: 'path_not_absolute' });
    absent = ['code'];
    await expect(open({})).rejects.toMatchObject({ code: 'program_not_found' });
    absent = [];
    await expect(open({}, new Error('spawn EACCES'))).rejects.toThrow(/\/opt\/code could not be started: spawn EACCES/);
    expect(started).toEqual([]);
  });
});
