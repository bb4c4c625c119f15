/**
 * Lines that left the screen: an arena of 64 KiB chunks, about 1 MB for 10,000 lines.
 *
 * Owns the numbering of logical lines (a line and the rows that continue it), which starts at 0 and never goes back.
 * Promises: chunk bytes only grow, a chunk is final once a higher number exists, so that a store can append differences;
 * eviction drops whole chunks. Limits: `maxLines` lines, LOG_BYTES bytes; a logical line of more than LINE_BYTES of text is
 * cut there and goes on as the next line.
 *
 * Chunk: f64 lines started before it | records. Record: u16 length | u8 flags | u16 text length | text | runs (row-codec).
 * A record with VOID and nothing else drops the rows of the line that is still open: they are written again after it,
 * because a resize has wrapped them anew.
 */
import type { LogLine } from '../../../contract/index.ts';
import { addStoredRow, LineBuilder } from './log-lines.ts';
import type { LogChunk } from './model.ts';
import { copyScratch, type EncodedRow, type MeasureWidth } from './row-codec.ts';

const CHUNK = 65_536;
const CHUNK_HEADER = 8;
const FIRST_ALLOCATION = 2_048;
const RECORD_HEADER = 5;
const START = 1;
const VOID = 2;
const PLAIN = 4;
/** The last column is empty: no part of the text when the next row goes on with a wide character, which did not fit there. */
const ENDS_EMPTY = 8;

/** Hard cap of the arena. Reached by lines of more than 400 bytes on average. */
export const LOG_BYTES = 4_194_304;
/** Text bytes of one logical line before it is cut. */
export const LINE_BYTES = 32_768;

interface Chunk {
  readonly number: number;
  bytes: Uint8Array;
  used: number;
  /** Lines started before this chunk. */
  readonly linesBefore: number;
}

/** What a checkpoint must remember beside the chunks. */
export interface LogState {
  started: number;
  oldest: number;
  clearedAt: number;
  forceStart: boolean;
  lineBytes: number;
  nextChunk: number;
  /** Number and valid length of each chunk. */
  chunks: [number, number][];
}

export class CompactLog {
  readonly #maxLines: number;
  readonly #measure: MeasureWidth;
  #chunks: Chunk[] = [];
  #bytes = 0;
  #nextChunk = 0;
  #started = 0;
  #oldest = 0;
  #clearedAt = 0;
  #forceStart = true;
  #lineBytes = 0;

  constructor(maxLines: number, measure: MeasureWidth) {
    this.#maxLines = maxLines;
    this.#measure = measure;
  }

  /** Lines of which at least one row was appended. */
  get started(): number {
    return this.#started;
  }

  get oldest(): number {
    return this.#oldest;
  }

  get clearedAt(): number {
    return this.#clearedAt;
  }

  /** The newest line may still get rows. */
  get canContinue(): boolean {
    return !this.#forceStart;
  }

  get allocatedBytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  }

  /** Appends the row that stands in `scratch`. */
  append(row: EncodedRow, continues: boolean): void {
    const start = this.#startLine(continues, row.text);
    const payload = row.text + row.runs;
    const flags = start | (row.plain ? PLAIN : 0) | (row.endsEmpty ? ENDS_EMPTY : 0);
    const { bytes, used } = this.#write(flags, row.text, payload);
    copyScratch(bytes, used - payload, payload);
    this.#evict(start !== 0);
  }

  /** Appends rows of plain ASCII, of which each starts a line that does not begin where the one before ends (AdapterEvents). */
  appendPlain(source: Uint8Array, bounds: Uint32Array, count: number): void {
    const text = Buffer.from(source.buffer, source.byteOffset, source.length);
    for (let row = 0, previousEnd = -1; row < count; row++) {
      const from = bounds[row * 2] ?? 0;
      const to = bounds[row * 2 + 1] ?? 0;
      const start = this.#startLine(from === previousEnd, to - from);
      const { bytes, used } = this.#write(start | PLAIN, to - from, to - from);
      text.copy(bytes, used - (to - from), from, to);
      this.#evict(start !== 0);
      previousEnd = to;
    }
  }

  /** START when a row begins a line, else 0. */
  #startLine(continues: boolean, text: number): number {
    const starts = !continues || this.#forceStart || this.#lineBytes >= LINE_BYTES;
    if (starts) {
      this.#lineBytes = 0;
      this.#forceStart = false;
    }
    this.#lineBytes += text;
    return starts ? START : 0;
  }

  #evict(hasStarted: boolean): void {
    if (hasStarted) {
      this.#started++;
      if (this.#started - this.#oldest > this.#maxLines) this.#evictTo(this.#started - this.#maxLines);
    }
    while (this.#bytes > LOG_BYTES) this.#evictTo(this.#chunks[1]?.linesBefore ?? this.#started);
  }

  /** The next row starts a line even if the terminal says that it continues one. */
  endLine(): void {
    this.#forceStart = true;
  }

  /** Drops the rows of the open line; the line keeps its number. */
  voidOpenLine(): void {
    if (this.#forceStart) return;
    this.#write(VOID, 0, 0);
    this.#lineBytes = 0;
  }

  /** The program emptied the scrollback: what was appended is gone, numbers go on. */
  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#oldest = this.#started;
    this.#clearedAt = this.#started;
    this.#forceStart = true;
  }

  /** Lines [from, to), both within [oldest, started]. */
  read(from: number, to: number): LogLine[] {
    const lines: LogLine[] = [];
    if (from >= to) return lines;
    let chunkIndex = this.#chunks.findLastIndex((chunk) => chunk.linesBefore <= from);
    if (chunkIndex < 0) return lines;
    let line = (this.#chunks[chunkIndex]?.linesBefore ?? 0) - 1;
    let builder: LineBuilder | undefined;
    for (; chunkIndex < this.#chunks.length; chunkIndex++) {
      const chunk = this.#chunks[chunkIndex];
      if (chunk === undefined) break;
      const bytes = chunk.bytes;
      for (let at = CHUNK_HEADER; at < chunk.used; ) {
        const length = readU16(bytes, at);
        const flags = bytes[at + 2] ?? 0;
        if ((flags & START) !== 0) {
          if (builder !== undefined) lines.push(builder.finish());
          line++;
          if (line >= to) return lines;
          builder = line >= from ? new LineBuilder() : undefined;
        }
        if (builder !== undefined) {
          const text = at + RECORD_HEADER;
          if ((flags & VOID) !== 0) builder = new LineBuilder();
          else {
            const runs = text + readU16(bytes, at + 3);
            const form = { isPlain: (flags & PLAIN) !== 0, endsEmpty: (flags & ENDS_EMPTY) !== 0 };
            addStoredRow(builder, bytes, text, runs, at + length, form, this.#measure);
          }
        }
        at += length;
      }
    }
    if (builder !== undefined) lines.push(builder.finish());
    return lines;
  }

  /** All chunks as they stand, without copying. */
  chunks(): { first: number; chunks: LogChunk[] } {
    return {
      first: this.#chunks[0]?.number ?? this.#nextChunk,
      chunks: this.#chunks.map((chunk) => ({ number: chunk.number, bytes: chunk.bytes.subarray(0, chunk.used) })),
    };
  }

  state(): LogState {
    return {
      started: this.#started,
      oldest: this.#oldest,
      clearedAt: this.#clearedAt,
      forceStart: this.#forceStart,
      lineBytes: this.#lineBytes,
      nextChunk: this.#nextChunk,
      chunks: this.#chunks.map((chunk) => [chunk.number, chunk.used]),
    };
  }

  /**
   * Takes back a state with the chunks a store has kept. A store may be ahead of the state (its surplus is ignored, and the
   * log goes on in a chunk with a number never used) or behind (a missing chunk drops itself and all before it).
   */
  restore(state: LogState, stored: readonly LogChunk[]): void {
    const byNumber = new Map(stored.map((chunk) => [chunk.number, chunk.bytes]));
    this.#chunks = [];
    this.#bytes = 0;
    this.#oldest = state.oldest;
    let incomplete = false;
    for (const [number, length] of state.chunks) {
      const bytes = byNumber.get(number);
      if (bytes === undefined || bytes.length < length || !isWellFormed(bytes, length)) {
        this.#chunks = [];
        this.#bytes = 0;
        incomplete = true;
        continue;
      }
      const linesBefore = new DataView(bytes.buffer, bytes.byteOffset, CHUNK_HEADER).getFloat64(0, true);
      if (incomplete) this.#oldest = Math.max(this.#oldest, linesBefore);
      incomplete = false;
      this.#chunks.push({ number, bytes: new Uint8Array(bytes.subarray(0, length)), used: length, linesBefore });
      this.#bytes += length;
    }
    if (incomplete) this.#oldest = state.started;
    this.#started = state.started;
    this.#clearedAt = state.clearedAt;
    // Rows of an open line that were lost with their chunk cannot be continued.
    this.#forceStart = state.forceStart || (incomplete && state.started > 0);
    this.#lineBytes = state.lineBytes;
    this.#nextChunk = stored.reduce((next, chunk) => Math.max(next, chunk.number + 1), state.nextChunk);
    this.#sealed = true;
  }

  /** After a restore the newest chunk may be longer in the store: never append to it. */
  #sealed = false;

  /** The last `payload` bytes in use of what it returns are the caller's to fill. */
  #write(flags: number, textLength: number, payload: number): Chunk {
    const length = RECORD_HEADER + payload;
    const chunk = this.#room(length);
    const bytes = chunk.bytes;
    const at = chunk.used;
    bytes[at] = length & 255;
    bytes[at + 1] = length >>> 8;
    bytes[at + 2] = flags;
    bytes[at + 3] = textLength & 255;
    bytes[at + 4] = textLength >>> 8;
    chunk.used += length;
    this.#bytes += length;
    return chunk;
  }

  #room(length: number): Chunk {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#sealed || chunk.used + length > CHUNK) {
      const size = this.#chunks.length === 0 || this.#sealed ? FIRST_ALLOCATION : CHUNK;
      chunk = {
        number: this.#nextChunk++,
        bytes: new Uint8Array(Math.max(size, CHUNK_HEADER + length)),
        used: CHUNK_HEADER,
        linesBefore: this.#started,
      };
      new DataView(chunk.bytes.buffer).setFloat64(0, this.#started, true);
      this.#chunks.push(chunk);
      this.#bytes += CHUNK_HEADER;
      this.#sealed = false;
      return chunk;
    }
    if (chunk.used + length > chunk.bytes.length) {
      const grown = new Uint8Array(Math.min(CHUNK, Math.max(chunk.bytes.length * 2, chunk.used + length)));
      grown.set(chunk.bytes.subarray(0, chunk.used));
      chunk.bytes = grown;
    }
    return chunk;
  }

  #evictTo(line: number): void {
    this.#oldest = Math.max(this.#oldest, line);
    while (this.#chunks.length > 1 && (this.#chunks[1]?.linesBefore ?? 0) <= this.#oldest) {
      this.#bytes -= this.#chunks.shift()?.used ?? 0;
    }
  }
}

function readU16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function isWellFormed(bytes: Uint8Array, length: number): boolean {
  if (length < CHUNK_HEADER) return false;
  let at = CHUNK_HEADER;
  while (at < length) {
    const size = readU16(bytes, at);
    if (size < RECORD_HEADER || readU16(bytes, at + 3) + RECORD_HEADER > size) return false;
    at += size;
  }
  return at === length;
}
