/**
 * The log: JSON lines in `<directory>/server.log` (rotated to `.1` at LIMITS.logFile) and the newest ones in memory.
 * Terminal content and bodies are never logged; secrets are scrubbed from every line. A log that cannot be written never stops
 * the server: it says so once on standard error and goes on in memory.
 */
import { rename } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { destination, type Level, type Logger, pino } from 'pino';
import { LIMITS } from '../../contract/index.ts';
import { scrubSecrets } from './scrub.ts';

export type Log = Logger;

export interface LogOptions {
  /** Folder of server.log; without it lines are kept in memory only. */
  directory?: string;
  level?: Level | 'silent';
  /** Told once when the file cannot be written. */
  onFailure?: (error: Error) => void;
  /** Gets each finished line, clean of secrets, without its line break. */
  onLine?: (line: string) => void;
  fileLimit?: number;
  ringLines?: number;
}

export interface OpenLog {
  readonly log: Log;
  /** The newest lines, oldest first. */
  recent(): readonly string[];
  /** Writes out what is left. */
  close(): Promise<void>;
}

type File = ReturnType<typeof destination>;

class Ring {
  readonly #lines: string[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(line: string): void {
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  list(): string[] {
    if (this.#lines.length < this.#capacity) return [...this.#lines];
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
  }
}

function openFile(path: string): Promise<File> {
  return new Promise((resolve, reject) => {
    const file = destination({ dest: path, append: true, sync: false, mode: 0o600 });
    file.once('error', reject);
    file.once('ready', () => {
      file.off('error', reject);
      resolve(file);
    });
  });
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

export async function openLog(options: LogOptions = {}): Promise<OpenLog> {
  const ring = new Ring(options.ringLines ?? LIMITS.logRing);
  const limit = options.fileLimit ?? LIMITS.logFile;
  let file: File | undefined;
  let path = '';
  let size = 0;
  let isRotating = false;

  const fail = (error: Error) => {
    if (file === undefined && path === 'failed') return;
    file = undefined;
    path = 'failed';
    options.onFailure?.(error);
  };

  if (options.directory !== undefined) {
    try {
      await mkdir(options.directory, { recursive: true, mode: 0o700 });
      path = join(options.directory, 'server.log');
      file = await openFile(path);
      size = await sizeOf(path);
      file.on('error', fail);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function rotate(target: File): void {
    isRotating = true;
    rename(path, `${path}.1`, (error) => {
      isRotating = false;
      if (error !== null) return fail(error);
      size = 0;
      target.reopen();
    });
  }

  const log = pino(
    { level: options.level ?? 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write(line: string) {
        const clean = scrubSecrets(line);
        const bare = clean.trimEnd();
        ring.push(bare);
        options.onLine?.(bare);
        if (file === undefined) return;
        file.write(clean);
        size += clean.length;
        if (size > limit && !isRotating) rotate(file);
      },
    },
  );

  return {
    log,
    recent: () => ring.list(),
    close() {
      const target = file;
      file = undefined;
      if (target === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        target.once('close', resolve);
        target.end();
      });
    },
  };
}
