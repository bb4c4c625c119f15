/**
 * A file of lines that never grows without bound: before it would pass `limit` bytes it becomes `.1`, older ones move up, and what
 * is past `.keep` goes. `append` never waits and never throws.
 *
 * Lines are gathered for DEADLINES.logGather before they are written: a write for each would cost a busy server more than the requests that
 * the lines are about. `idle` and `close` do not wait for it.
 *
 * Order: lines reach the disk in the order of `append`; one drain runs at a time, and only it touches the file. A write that fails
 * is taken back, so no line is there by half; what is lost is counted, `onFailure` is told once, and after DEADLINES.logRetry the next
 * line tries again. `onRecovered` tells how many are missing.
 */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';

export interface RotatingFileOptions {
  path: string;
  limit: number;
  /** Older files: `.1` to this one. */
  keep: number;
  clock: Clock;
  onFailure(error: Error): void;
  onRecovered(lostLines: number): void;
}

const BATCH = 65_536;
const BLOCK = 65_536;
const NEWLINE = 0x0a;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #gathering: Disposable | undefined;
  #draining: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #size = 0;
  #lost = 0;
  #failedAt: number | undefined;
  #isClosed = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Without the line break. */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    const isResting =
      this.#failedAt !== undefined && this.#options.clock.monotonic() - this.#failedAt < DEADLINES.logRetry;
    if (this.#isClosed || isResting || this.#pendingBytes + bytes.length > LIMITS.logPending) {
      this.#lost++;
      return;
    }
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BATCH) this.#flush();
    // What is written now takes along what comes meanwhile.
    else if (this.#draining === undefined)
      this.#gathering ??= this.#options.clock.after(DEADLINES.logGather, () => this.#flush());
  }

  #flush(): void {
    this.#gathering?.dispose();
    this.#gathering = undefined;
    if (this.#pending.length > 0) this.#draining ??= this.#drain();
  }

  /** Resolves when everything appended before is written, or counted as lost. */
  async idle(): Promise<void> {
    this.#flush();
    await this.#draining;
  }

  /** Lines of all files, newest first. What is appended meanwhile may be missing. */
  async *newestFirst(): AsyncGenerator<string> {
    await this.idle();
    const files = await this.#openAll();
    try {
      for (const file of files) yield* linesBackwards(file);
    } finally {
      await Promise.all(files.map((file) => file.close()));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Called with lines at hand, so it waits at least once. It says that it is over in the turn in which it found nothing more. */
  async #drain(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const batch = this.#takeBatch();
        try {
          await this.#write(Buffer.concat(batch));
        } catch (error) {
          this.#fail(error, batch.length);
        }
      }
    } finally {
      this.#draining = undefined;
    }
  }

  #takeBatch(): Buffer[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#pending.length && (count === 0 || bytes + (this.#pending[count]?.length ?? 0) <= BATCH)) {
      bytes += this.#pending[count]?.length ?? 0;
      count++;
    }
    this.#pendingBytes -= bytes;
    return this.#pending.splice(0, count);
  }

  async #write(bytes: Buffer): Promise<void> {
    let file = await this.#open();
    if (this.#size > 0 && this.#size + bytes.length > this.#options.limit) {
      await this.#rotate(file);
      file = await this.#open();
    }
    try {
      await file.writeFile(bytes);
    } catch (error) {
      // Half a line would be read as a damaged one.
      await file.truncate(this.#size);
      throw error;
    }
    this.#size += bytes.length;
    if (this.#lost > 0 || this.#failedAt !== undefined) {
      const lost = this.#lost;
      this.#lost = 0;
      this.#failedAt = undefined;
      this.#options.onRecovered(lost);
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    const { path } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      this.#size = size;
      // The process before us may have ended in the middle of a line.
      if (size > 0 && (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== NEWLINE) {
        await file.writeFile('\n');
        this.#size++;
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }

  async #rotate(file: FileHandle): Promise<void> {
    const { path, keep } = this.#options;
    this.#file = undefined;
    await file.close();
    for (let number = keep - 1; number >= 1; number--) {
      try {
        await rename(`${path}.${number}`, `${path}.${number + 1}`);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    await rename(path, `${path}.1`);
  }

  /** Newest first. A rotation meanwhile moves files up, so one may be met twice but none is passed over. */
  async #openAll(): Promise<FileHandle[]> {
    const { path, keep } = this.#options;
    const files: FileHandle[] = [];
    const known = new Set<number>();
    try {
      for (let number = 0; number <= keep; number++) {
        let file: FileHandle;
        try {
          file = await open(number === 0 ? path : `${path}.${number}`, 'r');
        } catch (error) {
          if (isMissing(error)) continue;
          throw error;
        }
        files.push(file);
        const { ino } = await file.stat();
        if (!known.has(ino)) known.add(ino);
        else await files.pop()?.close();
      }
    } catch (error) {
      await Promise.all(files.map((file) => file.close()));
      throw error;
    }
    return files;
  }

  #fail(error: unknown, lines: number): void {
    const isFirst = this.#failedAt === undefined;
    this.#failedAt = this.#options.clock.monotonic();
    this.#lost += lines + this.#pending.length;
    this.#pending = [];
    this.#pendingBytes = 0;
    const file = this.#file;
    this.#file = undefined;
    // Opened afresh at the next try; why it cannot even be closed adds nothing.
    void file?.close().catch(() => undefined);
    if (isFirst) this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
  }
}

async function* linesBackwards(file: FileHandle): AsyncGenerator<string> {
  let end = (await file.stat()).size;
  let rest = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - BLOCK);
    const block = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(block, 0, block.length, start);
    const bytes = Buffer.concat([block.subarray(0, bytesRead), rest]);
    const whole = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const isPart = start > 0 && whole === 0;
    if (!isPart) {
      const lines = bytes.subarray(whole).toString('utf8').split('\n');
      for (let line = lines.pop(); line !== undefined; line = lines.pop()) if (line !== '') yield line;
    }
    rest = isPart ? bytes : bytes.subarray(0, whole);
    end = start;
  }
}
