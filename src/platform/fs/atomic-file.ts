/**
 * Small files that must be whole: a reader sees the old content or the new one, also when the machine stops in between. Files are
 * private to the user. A file that is a link stays one: what it leads to is replaced.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const DRAFT = /^\..+\.(\d+)\.[0-9a-f]{8}\.draft$/;

function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return path;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot do this for a directory; the rename is done all the same.
    if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'EPERM' && systemCode(error) !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}

/** Draft, fsync, rename, fsync of the folder. Rejects with the system's error; the old content then still stands. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const target = await resolveLink(path);
  const directory = dirname(target);
  const draft = join(directory, `.${basename(target)}.${process.pid}.${randomBytes(4).toString('hex')}.draft`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.chmod(0o600);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (process.platform !== 'win32') await syncDirectory(directory);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** Removes what a process that was killed while writing left behind. */
export async function removeDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = DRAFT.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(directory, name), { force: true });
  }
}

const READ_SLICE = 65_536;

export class FileUnusable extends Error {
  override readonly name = 'FileUnusable';
}

/** Up to its end, or until it is longer than `limit`. Whole slices only: some files of the kernel refuse other lengths. */
async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length <= limit) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_SLICE), 0, READ_SLICE, null);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(parts);
}

/** The bytes; undefined when there is no such file. Rejects with FileUnusable for what is no plain file or too large. */
export async function readSmallFile(path: string, limit: number): Promise<Buffer | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    // A pipe under this name would otherwise wait for its other end.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new FileUnusable('it is no plain file');
    if (found.size > limit) throw new FileUnusable(`it is larger than ${limit} bytes`);
    // What the kernel makes up has no size of its own, and may have no end.
    const bytes = await readUpTo(handle, limit);
    if (bytes.length > limit) throw new FileUnusable(`it is larger than ${limit} bytes`);
    return bytes;
  } finally {
    await handle.close();
  }
}
