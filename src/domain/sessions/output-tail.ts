/**
 * The newest output as viewers may have it, at most 1 MiB, shared by all viewers of a session and kept only while there
 * are any (docs/architecture.md). Owns the sizes the terminal had, by offset, too: a viewer gets them in the order of the bytes.
 */
import { ByteRing } from '../../base/index.ts';
import { LIMITS } from '../../contract/index.ts';

export interface SizeMark {
  /** The terminal has this size from here on. */
  offset: number;
  rows: number;
  cols: number;
}

const SIZE_MARKS = 256;

export class OutputTail {
  #shown: number;
  #ring: ByteRing | undefined;
  readonly #sizes: SizeMark[];

  constructor(origin: number, size: { rows: number; cols: number }) {
    this.#shown = origin;
    this.#sizes = [{ offset: origin, rows: size.rows, cols: size.cols }];
  }

  /** Offset just past what viewers may have. */
  get shown(): number {
    return this.#shown;
  }

  /** Oldest offset in memory; `shown` when nothing is kept. */
  get start(): number {
    return this.#ring?.start ?? this.#shown;
  }

  /** Keeps what comes from now on. */
  open(): void {
    this.#ring ??= new ByteRing(LIMITS.ring, LIMITS.ringChunk, this.#shown);
  }

  close(): void {
    this.#ring = undefined;
  }

  append(bytes: Uint8Array): void {
    this.#ring?.append(bytes);
    this.#shown += bytes.length;
  }

  /** Everything up to `offset` is gone; output goes on there. */
  restart(offset: number): void {
    this.#shown = offset;
    if (this.#ring !== undefined) this.#ring = new ByteRing(LIMITS.ring, LIMITS.ringChunk, offset);
  }

  slice(from: number, to: number): Uint8Array {
    if (this.#ring === undefined || from < this.#ring.start || to > this.#ring.end) {
      throw new RangeError('the tail does not hold these bytes');
    }
    return this.#ring.slice(from, to).bytes;
  }

  markSize(mark: SizeMark): void {
    this.#sizes.push(mark);
    if (this.#sizes.length > SIZE_MARKS) this.#sizes.shift();
  }

  /** Size in force at `offset`, or the oldest one known. */
  sizeAt(offset: number): SizeMark {
    const [oldest] = this.#sizes;
    const mark = this.#sizes.findLast((candidate) => candidate.offset <= offset) ?? oldest;
    if (mark === undefined) throw new Error('a terminal always has a size');
    return mark;
  }

  /** First size change after the mark `seen`. */
  sizeAfter(seen: SizeMark): SizeMark | undefined {
    const index = this.#sizes.indexOf(seen);
    return index < 0 ? this.#sizes.find((mark) => mark.offset > seen.offset) : this.#sizes[index + 1];
  }
}
