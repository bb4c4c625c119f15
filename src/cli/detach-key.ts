/** The key that ends `tuic attach`: how it is written, and how it is found in what a person types. */

export const DEFAULT_DETACH_KEY = 'ctrl-]';

const PASTE_BEGINS = '\x1b[200~';
const PASTE_ENDS = '\x1b[201~';

/** Byte of a key like `ctrl-]`, `Ctrl-a` or `^a`; undefined for anything else. */
export function parseDetachKey(text: string): number | undefined {
  const letter = /^(?:ctrl[-+]|\^)([@a-z[\\\]^_])$/i.exec(text)?.[1];
  return letter === undefined ? undefined : letter.toUpperCase().charCodeAt(0) & 0x1f;
}

export interface Typed {
  /** What goes to the session. */
  input: Uint8Array;
  /** The key was pressed; what came behind it is dropped. */
  isDetach: boolean;
}

/** Finds the key, but not inside a bracketed paste: text is never a command. Markers may be cut anywhere. */
export class DetachWatch {
  readonly #key: number;
  #recent = '';
  #isPasting = false;

  constructor(key: number) {
    this.#key = key;
  }

  take(bytes: Uint8Array): Typed {
    for (const [index, byte] of bytes.entries()) {
      if (byte === this.#key && !this.#isPasting) return { input: bytes.subarray(0, index), isDetach: true };
      this.#recent = (this.#recent + String.fromCharCode(byte)).slice(-PASTE_BEGINS.length);
      if (this.#recent === PASTE_BEGINS) this.#isPasting = true;
      else if (this.#recent === PASTE_ENDS) this.#isPasting = false;
    }
    return { input: bytes, isDetach: false };
  }
}
