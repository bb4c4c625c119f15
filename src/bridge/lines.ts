/** Cuts a byte stream into lines: UTF-8 is decoded whole, blank lines and a byte order mark are dropped. */
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '../contract/index.ts';

export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  readonly #longest: number;
  #parts: string[] = [];
  #length = 0;
  #isFirst = true;
  #isSkipping = false;

  /** `onTooLong` tells of a line over `longest` characters, once for each; the line itself is dropped. */
  constructor(onLine: (line: string) => void, onTooLong: () => void, longest: number = LIMITS.bridgeLine) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
    this.#longest = longest;
  }

  push(chunk: Buffer): void {
    let text = this.#decoder.write(chunk);
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      this.#add(text.slice(0, end));
      this.#finish();
      text = text.slice(end + 1);
    }
    this.#add(text);
  }

  /** The stream has ended; a last line needs no line end. */
  end(): void {
    this.#add(this.#decoder.end());
    this.#finish();
  }

  #add(text: string): void {
    if (this.#isSkipping || text === '') return;
    this.#length += text.length;
    if (this.#length > this.#longest) {
      this.#isSkipping = true;
      this.#parts = [];
      this.#onTooLong();
      return;
    }
    this.#parts.push(text);
  }

  #finish(): void {
    let line = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    if (this.#isFirst && line.startsWith('\ufeff')) line = line.slice(1);
    line = line.trim();
    if (line === '') return;
    this.#isFirst = false;
    this.#onLine(line);
  }
}
