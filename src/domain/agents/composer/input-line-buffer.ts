/**
 * What stands in an agent's input line, from everything that was written to it, in order (BUF-1, BUF-2).
 *
 * Where it cannot know, it errs towards text that is not there: what may still become an escape sequence counts as content
 * until it is one, and what was too much to keep counts until it is deleted. What history or completion put into the line is
 * unknown to it; the screen tells that.
 */
import { type Key, KeyReader } from './keys.ts';

export type InputEvent = { type: 'submitted'; text: string } | { type: 'interrupt' } | { type: 'escape' };

const LONGEST_CONTENT = 16_384;
const WORD = /[\p{L}\p{N}_]/u;

export class InputLineBuffer {
  readonly #keys = new KeyReader();
  #text = '';
  /** Index into the text, always between characters. */
  #cursor = 0;
  /** Characters behind the text that were not kept. */
  #unkept = 0;
  #isSlash = false;
  #isDismissed = false;

  get content(): string {
    const text = `${this.#text}${this.#keys.pending}`;
    return text === '' && this.#unkept > 0 ? '…' : text;
  }

  /** A command is being typed: its list is open, and what is pasted does not belong into it. */
  get isSlashMode(): boolean {
    return !this.#isDismissed && (this.#isSlash || this.#text.startsWith('/'));
  }

  feed(bytes: Uint8Array): InputEvent[] {
    const events: InputEvent[] = [];
    if (bytes.length === 1 && bytes[0] === 0x2f) {
      this.#isSlash = true;
      this.#isDismissed = false;
    }
    for (const key of this.#keys.read(bytes)) {
      const event = this.#take(key);
      if (event !== undefined) events.push(event);
    }
    if (this.content === '') {
      this.#isSlash = false;
      this.#isDismissed = false;
    }
    return events;
  }

  /** What stands in the line is known from elsewhere to be nothing, or it is not known any more. */
  reset(_to: 'unknown' | 'empty'): void {
    this.#keys.reset();
    this.#clear();
  }

  #take(key: Key): InputEvent | undefined {
    switch (key.type) {
      case 'text':
        this.#insert(key.text);
        return undefined;
      case 'newline':
        this.#insert('\n');
        return undefined;
      case 'named':
        this.#move(key.name, key.isWord);
        return undefined;
      case 'alt':
        this.#alt(key.name.toLowerCase());
        return undefined;
      case 'control':
        return this.#control(key.name);
    }
  }

  #control(name: string): InputEvent | undefined {
    switch (name) {
      case 'enter': {
        const text = this.#text;
        this.#clear();
        return { type: 'submitted', text };
      }
      case 'c':
        this.#clear();
        return { type: 'interrupt' };
      case 'escape':
        this.#isDismissed = true;
        this.#isSlash = false;
        return { type: 'escape' };
      case 'backspace':
        this.#remove(this.#previous(), this.#cursor);
        return undefined;
      case 'a':
        this.#cursor = this.#lineStart();
        return undefined;
      case 'e':
        this.#cursor = this.#lineEnd();
        return undefined;
      case 'b':
        this.#cursor = this.#previous();
        return undefined;
      case 'f':
        this.#cursor = this.#next();
        return undefined;
      case 'd':
        this.#remove(this.#cursor, this.#next());
        return undefined;
      case 'k':
        this.#remove(this.#cursor, this.#lineEnd());
        return undefined;
      case 'u':
        this.#remove(this.#lineStart(), this.#cursor);
        return undefined;
      case 'w':
        this.#remove(this.#blankStart(), this.#cursor);
        return undefined;
      case 't':
        this.#transpose();
        return undefined;
      default:
        return undefined;
    }
  }

  #alt(name: string): void {
    if (name === 'b') this.#cursor = this.#wordStart();
    else if (name === 'f') this.#cursor = this.#wordEnd();
    else if (name === 'd') this.#remove(this.#cursor, this.#wordEnd());
    else if (name === 'backspace') this.#remove(this.#wordStart(), this.#cursor);
  }

  #move(name: string, isWord: boolean): void {
    if (name === 'left') this.#cursor = isWord ? this.#wordStart() : this.#previous();
    else if (name === 'right') this.#cursor = isWord ? this.#wordEnd() : this.#next();
    else if (name === 'home') this.#cursor = this.#lineStart();
    else if (name === 'end') this.#cursor = this.#lineEnd();
    else if (name === 'delete') this.#remove(this.#cursor, isWord ? this.#wordEnd() : this.#next());
  }

  #insert(text: string): void {
    const kept = cut(text, Math.max(0, LONGEST_CONTENT - this.#text.length));
    this.#unkept += text.length - kept.length;
    this.#text = this.#text.slice(0, this.#cursor) + kept + this.#text.slice(this.#cursor);
    this.#cursor += kept.length;
  }

  #remove(from: number, to: number): void {
    // What was not kept stands behind everything else: it is what goes first.
    if (this.#unkept > 0 && to === this.#text.length) {
      this.#unkept = Math.max(0, this.#unkept - Math.max(1, to - from));
      return;
    }
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.#cursor = from;
  }

  #transpose(): void {
    const to = this.#cursor === this.#text.length ? this.#cursor : this.#next();
    this.#cursor = to;
    const second = this.#previous();
    this.#cursor = second;
    const first = this.#previous();
    this.#cursor = to;
    if (first === second) return;
    const text = this.#text;
    this.#text = text.slice(0, first) + text.slice(second, to) + text.slice(first, second) + text.slice(to);
  }

  #clear(): void {
    this.#text = '';
    this.#cursor = 0;
    this.#unkept = 0;
    this.#isSlash = false;
    this.#isDismissed = false;
  }

  #previous(): number {
    const isPair = this.#cursor > 1 && (this.#text.codePointAt(this.#cursor - 2) ?? 0) > 0xffff;
    return Math.max(0, this.#cursor - (isPair ? 2 : 1));
  }

  #next(): number {
    const isPair = (this.#text.codePointAt(this.#cursor) ?? 0) > 0xffff;
    return Math.min(this.#text.length, this.#cursor + (isPair ? 2 : 1));
  }

  #lineStart(): number {
    return this.#cursor === 0 ? 0 : this.#text.lastIndexOf('\n', this.#cursor - 1) + 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#cursor);
    return end === -1 ? this.#text.length : end;
  }

  #wordStart(): number {
    const before = this.#text.slice(0, this.#cursor);
    return before.length - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(before)?.[0].length ?? 0);
  }

  #wordEnd(): number {
    const after = [...this.#text.slice(this.#cursor)];
    let index = 0;
    let length = 0;
    while (index < after.length && !WORD.test(after[index] ?? '')) length += (after[index++] ?? '').length;
    while (index < after.length && WORD.test(after[index] ?? '')) length += (after[index++] ?? '').length;
    return this.#cursor + length;
  }

  /** Ctrl-W goes back to a blank, over signs too. */
  #blankStart(): number {
    const before = this.#text.slice(0, this.#cursor);
    return before.trimEnd().search(/\S+$/u) === -1 ? 0 : before.trimEnd().search(/\S+$/u);
  }
}

/** No more than so many units, never half a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = most > 0 && (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return text.slice(0, isHalf ? most - 1 : most);
}
