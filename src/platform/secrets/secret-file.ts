/**
 * A secret in a file that only its owner may read. Promises: whoever reads it gets a whole secret (it is linked into place
 * complete), of two processes that create it together both end with the same one, and a mode that lets others read is repaired.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { AppError } from '../../contract/index.ts';

const SECRET = /^[A-Za-z0-9_-]{32,512}$/;
const SECRET_BYTES = 32;

export interface SecretFileOptions {
  path: string;
  /** Told when the file let others read it and was repaired. */
  onRepair?: (path: string) => void;
}

function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function refuse(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new AppError(
    'storage_failed',
    { detail: detail.includes(path) ? detail : `${path}: ${detail}` },
    { cause: error },
  );
}

/** The stored secret; undefined when there is no file, "damaged" when it holds none. */
async function readSecret({ path, onRepair }: SecretFileOptions): Promise<string | 'damaged' | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const found = await handle.stat();
    const uid = process.getuid?.();
    if (!found.isFile()) throw new AppError('storage_failed', { detail: `${path} is no plain file` });
    if (uid !== undefined && found.uid !== uid) {
      throw new AppError('storage_failed', { detail: `${path} belongs to another user. Remove it` });
    }
    if (uid !== undefined && (found.mode & 0o077) !== 0) {
      await handle.chmod(0o600);
      onRepair?.(path);
    }
    if (found.size > 1024) return 'damaged';
    const text = (await handle.readFile('utf8')).trim();
    return SECRET.test(text) ? text : 'damaged';
  } finally {
    await handle.close();
  }
}

async function writeDraft(draft: string, secret: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function readOrCreateSecret(options: SecretFileOptions): Promise<string> {
  const { path } = options;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const found = await readSecret(options);
    if (found !== undefined && found !== 'damaged') return found;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    await writeDraft(draft, secret);
    if (found === 'damaged') {
      await rename(draft, path);
      return secret;
    }
    try {
      await link(draft, path);
      return secret;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const other = await readSecret(options);
    if (other === undefined || other === 'damaged') {
      throw new AppError('storage_failed', { detail: `${path} changes while it is read` });
    }
    return other;
  } catch (error) {
    throw refuse(path, error);
  } finally {
    await rm(draft, { force: true }).catch(ignoreMissingFolder);
  }
}

/** Where the folder itself cannot be used the refusal says so; there is no draft to remove then. */
function ignoreMissingFolder(error: unknown): void {
  const code = systemCode(error);
  if (code !== 'ENOTDIR' && code !== 'EROFS' && code !== 'EACCES') throw error;
}
