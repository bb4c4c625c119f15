/** Reads folders within bounds, for lists and sums. Never follows a link into another folder while it counts. */
import { lstat, opendir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderBounds {
  /** Entries that are read at most. */
  read: number;
  /** Names that come back at most. */
  names: number;
}

export interface FolderNames {
  names: string[];
  truncated: boolean;
}

/** Why a folder cannot be read, in words, or undefined for a failure that is not about the folder. */
export function describeFolderFailure(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such folder';
    case 'ENOTDIR':
      return 'it is no folder';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it';
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'EIO':
    case 'ESTALE':
    case 'ENOTCONN':
    case 'EHOSTDOWN':
      return 'its disk or network does not answer';
    default:
      return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    // A link that leads nowhere, or where this user may not look, is no folder to go into.
    if (describeFolderFailure(error) !== undefined) return false;
    throw error;
  }
}

/** What a path leads to; rejects with the system's error when there is nothing. */
export async function fileKind(path: string): Promise<'file' | 'folder'> {
  return (await stat(path)).isDirectory() ? 'folder' : 'file';
}

/** Names of the folders in `path` that pass `isWanted`, sorted as people count. Rejects with the system's error. */
export async function listFolders(
  path: string,
  isWanted: (name: string) => boolean,
  bounds: FolderBounds,
  signal?: AbortSignal,
): Promise<FolderNames> {
  const names: string[] = [];
  let count = 0;
  let truncated = false;
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    signal?.throwIfAborted();
    if (++count > bounds.read || names.length >= bounds.names * 2) {
      truncated = true;
      break;
    }
    // A name that is no UTF-8 cannot be asked for again.
    if (entry.name.includes('\ufffd') || !isWanted(entry.name)) continue;
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(path, entry.name)))))
      names.push(entry.name);
  }
  const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  names.sort((a, b) => order.compare(a, b) || (a < b ? -1 : 1));
  return { names: names.slice(0, bounds.names), truncated: truncated || names.length > bounds.names };
}

export interface FolderEntrySize {
  name: string;
  bytes: number;
  files: number;
}

/** Sizes of what lies in a folder, summed for each name in it. What vanishes meanwhile is not counted. */
export async function measureFolder(
  path: string,
  mostFiles: number,
  signal?: AbortSignal,
): Promise<{ entries: FolderEntrySize[]; truncated: boolean }> {
  let left = mostFiles;
  const measure = async (at: string): Promise<{ bytes: number; files: number }> => {
    signal?.throwIfAborted();
    if (left-- <= 0) return { bytes: 0, files: 0 };
    try {
      const info = await lstat(at);
      if (!info.isDirectory()) return { bytes: info.size, files: 1 };
      const sum = { bytes: 0, files: 0 };
      for await (const entry of await opendir(at)) {
        const one = await measure(join(at, entry.name));
        sum.bytes += one.bytes;
        sum.files += one.files;
      }
      return sum;
    } catch (error) {
      if (describeFolderFailure(error) !== undefined) return { bytes: 0, files: 0 };
      throw error;
    }
  };
  const entries: FolderEntrySize[] = [];
  for await (const entry of await opendir(path)) {
    entries.push({ name: entry.name, ...(await measure(join(path, entry.name))) });
  }
  entries.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  return { entries, truncated: left < 0 };
}

/** Bytes that this user can still write there; undefined when the system does not say. */
export async function freeSpace(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Lines of a small text file; none when it is missing or cannot be read. */
export async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

export async function isProgramFile(path: string): Promise<boolean> {
  try {
    const info = await stat(path);
    return info.isFile() && (info.mode & 0o111) !== 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
