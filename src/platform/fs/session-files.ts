/**
 * The durable form of each session's screen, log and, once it has ended, newest output: <root>/<session id>/screen, log.<n> and ring.
 *
 * Promises: `screen` and `ring` are replaced as a whole or not at all; a log file only grows while its chunk does. Ordering: calls of
 * one session must not overlap (its owner chains them); log files are written before the screen that refers to them, and
 * old log files go only when the owner says so, after the newer screen is stored.
 * A failed write leaves what was stored before; the next call writes the missing part again.
 */
import { mkdir, open, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/index.ts';

export interface LogFile {
  number: number;
  bytes: Uint8Array;
}

export interface StoredSession {
  screen: { offset: number; blob: Uint8Array } | undefined;
  /** Ascending numbers. */
  log: LogFile[];
}

export interface SessionFiles {
  /** Appends to each log file what is new of its chunk. */
  appendLog(id: string, chunks: readonly LogFile[]): Promise<void>;
  /** Cuts the stored log to exactly these chunks' lengths; what is not named is removed. */
  trimLog(id: string, chunks: readonly LogFile[]): Promise<void>;
  /** Removes the log files below `first`. */
  dropLogBefore(id: string, first: number): Promise<void>;
  writeScreen(id: string, offset: number, blob: Uint8Array): Promise<void>;
  /** The newest output of a session that has ended; `offset` is that of its first byte. */
  writeRing(id: string, offset: number, bytes: Uint8Array): Promise<void>;
  /** Undefined when none was stored. */
  readRing(id: string): Promise<{ offset: number; bytes: Uint8Array } | undefined>;
  read(id: string): Promise<StoredSession>;
  remove(id: string): Promise<void>;
  list(): Promise<string[]>;
}

/** Screen and ring files: magic, u64 offset, bytes. */
const SCREEN = Buffer.from('tuiscr1\n');
const RING = Buffer.from('tuirng1\n');
const HEADER = SCREEN.length + 8;

export function createSessionFiles(root: string): SessionFiles {
  /** Bytes known to be stored, per session and chunk. */
  const stored = new Map<string, Map<number, number>>();
  const made = new Set<string>();

  const folder = (id: string) => join(root, id);
  const file = (id: string, number: number) => join(root, id, `log.${number}`);

  const lengthsOf = (id: string): Map<number, number> => {
    let lengths = stored.get(id);
    if (lengths === undefined) {
      lengths = new Map();
      stored.set(id, lengths);
    }
    return lengths;
  };

  const ensureFolder = async (id: string) => {
    if (made.has(id)) return;
    await mkdir(folder(id), { recursive: true, mode: 0o700 });
    made.add(id);
  };

  const write = async (id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await ensureFolder(id);
      await work();
    } catch (error) {
      made.delete(id);
      throw storageError(folder(id), error);
    }
  };

  return {
    appendLog: (id, chunks) =>
      write(id, async () => {
        const lengths = lengthsOf(id);
        // Chunks are files of their own; side by side, the disk's delay counts once.
        const grown = chunks.filter(({ number, bytes }) => bytes.length > (lengths.get(number) ?? 0));
        await allDone(grown.map((chunk) => append(file(id, chunk.number), chunk, lengths)));
      }),

    trimLog: (id, chunks) =>
      write(id, async () => {
        const keep = new Map(chunks.map((chunk) => [chunk.number, chunk.bytes.length]));
        const lengths = lengthsOf(id);
        for (const number of await listLog(folder(id))) {
          const length = keep.get(number);
          if (length === undefined) {
            await unlink(file(id, number));
            lengths.delete(number);
            continue;
          }
          const handle = await open(file(id, number), 'r+');
          try {
            const { size } = await handle.stat();
            if (size > length) await handle.truncate(length);
            lengths.set(number, Math.min(size, length));
          } finally {
            await handle.close();
          }
        }
      }),

    dropLogBefore: (id, first) =>
      write(id, async () => {
        const lengths = lengthsOf(id);
        const old = [...lengths.keys()].filter((number) => number < first);
        await allDone(
          old.map(async (number) => {
            await removeFile(file(id, number));
            lengths.delete(number);
          }),
        );
      }),

    writeScreen: (id, offset, blob) => write(id, () => replace(join(folder(id), 'screen'), SCREEN, offset, blob)),

    writeRing: (id, offset, bytes) => write(id, () => replace(join(folder(id), 'ring'), RING, offset, bytes)),

    readRing: async (id) => {
      try {
        const ring = await readMarked(join(folder(id), 'ring'), RING);
        return ring === undefined ? undefined : { offset: ring.offset, bytes: ring.blob };
      } catch (error) {
        throw storageError(folder(id), error);
      }
    },

    read: async (id) => {
      try {
        const lengths = lengthsOf(id);
        lengths.clear();
        const log: LogFile[] = [];
        for (const number of await listLog(folder(id))) {
          const bytes = await readFile(file(id, number));
          lengths.set(number, bytes.length);
          log.push({ number, bytes });
        }
        return { screen: await readMarked(join(folder(id), 'screen'), SCREEN), log };
      } catch (error) {
        throw storageError(folder(id), error);
      }
    },

    remove: async (id) => {
      stored.delete(id);
      made.delete(id);
      try {
        await rm(folder(id), { recursive: true, force: true });
      } catch (error) {
        throw storageError(folder(id), error);
      }
    },

    list: async () => {
      try {
        return await readdir(root);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw storageError(root, error);
      }
    },
  };
}

async function append(path: string, { number, bytes }: LogFile, lengths: Map<number, number>): Promise<void> {
  const have = lengths.get(number) ?? 0;
  const handle = await open(path, have === 0 ? 'w' : 'r+', 0o600);
  try {
    let at = have;
    while (at < bytes.length) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
      at += bytesWritten;
    }
  } finally {
    await handle.close();
  }
  lengths.set(number, bytes.length);
}

/** Waits for all, also when one fails: nothing goes on behind the caller's back. Rejects with the first failure. */
async function allDone(work: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function listLog(folder: string): Promise<number[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .map((name) => /^log\.(\d+)$/.exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number)
    .sort((left, right) => left - right);
}

async function replace(path: string, magic: Buffer, offset: number, bytes: Uint8Array): Promise<void> {
  const content = Buffer.allocUnsafe(HEADER + bytes.length);
  magic.copy(content);
  content.writeBigUInt64LE(BigInt(offset), magic.length);
  content.set(bytes, HEADER);
  const temporary = `${path}.new`;
  try {
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A missing file is nothing; one that is not ours (cut, foreign) is nothing either: the rest is still readable. */
async function readMarked(path: string, magic: Buffer): Promise<StoredSession['screen']> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (content.length < HEADER || !content.subarray(0, magic.length).equals(magic)) return undefined;
  return { offset: Number(content.readBigUInt64LE(magic.length)), blob: content.subarray(HEADER) };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : undefined;
}

function storageError(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const detail =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full. Free some space' : `${code}. Check its owner and mode`;
  return new AppError('storage_failed', { detail: `${path}: ${detail}` }, { cause: error });
}
