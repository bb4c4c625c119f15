/**
 * One writer at a time for a file that several processes change by read, change and write. The lock is a file of its own, linked into
 * place complete with the pid of its holder, so nobody ever sees half a lock.
 *
 * Ordering of a take-over: the holder is gone, or its lock is older than any write takes → claim that very inode by a hard link named
 * after it → remove it → try again. Only the one claimer of an inode removes it, so a lock that was taken meanwhile stays.
 */
import { randomBytes } from 'node:crypto';
import { link, lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { type Clock, delay } from '../../base/index.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';

function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** False when somebody else has it. */
async function take(lock: string): Promise<boolean> {
  const draft = `${lock}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, String(process.pid), { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeLeftBehind(lock: string, clock: Clock): Promise<void> {
  try {
    const { ino, ctimeMs } = await lstat(lock, { bigint: false });
    const pid = Number(await readFile(lock, 'utf8'));
    const isDead = !(pid > 0) || !isRunning(pid) || clock.now() - ctimeMs > DEADLINES.fileLockStale;
    if (!isDead) return;
    const claim = `${lock}.${ino}.dead`;
    try {
      await link(lock, claim);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      const { ctimeMs: claimed } = await lstat(claim);
      if (clock.now() - claimed > DEADLINES.fileLockStale) await rm(claim, { force: true });
      return;
    }
    try {
      if ((await lstat(claim)).ino === ino) await rm(lock, { force: true });
    } finally {
      await rm(claim, { force: true });
    }
  } catch (error) {
    // Its holder let go in between.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Runs `work` while nobody else holds the lock of this file. Refuses when that takes too long. */
export async function withFileLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const until = clock.monotonic() + DEADLINES.fileLock;
  while (!(await take(lock))) {
    if (clock.monotonic() >= until) {
      throw new AppError('storage_failed', { detail: `${lock} is held by another process` });
    }
    await removeLeftBehind(lock, clock);
    await delay(clock, DEADLINES.fileLockRetry);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
