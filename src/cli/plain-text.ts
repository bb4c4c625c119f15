/**
 * Makes readable text of what a program prints to its terminal, piece by piece. Nothing of a control sequence is left, so that the output
 * of one terminal never acts on another. Movements of the cursor become the nearest thing that text has: a new line, or blanks.
 */
import { LIMITS } from '../contract/index.ts';

type State =
  | 'text'
  | 'escape'
  /** One more byte belongs to the escape sequence (a character set, for one). */
  | 'intermediate'
  | 'csi'
  /** OSC, DCS, APC, PM, SOS: up to BEL or ST. */
  | 'string'
  | 'string-escape';

/** Longer parameters are no numbers that matter here. */
const MOST_PARAMETERS = 32;
const isHidden = (code: number) =>
  (code >= 0x7f && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

export class PlainText {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'text';
  #parameters = '';
  /** Columns of the line that stand already. */
  #column = 0;
  #isReturned = false;

  /** Text of the next bytes; characters and sequences may be cut anywhere. */
  push(bytes: Uint8Array): string {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What is left when nothing follows. */
  end(): string {
    return this.#read(this.#decoder.decode());
  }

  #read(input: string): string {
    let output = '';
    for (const character of input) output += this.#take(character, character.codePointAt(0) ?? 0);
    return output;
  }

  #take(character: string, code: number): string {
    // Whatever stands open: these end it.
    if (code === 0x18 || code === 0x1a) {
      this.#state = 'text';
      return '';
    }
    switch (this.#state) {
      case 'text':
        return this.#takeText(character, code);
      case 'escape':
        return this.#takeEscape(character, code);
      case 'intermediate':
        if (code < 0x20 || code > 0x2f) this.#state = 'text';
        return '';
      case 'csi':
        if (code < 0x40 || code > 0x7e) {
          if (code === 0x1b) this.#state = 'escape';
          else if (code >= 0x20 && this.#parameters.length < MOST_PARAMETERS) this.#parameters += character;
          return '';
        }
        this.#state = 'text';
        return this.#move(character);
      case 'string':
        if (code === 0x07 || code === 0x9c) this.#state = 'text';
        else if (code === 0x1b) this.#state = 'string-escape';
        return '';
      case 'string-escape':
        this.#state = 'text';
        return character === '\\' ? '' : this.#takeEscape(character, code);
    }
  }

  #takeText(character: string, code: number): string {
    switch (code) {
      case 0x1b:
        this.#state = 'escape';
        return '';
      case 0x9b:
        this.#begin('csi');
        return '';
      case 0x90:
      case 0x98:
      case 0x9d:
      case 0x9e:
      case 0x9f:
        this.#state = 'string';
        return '';
      case 0x0a:
      case 0x0b:
      case 0x0c:
        return this.#newLine();
      case 0x0d:
        this.#isReturned = true;
        return '';
    }
    if ((code < 0x20 && code !== 0x09) || isHidden(code)) return '';
    // The line is written over: what stood there stays readable, on a line of its own.
    const before = this.#isReturned && this.#column > 0 ? this.#newLine() : '';
    this.#isReturned = false;
    this.#column++;
    return before + character;
  }

  #takeEscape(character: string, code: number): string {
    this.#state = 'text';
    if (character === '[') this.#begin('csi');
    else if (/[\]PX^_]/.test(character)) this.#state = 'string';
    else if (code >= 0x20 && code <= 0x2f) this.#state = 'intermediate';
    else if (code === 0x1b) this.#state = 'escape';
    else if (character === 'D' || character === 'E' || character === 'c') return this.#freshLine();
    return '';
  }

  #begin(state: State): void {
    this.#state = state;
    this.#parameters = '';
  }

  #move(final: string): string {
    switch (final) {
      case 'C':
      case 'a': {
        const count = Math.min(Number.parseInt(this.#parameters, 10) || 1, LIMITS.colsMax);
        if (this.#column === 0) return '';
        this.#column += count;
        return ' '.repeat(count);
      }
      case 'A':
      case 'B':
      case 'E':
      case 'F':
      case 'H':
      case 'd':
      case 'f':
      case 'J':
        return this.#freshLine();
      default:
        return '';
    }
  }

  #newLine(): string {
    this.#column = 0;
    this.#isReturned = false;
    return '\n';
  }

  #freshLine(): string {
    return this.#column === 0 ? '' : this.#newLine();
  }
}
