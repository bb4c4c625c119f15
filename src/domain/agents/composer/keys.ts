/** Keys out of what is written to a terminal: text, controls, escape sequences and pastes, in whatever pieces they come. */

export type Key =
  | { type: 'text'; text: string }
  /** A control character, by its letter; `enter`, `backspace` and `escape` have names. */
  | { type: 'control'; name: string }
  | { type: 'alt'; name: string }
  | { type: 'named'; name: string; isWord: boolean }
  | { type: 'newline' };

/** Longest sequence that is waited for; the answers of a terminal to its program are within it. */
const LONGEST_SEQUENCE = 4_096;
const PASTE_END = '[201~';
const CONTROL = /[\u0000-\u001f\u007f]/u;
const CSI = /^\[[\d;:<=>?]*[ -/]*[@-~]/u;
const CSI_BEGUN = /^\[[\d;:<=>?]*[ -/]*$/u;
/** DCS, OSC, APC, PM, SOS: what a terminal answers, up to its end. */
const STRING_BEGINS = /^[P\]_^X]/u;

const NAMED: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end' },
  ...{ '1~': 'home', '7~': 'home', '4~': 'end', '8~': 'end', '3~': 'delete' },
};

export class KeyReader {
  #decoder = new TextDecoder('utf-8');
  /** What followed an ESC and is no whole sequence yet. */
  #begun: string | undefined;
  #isPaste = false;

  /** Text that may still turn out to be part of a sequence. */
  get pending(): string {
    return this.#begun ?? '';
  }

  reset(): void {
    this.#decoder = new TextDecoder('utf-8');
    this.#begun = undefined;
    this.#isPaste = false;
  }

  *read(bytes: Uint8Array): Generator<Key> {
    let rest = this.#decoder.decode(bytes, { stream: true });
    if (this.#begun !== undefined) {
      rest = `\x1b${this.#begun}${rest}`;
      this.#begun = undefined;
      // The Escape itself was told when it came.
      const { key, length } = this.#sequence(rest, true);
      if (length === 0) return;
      if (key !== undefined) yield key;
      rest = rest.slice(length);
    }
    while (rest !== '') {
      const plain = rest.search(this.#isPaste ? /\x1b/u : CONTROL);
      if (plain !== 0) {
        const text = plain === -1 ? rest : rest.slice(0, plain);
        yield { type: 'text', text: this.#isPaste ? text.replaceAll(/\r\n?/gu, '\n') : text };
        rest = rest.slice(text.length);
        continue;
      }
      if (!rest.startsWith('\x1b')) {
        yield controlKey(rest.charCodeAt(0));
        rest = rest.slice(1);
        continue;
      }
      if (rest === '\x1b' && !this.#isPaste) yield { type: 'control', name: 'escape' };
      const { key, length } = this.#sequence(rest, false);
      if (length === 0) return;
      if (key !== undefined) yield key;
      rest = rest.slice(length);
    }
  }

  /** The sequence that `rest` begins with; a length of 0: it goes on in the next write. */
  #sequence(rest: string, wasEscape: boolean): { key?: Key; length: number } {
    const body = rest.slice(1);
    if (this.#isPaste) {
      if (body.startsWith(PASTE_END)) {
        this.#isPaste = false;
        return { length: 1 + PASTE_END.length };
      }
      if (PASTE_END.startsWith(body)) return this.#wait(body);
      return { key: { type: 'text', text: '\x1b' }, length: 1 };
    }
    const csi = CSI.exec(body)?.[0];
    if (csi === '[200~') {
      this.#isPaste = true;
      return { length: 1 + csi.length };
    }
    // The old form of mouse reports carries three characters more.
    if (csi === '[M') return body.length < 5 ? this.#wait(body) : { length: 6 };
    if (csi !== undefined) return withKey(keyOfCsi(csi.slice(1)), 1 + csi.length);
    if (body === '' || CSI_BEGUN.test(body) || body === 'O') return this.#wait(body);
    const application = /^O[A-HM-Z]/u.exec(body)?.[0];
    if (application !== undefined) return withKey(keyOfCsi(application.slice(1)), 3);
    if (STRING_BEGINS.test(body)) {
      const end = /\x07|\x1b\\/u.exec(body);
      if (end !== null) return { length: 1 + end.index + end[0].length };
      // Any other control character tells that this was a key after all.
      if (!/[\u0000-\u001a\u001c-\u001f\u007f]/u.test(body) && body.length < LONGEST_SEQUENCE) return this.#wait(body);
    }
    // An Escape of its own, with something typed after it; or Alt and a key.
    if (wasEscape) return { length: 1 };
    if (body.startsWith('\x1b')) return { key: { type: 'control', name: 'escape' }, length: 1 };
    const letter = String.fromCodePoint(body.codePointAt(0) ?? 0);
    if (letter === '\r' || letter === '\n') return { key: { type: 'newline' }, length: 2 };
    if (letter === '\x7f' || letter === '\b') return { key: { type: 'alt', name: 'backspace' }, length: 2 };
    return { key: { type: 'alt', name: letter }, length: 1 + letter.length };
  }

  #wait(body: string): { length: number } {
    if (body.length >= LONGEST_SEQUENCE) return { length: 1 };
    this.#begun = body;
    return { length: 0 };
  }
}

const withKey = (key: Key | undefined, length: number) => (key === undefined ? { length } : { key, length });

function controlKey(code: number): Key {
  if (code === 13) return { type: 'control', name: 'enter' };
  if (code === 10) return { type: 'newline' };
  if (code === 127 || code === 8) return { type: 'control', name: 'backspace' };
  return { type: 'control', name: String.fromCharCode(code + 96) };
}

/** Parameters and final letter of a sequence. Modifiers are a sum of bits, plus one: 1 Shift, 2 Alt, 4 Ctrl. */
function keyOfCsi(csi: string): Key | undefined {
  const final = csi.slice(-1);
  const [first = '', second = '', third = ''] = csi.slice(0, -1).split(';');
  const [bits = '1', event = '1'] = second.split(':');
  const modifiers = (Number(bits) || 1) - 1;
  // The release of a key is no key.
  if (event === '3') return undefined;
  if (final === 'u') return keyOfCode(Number(first.split(':')[0]), modifiers);
  if (final === '~' && first === '27') return keyOfCode(Number(third), modifiers);
  const name = NAMED[final === '~' ? `${first}~` : final];
  return name === undefined ? undefined : { type: 'named', name, isWord: (modifiers & 6) !== 0 };
}

function keyOfCode(code: number, modifiers: number): Key | undefined {
  if (code === 27) return { type: 'control', name: 'escape' };
  if (code === 13) return modifiers === 0 ? { type: 'control', name: 'enter' } : { type: 'newline' };
  if (code === 127 || code === 8) return { type: modifiers === 0 ? 'control' : 'alt', name: 'backspace' };
  // Above stand keys without a character.
  if (!Number.isInteger(code) || code < 32 || (code >= 57_344 && code <= 63_743) || code > 0x10ffff) return undefined;
  const text = String.fromCodePoint(code);
  if ((modifiers & 4) !== 0) return { type: 'control', name: text.toLowerCase() };
  return (modifiers & 2) !== 0 ? { type: 'alt', name: text } : { type: 'text', text };
}
