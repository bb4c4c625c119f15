/** What the phone's keys and text send to a program. */

export const KEYS = [
  'Escape',
  'Tab',
  'BackTab',
  'Enter',
  'Backspace',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
] as const;
export type Key = (typeof KEYS)[number];

/** As the program asked for it, or not at all. */
export interface InputModes {
  applicationCursorKeys: boolean;
  bracketedPaste: boolean;
}

const PLAIN: Partial<Record<Key, string>> = {
  Escape: '\x1b',
  Tab: '\t',
  BackTab: '\x1b[Z',
  Enter: '\r',
  Backspace: '\x7f',
};
const CURSOR: Partial<Record<Key, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  Home: 'H',
  End: 'F',
};
const NUMBERED: Partial<Record<Key, number>> = { PageUp: 5, PageDown: 6 };

export function encodeKey(key: Key, isCtrl: boolean, modes: InputModes): string {
  const cursor = CURSOR[key];
  if (cursor !== undefined) {
    if (isCtrl) return `\x1b[1;5${cursor}`;
    return `${modes.applicationCursorKeys ? '\x1bO' : '\x1b['}${cursor}`;
  }
  const number = NUMBERED[key];
  if (number !== undefined) return isCtrl ? `\x1b[${number};5~` : `\x1b[${number}~`;
  if (isCtrl && key === 'Backspace') return '\b';
  return PLAIN[key] ?? '';
}

/** The control character of a letter or sign, as terminals have it; undefined when there is none. */
export function controlCharacter(character: string): string | undefined {
  const upper = character.toUpperCase();
  if (upper === ' ' || upper === '2') return '\0';
  if (upper === '?') return '\x7f';
  if (upper === '/') return '\x1f';
  if (upper.length !== 1 || upper < '@' || upper > '_') return undefined;
  return String.fromCharCode(upper.charCodeAt(0) & 0x1f);
}

// What would end the marks of a paste early, or be read as a key: control characters but tab and line ends.
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * The pieces to write one after the other. Line ends become Enter; text of several lines is a paste where the program can
 * tell. Enter is a piece of its own: programs take a text that comes with its Enter in one piece for pasted.
 */
export function encodeText(text: string, withEnter: boolean, modes: InputModes): string[] {
  const lines = text.replace(/\r\n?/g, '\n').replace(UNSAFE, '');
  const typed = lines.replaceAll('\n', '\r');
  const pieces: string[] = [];
  if (typed !== '') {
    pieces.push(modes.bracketedPaste && lines.includes('\n') ? `\x1b[200~${typed}\x1b[201~` : typed);
  }
  if (withEnter) pieces.push('\r');
  return pieces;
}
