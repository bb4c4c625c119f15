import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { systemClock } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { withFileLock } from './file-lock.ts';

const cleanup = cleanupAfterEach();

/** A pid that was one until a moment ago. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('lock of a file', () => {
  it('UPC-2: of many writers none loses what another wrote', async () => {
    const folder = await cleanup.temporaryDirectory('tuic-lock-');
    const path = join(folder, 'counter');
    await writeFile(path, '0');
    const add = () =>
      withFileLock(path, systemClock, async () => writeFile(path, String(Number(await readFile(path, 'utf8')) + 1)));
    await Promise.all(Array.from({ length: 8 }, add));
    expect(await readFile(path, 'utf8')).toBe('8');
    expect(await readdir(folder)).toEqual(['counter']);
  });

  it('lets go when the work fails', async () => {
    const path = join(await cleanup.temporaryDirectory('tuic-lock-'), 'x');
    const failing = withFileLock(path, systemClock, async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await withFileLock(path, systemClock, async () => 'in')).toBe('in');
  });

  it('takes over from a process that died, and from one that holds it for ever', async () => {
    const folder = await cleanup.temporaryDirectory('tuic-lock-');
    const path = join(folder, 'x');
    await writeFile(`${path}.lock`, String(await deadPid()));
    expect(await withFileLock(path, systemClock, async () => 'dead')).toBe('dead');
    await writeFile(`${path}.lock`, String(process.pid));
    const later = { ...systemClock, now: () => Date.now() + DEADLINES.fileLockStale + 1_000 };
    expect(await withFileLock(path, later, async () => 'stale')).toBe('stale');
    expect(await readdir(folder)).toEqual([]);
  });

  it('waits for a live holder and then says so', async () => {
    const folder = await cleanup.temporaryDirectory('tuic-lock-');
    const path = join(folder, 'x');
    await writeFile(join(folder, 'held'), String(process.pid));
    await link(join(folder, 'held'), `${path}.lock`);
    const clock = new ManualClock(Date.now());
    let isOver = false;
    const waiting = withFileLock(path, clock, async () => 'in').finally(() => {
      isOver = true;
    });
    waiting.catch(() => undefined);
    while (!isOver) {
      await clock.advanceAsync(DEADLINES.fileLock / 4);
    }
    await expect(waiting).rejects.toMatchObject({ code: 'storage_failed' });
  });
});
