/**
 * One session's capture file. Owns the file from its first record to its end.
 *
 * Promises: records are in the order of `add`, whole, and never more than LIMITS.captureFile bytes with the header; what does not fit
 * ends the recording, and so does a write that fails, which is taken back to the last whole record. `add` copies and never waits; what
 * waits for the disk is bounded by the size of the file.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  CAPTURE_HEADER,
  CAPTURE_LENGTH_AT,
  CAPTURE_RECORD_HEADER,
  type CaptureEnd,
  type CaptureRecord,
  encodeCaptureHeader,
  encodeCaptureRecord,
  LIMITS,
} from '../../contract/index.ts';

export interface RecorderOptions {
  path: string;
  /** Told once when the recording ends by itself. */
  onEnd(reason: CaptureEnd, error?: Error): void;
}

const FRESH = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

export class Recorder {
  readonly #options: RecorderOptions;
  #pending: Uint8Array[] = [encodeCaptureHeader()];
  #accepted = CAPTURE_HEADER;
  #written = 0;
  #draining: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #end: CaptureEnd | 'closed' | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#drain();
  }

  /** Bytes of the file, or of what it will have when the disk keeps up. */
  get bytes(): number {
    return this.#accepted;
  }

  get end(): CaptureEnd | undefined {
    return this.#end === 'closed' ? undefined : this.#end;
  }

  add(record: CaptureRecord): void {
    if (this.#end !== undefined) return;
    const size = CAPTURE_RECORD_HEADER + record.bytes.length;
    if (this.#accepted + size > LIMITS.captureFile) {
      this.finish('full');
      return;
    }
    this.#accepted += size;
    this.#pending.push(encodeCaptureRecord(record));
    this.#drain();
  }

  /** Ends the recording for a reason of its own; what was accepted is still written. */
  finish(reason: CaptureEnd, error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#drain();
    this.#options.onEnd(reason, error);
  }

  /** Ends the recording because somebody wants so; resolves when the file is closed. */
  async close(): Promise<void> {
    this.#end ??= 'closed';
    this.#drain();
    while (this.#draining !== undefined) await this.#draining;
  }

  #drain(): void {
    this.#draining ??= this.#write().finally(() => {
      this.#draining = undefined;
      if (this.#pending.length > 0) this.#drain();
    });
  }

  async #write(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        this.#file ??= await open(this.#options.path, FRESH, 0o600);
        const bytes = Buffer.concat(this.#pending.splice(0));
        await this.#writeWhole(this.#file, bytes);
      }
      if (this.#end !== undefined) await this.#closeFile();
    } catch (error) {
      // Also one that had ended already: less is in the file than was told. Nothing is taken any more from here on.
      this.#end = 'write_failed';
      this.#pending = [];
      this.#accepted = this.#written;
      // The recording has failed either way.
      await this.#closeFile().catch(() => undefined);
      this.#options.onEnd('write_failed', error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
    try {
      await file.writeFile(bytes);
    } catch (error) {
      this.#written = await cutToWhole(file, this.#written, bytes);
      throw error;
    }
    this.#written += bytes.length;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** After a write that did not go through: keeps the whole records that did. Returns the size. */
async function cutToWhole(file: FileHandle, before: number, bytes: Buffer): Promise<number> {
  const { size } = await file.stat();
  let whole = before === 0 ? CAPTURE_HEADER : 0;
  for (;;) {
    if (whole + CAPTURE_RECORD_HEADER > bytes.length) break;
    const next = whole + CAPTURE_RECORD_HEADER + bytes.readUInt32LE(whole + CAPTURE_LENGTH_AT);
    if (before + next > size) break;
    whole = next;
  }
  const end = before + whole > size ? before : before + whole;
  await file.truncate(end);
  return end;
}
