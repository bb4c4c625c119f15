/**
 * Makes the configuration directory usable, or says in one clear error why it is not. A directory that is ours becomes private;
 * one that serves other purposes too (somebody pointed us at a home or a shared folder) keeps its mode: our files are 0600.
 */
import { constants } from 'node:fs';
import { access, chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { AppError } from '../../contract/index.ts';

export interface ConfigDirectoryLog {
  warn(fields: object, message: string): void;
}

const OUR_FILES = new Set(['config.json', 'token', 'state.db', 'pty-host.token']);
const OTHERS_MAY_ENTER = 0o077;
const STICKY = 0o1000;

async function makePrivate(path: string, log: ConfigDirectoryLog): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const found = await stat(path);
  if (found.uid !== uid) {
    throw new AppError('storage_failed', {
      detail: `${path} belongs to another user. Set TUIC_CONFIG_DIR to a directory of yours`,
    });
  }
  if ((found.mode & OTHERS_MAY_ENTER) === 0) return;
  const names = await readdir(path);
  const isOurs = (found.mode & STICKY) === 0 && (names.length === 0 || names.some((name) => OUR_FILES.has(name)));
  if (isOurs) await chmod(path, 0o700);
  log.warn({ path, isPrivate: isOurs }, 'other users could enter the configuration directory');
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // A recursive mkdir calls a read-only file system "no such directory"; the plain one tells the truth.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(path, { mode: 0o700 });
  }
}

/** `path` is absolute. */
export async function prepareConfigDirectory(path: string, log: ConfigDirectoryLog): Promise<void> {
  try {
    await createDirectory(path);
    await makePrivate(path, log);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'storage_failed',
      {
        detail: `${path} cannot be used as the configuration directory (${detail}). Set TUIC_CONFIG_DIR to another one`,
      },
      { cause: error },
    );
  }
}
