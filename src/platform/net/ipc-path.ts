/**
 * Where the IPC socket stands: `<config_dir>/mcp.sock`, or, for a named instance and when that path is longer than a socket address
 * may be, a short name in a private directory of the user, with a pointer file beside the configuration (http.md 1.1).
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../contract/index.ts';
import { describeError, systemCode } from './errors.ts';

/** Socket addresses hold 104 bytes on macOS, 108 on Linux. */
const LONGEST_PATH = 100;

export interface IpcPlace {
  path: string;
  /** File that names `path`, when it is not the usual one. */
  pointer?: string;
  /** Directory to be created for it, private to the user. */
  directory?: string;
  /** Where the socket of the same directory would stand without, or with, the name; absent when it could not. */
  other?: string;
}

export interface IpcPlaceInput {
  configDirectory: string;
  /** A named instance always has the short name. */
  isNamed?: boolean;
  platform?: string;
  temporaryDirectory?: string;
  uid?: number;
}

export function resolveIpcPlace(input: IpcPlaceInput): IpcPlace {
  const hash = createHash('sha256').update(input.configDirectory).digest('hex').slice(0, 8);
  if ((input.platform ?? process.platform) === 'win32') {
    return { path: `\\\\.\\pipe\\tuicommander-mcp-${hash}` };
  }
  const usual = join(input.configDirectory, 'mcp.sock');
  const isUsable = Buffer.byteLength(usual) <= LONGEST_PATH;
  const folder = `tuic-${input.uid ?? process.getuid?.() ?? 0}`;
  const wanted = join(input.temporaryDirectory ?? tmpdir(), folder);
  const directory = Buffer.byteLength(wanted) + 14 <= LONGEST_PATH ? wanted : join('/tmp', folder);
  const short = join(directory, `${hash}.sock`);
  if (isUsable && input.isNamed !== true) return { path: usual, other: short };
  return { path: short, pointer: `${usual}.path`, directory, ...(isUsable ? { other: usual } : {}) };
}

/** Creates the private directory, and refuses one that somebody else owns or may enter. */
export async function preparePrivateDirectory(directory: string, uid = process.getuid?.()): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
    }
  }
  const found = await lstat(directory);
  const isPrivate = found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
  if (!isPrivate) {
    throw new AppError('storage_failed', {
      detail: `${directory} must be a directory of yours that nobody else may enter. Remove it, or set TMPDIR`,
    });
  }
}

/** Replaced at once, so that a reader sees the old name or the new one. */
export async function writePointer(pointer: string, path: string): Promise<void> {
  const draft = `${pointer}.${process.pid}`;
  try {
    await writeFile(draft, `${path}\n`, { mode: 0o600 });
    await rename(draft, pointer);
  } catch (error) {
    await rm(draft, { force: true });
    throw new AppError('storage_failed', { detail: describeError(error) }, { cause: error });
  }
}
