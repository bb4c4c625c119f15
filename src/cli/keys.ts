/** Keys by their names, as the bytes that a terminal sends for them (xterm's, cursor keys in normal mode). */

const SIMPLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    enter: '\r',
    return: '\r',
    tab: '\t',
    escape: '\x1b',
    esc: '\x1b',
    space: ' ',
    comma: ',',
    backspace: '\x7f',
  }),
);

/** `CSI letter`, with modifiers `CSI 1 ; modifiers letter`. */
const LETTERED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    up: 'A',
    down: 'B',
    right: 'C',
    left: 'D',
    home: 'H',
    end: 'F',
  }),
);

/** F1 to F4: `SS3 letter`, with modifiers as above. */
const FIRST_FUNCTION_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({ f1: 'P', f2: 'Q', f3: 'R', f4: 'S' }),
);

/** `CSI number ~`. */
const NUMBERED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    insert: 2,
    delete: 3,
    pageup: 5,
    pagedown: 6,
    f5: 15,
    f6: 17,
    f7: 18,
    f8: 19,
    f9: 20,
    f10: 21,
    f11: 23,
    f12: 24,
  }),
);

export const KEY_NAMES: readonly string[] = [
  ...SIMPLE.keys(),
  ...LETTERED.keys(),
  ...NUMBERED.keys(),
  ...FIRST_FUNCTION_KEYS.keys(),
];

interface Modifiers {
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

function takeModifiers(name: string): { modifiers: Modifiers; key: string } {
  const modifiers = { shift: false, alt: false, ctrl: false };
  let key = name;
  for (;;) {
    const match = /^(?:(ctrl|c)|(alt|meta|m)|(shift|s))[-+](?=.)/i.exec(key);
    if (match === null) return { modifiers, key };
    if (match[1] !== undefined) modifiers.ctrl = true;
    else if (match[2] !== undefined) modifiers.alt = true;
    else modifiers.shift = true;
    key = key.slice(match[0].length);
  }
}

function encodeNamed(key: string, { shift, alt, ctrl }: Modifiers): string | undefined {
  const code = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  const letter = LETTERED.get(key) ?? FIRST_FUNCTION_KEYS.get(key);
  if (letter !== undefined) {
    if (code > 1) return `\x1b[1;${code}${letter}`;
    return LETTERED.get(key) === undefined ? `\x1bO${letter}` : `\x1b[${letter}`;
  }
  const number = NUMBERED.get(key);
  if (number !== undefined) return code > 1 ? `\x1b[${number};${code}~` : `\x1b[${number}~`;
  return undefined;
}

/** A control key's byte: `ctrl-a` to `ctrl-_`, `ctrl-space`, `ctrl-?`. */
function control(text: string): string | undefined {
  if (text === ' ') return '\0';
  if (text === '?') return '\x7f';
  return /^[@a-z[\\\]^_]$/i.test(text) ? String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f) : undefined;
}

/** Undefined for what is no key. A single character is its own name. */
export function encodeKey(name: string): string | undefined {
  const { modifiers, key } = takeModifiers(name);
  const small = key.toLowerCase();
  const named = encodeNamed(small, modifiers);
  if (named !== undefined) return named;
  if (small === 'tab' && modifiers.shift) return `${modifiers.alt ? '\x1b' : ''}\x1b[Z`;
  const isSingle = [...key].length === 1;
  let text: string | undefined = SIMPLE.get(small) ?? (isSingle ? key : undefined);
  if (text === undefined) return undefined;
  if (modifiers.shift && isSingle) text = text.toUpperCase();
  if (modifiers.ctrl) text = control(text);
  return text === undefined ? undefined : `${modifiers.alt ? '\x1b' : ''}${text}`;
}
