/** File systems that refuse: a full one and a read-only one. Needs root; without it the test fails and says so. */
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';

function run(program: string, values: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, values, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else
        reject(new Error(`${program} ${values.join(' ')}: ${stderr.trim() || error.message} (this test needs root)`));
    });
  });
}

/** A file system of this size. */
export async function mountSmall(cleanup: Cleanup, kibibytes: number): Promise<string> {
  const path = await cleanup.temporaryDirectory('tuic-m-');
  await run('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path]);
  cleanup.defer(() => run('umount', ['--lazy', path]));
  return path;
}

/** A directory on a file system that is mounted read-only. */
export async function mountReadOnly(cleanup: Cleanup): Promise<string> {
  const path = await cleanup.temporaryDirectory('tuic-r-');
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64k,ro', 'tmpfs', path]);
  cleanup.defer(() => run('umount', ['--lazy', path]));
  return path;
}

/** Writes until the file system takes nothing more; the file stays. */
export async function fillDisk(path: string): Promise<void> {
  const file = await open(join(path, 'filler'), 'w');
  const block = Buffer.alloc(4_096, 1);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
