/**
 * Cuts a stream of bytes into lines, each at most so long. Of a longer one only its beginning and end are kept, by which whoever waits
 * for it may be known; the line after it is whole again.
 */
const EDGE = 512;
const NEWLINE = 10;

export interface LineReaderOptions {
  limit: number;
  onLine: (line: string) => void;
  onTooLong: (edges: { head: string; tail: string; length: number }) => void;
}

export class LineReader {
  readonly #options: LineReaderOptions;
  #pieces: Buffer[] = [];
  #length = 0;
  #head: Buffer | undefined;
  #tail = Buffer.alloc(0);

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      this.#add(bytes.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    this.#add(bytes.subarray(from));
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#head === undefined && this.#length <= this.#options.limit) {
      this.#pieces.push(piece);
      return;
    }
    if (this.#head === undefined) {
      const soFar = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#head = Buffer.from(Buffer.concat([soFar, piece]).subarray(0, EDGE));
      this.#tail = Buffer.from(soFar.subarray(-EDGE));
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, piece]).subarray(-EDGE));
  }

  #finish(): void {
    const [head, tail, length] = [this.#head, this.#tail, this.#length];
    const line = head === undefined ? Buffer.concat(this.#pieces).toString('utf8') : '';
    this.#pieces = [];
    this.#length = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    if (head === undefined) this.#options.onLine(line);
    else this.#options.onTooLong({ head: head.toString('utf8'), tail: tail.toString('utf8'), length });
  }
}
