/** What pasted text becomes before a program gets it, and when a person is asked first. */
import { LIMITS } from '../../src/contract/index.ts';

export interface PreparedPaste {
  /** With CR for each line end and without control characters: they could act as keys, or end the bracket of the paste. */
  text: string;
  lines: number;
  bytes: number;
  /** Control characters that were left out. */
  removed: number;
}

const BRACKET_START = '\u001b[200~';
const BRACKET_END = '\u001b[201~';
/** Larger pastes are asked about even when the program takes them in brackets. */
const LARGE = 102_400;
// All but tab and carriage return.
const CONTROLS = /[\u0000-\u0008\u000a-\u000c\u000e-\u001f\u007f-\u009f]/g;

export function preparePaste(raw: string): PreparedPaste {
  const ends = raw.replace(/\r\n|\n/g, '\r');
  const text = ends.replace(CONTROLS, '');
  const lines = text.split('\r').length - (text.endsWith('\r') ? 1 : 0);
  return {
    text,
    lines: Math.max(1, lines),
    bytes: new TextEncoder().encode(text).length,
    removed: ends.length - text.length,
  };
}

/** Largest paste in bytes, brackets included. */
export const LARGEST_PASTE = LIMITS.writeQueue;

/**
 * A line end in pasted text runs what stands before it, unless the program knows that it is pasted (mode 2004): then it is
 * only asked about when it is large.
 */
export function needsQuestion(paste: PreparedPaste, isBracketed: boolean): boolean {
  return paste.bytes > LARGE || (!isBracketed && paste.text.includes('\r'));
}

export function encodePaste(text: string, isBracketed: boolean): Uint8Array {
  return new TextEncoder().encode(isBracketed ? `${BRACKET_START}${text}${BRACKET_END}` : text);
}

/** One line: what the line ends kept apart stays apart, without running anything. */
export function joinLines(text: string): string {
  return text.replace(/[ \t]*\r[ \t\r]*/g, ' ').trim();
}
