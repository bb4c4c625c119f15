/** The native fork reports neither a missing program nor a missing folder, except as text on the terminal: ask first. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { AppError } from '../../contract/index.ts';
import { errorCode } from '../error-code.ts';

export async function findProgram(file: string, path: string | undefined, cwd: string): Promise<string> {
  if (file === '' || file.includes('\0')) throw new AppError('program_not_found', { program: file });
  const candidates = file.includes('/')
    ? [resolve(cwd, file)]
    : (path ?? '').split(delimiter).map((directory) => resolve(cwd, directory === '' ? '.' : directory, file));
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  throw new AppError('program_not_found', { program: file });
}

export async function requireDirectory(path: string): Promise<void> {
  let isUsable = false;
  try {
    isUsable = (await stat(path)).isDirectory();
    if (isUsable) await access(path, constants.X_OK);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    isUsable = false;
  }
  if (!isUsable) throw new AppError('path_not_directory', { path });
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(
    errorCode(error) ?? '',
  );
}
