/** Chunks that rings have done with, for the next one that needs some: memory goes round instead of waiting for the collector. */
export class ChunkPool {
  readonly #chunks: Uint8Array[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  take(size: number): Uint8Array {
    const chunk = this.#chunks.pop();
    return chunk?.length === size ? chunk : new Uint8Array(size);
  }

  give(chunk: Uint8Array): void {
    if (this.#chunks.length < this.#most) this.#chunks.push(chunk);
  }
}

/**
 * A byte ring with absolute offsets, made of lazily allocated chunks: an idle ring costs nothing.
 * Offsets count from the first byte ever appended and never go back. The owner decides what may be dropped.
 */
export class ByteRing {
  readonly capacity: number;
  readonly #chunkSize: number;
  readonly #chunks = new Map<number, Uint8Array>();
  readonly #pool: ChunkPool;
  #start: number;
  #end: number;

  constructor(capacity: number, chunkSize = 65_536, origin = 0, pool = new ChunkPool(1)) {
    if (capacity % chunkSize !== 0) throw new RangeError('ring capacity must be a multiple of the chunk size');
    this.capacity = capacity;
    this.#chunkSize = chunkSize;
    this.#pool = pool;
    this.#start = origin;
    this.#end = origin;
  }

  /** Offset of the oldest byte still kept. */
  get start(): number {
    return this.#start;
  }

  /** Offset just past the newest byte. */
  get end(): number {
    return this.#end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get allocatedBytes(): number {
    return this.#chunks.size * this.#chunkSize;
  }

  /** Appends all bytes, dropping the oldest beyond the capacity. Returns the offset of the first appended byte. */
  append(bytes: Uint8Array): number {
    const at = this.#end;
    let from = 0;
    if (bytes.length > this.capacity) {
      from = bytes.length - this.capacity;
      this.#end += from;
    }
    while (from < bytes.length) {
      const index = Math.floor(this.#end / this.#chunkSize);
      const inside = this.#end % this.#chunkSize;
      const take = Math.min(this.#chunkSize - inside, bytes.length - from);
      let chunk = this.#chunks.get(index);
      if (chunk === undefined) {
        chunk = this.#pool.take(this.#chunkSize);
        this.#chunks.set(index, chunk);
      }
      chunk.set(bytes.subarray(from, from + take), inside);
      this.#end += take;
      from += take;
    }
    if (this.#end - this.#start > this.capacity) this.dropBefore(this.#end - this.capacity);
    return at;
  }

  /** Forgets everything before `offset`; later offsets stay valid. */
  dropBefore(offset: number): void {
    const to = Math.min(Math.max(offset, this.#start), this.#end);
    const first = Math.floor(this.#start / this.#chunkSize);
    const last = Math.floor(to / this.#chunkSize);
    for (let index = first; index < last; index++) {
      const chunk = this.#chunks.get(index);
      if (chunk !== undefined) this.#pool.give(chunk);
      this.#chunks.delete(index);
    }
    this.#start = to;
  }

  /** Forgets everything and gives its memory back; nobody may hold a view any more. */
  clear(): void {
    for (const chunk of this.#chunks.values()) this.#pool.give(chunk);
    this.#chunks.clear();
    this.#start = this.#end;
  }

  /**
   * The bytes from `from` to `to`, or to the end of the chunk they lie in, without copying. `from` must be kept, and before
   * the end. The view holds its bytes until they are dropped: then the chunk may be used again.
   */
  view(from: number, to: number): Uint8Array {
    if (from < this.#start || from >= this.#end) throw new RangeError('the ring does not hold this offset');
    const chunk = this.#chunks.get(Math.floor(from / this.#chunkSize));
    if (chunk === undefined) throw new Error('ring chunk is missing');
    const inside = from % this.#chunkSize;
    return chunk.subarray(inside, Math.min(this.#chunkSize, inside + Math.min(to, this.#end) - from));
  }

  /** Copies [from, to) clipped to what is kept. */
  slice(from: number, to: number): { offset: number; bytes: Uint8Array } {
    const begin = Math.min(Math.max(from, this.#start), this.#end);
    const finish = Math.min(Math.max(to, begin), this.#end);
    const bytes = new Uint8Array(finish - begin);
    let at = begin;
    while (at < finish) {
      const chunk = this.#chunks.get(Math.floor(at / this.#chunkSize));
      const inside = at % this.#chunkSize;
      const take = Math.min(this.#chunkSize - inside, finish - at);
      if (chunk === undefined) throw new Error('ring chunk is missing');
      bytes.set(chunk.subarray(inside, inside + take), at - begin);
      at += take;
    }
    return { offset: begin, bytes };
  }
}
