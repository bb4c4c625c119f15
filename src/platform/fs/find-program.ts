/** Looks a program up as a shell does, without starting anything. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isProgramFile } from './folders.ts';

/**
 * The file of this name that the first of `folders` has and this user may run; undefined when none has. A name with a slash is
 * no name, and a folder that is not absolute counts for nothing: where the server works is not where the person does.
 */
export async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  if (name === '' || /[/\\\0]/.test(name) || name === '.' || name === '..') return undefined;
  for (const folder of folders) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    if (await isProgramFile(path)) return path;
  }
  return undefined;
}

/** Changes with the file that a path leads to; empty when there is none. */
export async function fileStamp(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(path);
    return `${dev}:${ino}:${size}:${mtimeMs}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
