/**
 * Checks a `format=bytes` stream while it arrives, over any number of connections: no byte twice, none missing, unless a
 * gap was told. Keeps a hash of everything, and the bytes themselves when asked.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Gap } from '../../src/contract/index.ts';

export class ByteRecorder {
  readonly #keep: boolean;
  readonly #hash: Hash = createHash('sha256');
  readonly #parts: Buffer[] = [];
  #next: number | undefined;
  #openGap: number | undefined;
  received = 0;
  readonly gaps: Gap[] = [];
  readonly faults: string[] = [];

  constructor(options: { keep?: boolean; startAt?: number } = {}) {
    this.#keep = options.keep ?? false;
    this.#next = options.startAt;
  }

  /** Offset of the next byte expected; undefined before anything came. */
  get next(): number | undefined {
    return this.#next;
  }

  bytes(offset: number, bytes: Uint8Array): void {
    if (this.#openGap !== undefined) {
      if (offset < this.#openGap) this.#fault(`bytes at ${offset} lie inside a gap that ends at ${this.#openGap}`);
      this.#openGap = undefined;
    } else if (this.#next !== undefined && offset !== this.#next) {
      this.#fault(`bytes at ${offset}, expected ${this.#next}: ${offset < this.#next ? 'doubled' : 'missing'}`);
    }
    this.#next = offset + bytes.length;
    this.received += bytes.length;
    this.#hash.update(bytes);
    if (this.#keep) this.#parts.push(Buffer.from(bytes));
  }

  gap(gap: Gap): void {
    if (this.#next !== undefined && gap.from !== this.#next) {
      this.#fault(`a gap from ${gap.from}, expected from ${this.#next}`);
    }
    if (gap.to < gap.from) this.#fault(`a gap that ends before it begins: ${gap.from}..${gap.to}`);
    this.gaps.push(gap);
    this.#next = gap.to;
    this.#openGap = gap.to;
  }

  /** A snapshot stands for everything before `offset`; behind a gap it may lie further on than the gap's end. */
  snapshot(offset: number): void {
    if (this.#next !== undefined && this.#openGap === undefined && offset !== this.#next) {
      this.#fault(`a snapshot at ${offset} without a gap, expected ${this.#next}`);
    }
    if (this.#openGap !== undefined && offset < this.#openGap) {
      this.#fault(`a snapshot at ${offset} inside a gap that ends at ${this.#openGap}`);
    }
    this.#next = offset;
  }

  get content(): Buffer {
    if (!this.#keep) throw new Error('this recorder keeps no bytes');
    return Buffer.concat(this.#parts);
  }

  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  #fault(text: string): void {
    this.faults.push(text);
  }
}
