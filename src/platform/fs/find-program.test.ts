import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findProgram } from './find-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-'));
  for (const name of ['first', 'second']) await mkdir(join(folder, name));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(path: string, mode: number) {
  await writeFile(join(folder, path), '#!/bin/sh\n');
  await chmod(join(folder, path), mode);
}

it('gives the first that can be run: no folder, no file that is none', async () => {
  const places = ['nowhere', 'first', 'second'].map((name) => join(folder, name));
  await put('first/tool', 0o644);
  await put('second/tool', 0o755);
  await mkdir(join(folder, 'first/thing'));
  await symlink(join(folder, 'second/tool'), join(folder, 'first/linked'));
  await symlink(join(folder, 'gone'), join(folder, 'first/dangling'));
  const found = (name: string) => findProgram(name, places);
  expect(await found('tool')).toBe(join(folder, 'second/tool'));
  expect(await found('linked')).toBe(join(folder, 'first/linked'));
  for (const name of ['thing', 'dangling', 'absent', '', '.', '..']) expect(await found(name)).toBeUndefined();
});

it('takes names only, and no folder that is not absolute', async () => {
  await put('first/tool', 0o755);
  expect(await findProgram('first/tool', [folder])).toBeUndefined();
  expect(await findProgram('../first/tool', [join(folder, 'second')])).toBeUndefined();
  expect(await findProgram('a\0b', [folder])).toBeUndefined();
  // The test runs in the project, which has this file.
  await expect(findProgram('run', ['.ci', '', '.'])).resolves.toBeUndefined();
});
