/** What HEAD of a work tree says, read from its files: nothing is started for it. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FileUnusable, readSmallFile } from '../fs/index.ts';

export interface GitHead {
  /** Undefined when HEAD is detached, or when only git itself can tell (a repository with a reftable). */
  branch: string | undefined;
  /** The commit of a detached HEAD. */
  commit: string | undefined;
  /** A repository without files of its own. */
  isBare: boolean;
}

/** Longer than any name a file system takes; what is longer is no file of git's. */
const LONGEST_FILE = 16_384;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO']);
/** What stands in HEAD where the references are kept elsewhere. */
const PLACEHOLDER = '.invalid';

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

/** A pipe in its place would never end, and a large file is none of git's: neither is read. */
async function readText(path: string): Promise<string | undefined> {
  // A device is not even opened, which may be more than a look; what takes the place of the file after this waits for nobody.
  if ((await orUndefined(stat(path)))?.isFile() !== true) return undefined;
  try {
    return (await orUndefined(readSmallFile(path, LONGEST_FILE)))?.toString('utf8');
  } catch (error) {
    if (error instanceof FileUnusable) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await orUndefined(stat(path)))?.isDirectory() ?? false;
}

/** The folder with the data of git: `.git`, or where a `.git` file of a linked worktree or submodule points. */
async function findData(path: string): Promise<{ data: string; isBare: boolean } | undefined> {
  const own = join(path, '.git');
  if (await isFolder(own)) return { data: own, isBare: false };
  const target = /^gitdir: (.+?)\r?\n?$/s.exec((await readText(own)) ?? '')?.[1];
  if (target !== undefined) return { data: resolve(path, target), isBare: false };
  const isBare = (await isFolder(join(path, 'objects'))) && (await isFolder(join(path, 'refs')));
  return isBare ? { data: path, isBare } : undefined;
}

/** Undefined for a folder that is no repository. Rejects with the system's error when it cannot be looked at. */
export async function readHead(path: string): Promise<GitHead | undefined> {
  const found = await findData(path);
  if (found === undefined) return undefined;
  const { data, isBare } = found;
  const text = (await readText(join(data, 'HEAD')))?.trim();
  if (text === undefined) return undefined;
  const reference = /^ref:\s*(.+)$/.exec(text)?.[1];
  if (reference !== undefined) {
    const name = reference.replace(/^refs\/heads\//, '');
    return { branch: name === PLACEHOLDER ? undefined : name, commit: undefined, isBare };
  }
  return /^[0-9a-f]{40,64}$/.test(text) ? { branch: undefined, commit: text, isBare } : undefined;
}
