/** Files that are given to whoever may not have every file: where a path really leads, and its bytes. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const ABSENT = new Set<unknown>(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENXIO']);

function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && ABSENT.has(error.code);
}

/** The path behind all links; undefined when there is nothing, or nothing that this user may see. */
export async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** True for the folder itself and what lies in it. Both are absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export interface PlainFile {
  size: number;
  /** Opens nothing any more; whoever takes it reads or destroys it. */
  read(): Readable;
  close(): Promise<void>;
}

/**
 * Opens a plain file; undefined for what is none. `path` is free of links: one that was put there since is not followed, and a pipe is
 * not waited for.
 */
export async function openPlainFile(path: string): Promise<PlainFile | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = await handle.stat();
      if (!info.isFile()) {
        await handle.close();
        return undefined;
      }
      return { size: info.size, read: () => handle.createReadStream(), close: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
