/**
 * What the programs of a soak print. Every line follows from its number, so that both sides can make it: the program that
 * prints it, and the soak that checks what arrived. No line is as wide as a terminal, so none is wrapped.
 */
import { createHash, type Hash } from 'node:crypto';

export const ROWS = 24;
export const COLUMNS = 80;
/** What fills the log of a session (10,000 lines) and its ring (1 MiB): memory is judged from there on. */
export const FILL_LINES = 14_500;
export const FILL_BYTES = 1_100_000;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PAINT = ['\x1b[31m', '\x1b[1;32m', '\x1b[38;5;208m', '\x1b[44m'];

/** A repeatable sequence of numbers from 0 to below 1. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Text of a line of a chatty program, as it is seen: without colours. */
export function chattyText(seed: number, number: number): string {
  const from = (seed * 7 + number) % LETTERS.length;
  const body = `${LETTERS.slice(from)}${LETTERS}`.slice(0, 24 + ((number * 31 + seed) % 40));
  return `line ${number} ${number % 5 === 0 ? 'é漢 ' : ''}${body}.`;
}

/** The same line as the program writes it. */
export function chattyLine(seed: number, number: number): string {
  const text = chattyText(seed, number);
  return number % 3 === 0 ? `${PAINT[number % PAINT.length]}${text}\x1b[0m\n` : `${text}\n`;
}

/** A line of a flood: 78 characters, which the terminal turns into 80 bytes. */
export const FLOOD_LINE = 80;

export function floodText(number: number): string {
  return `${String(number).padStart(12, '0')} ${`${LETTERS.slice(number % 36)}${LETTERS}${LETTERS}`.slice(0, 65)}`;
}

/** Bytes of a flood from this offset on, as they come out of the terminal. */
export function floodBytes(offset: number, length: number): Buffer {
  // Line 1 begins at offset 0.
  const before = Math.floor(offset / FLOOD_LINE);
  const lines: string[] = [];
  for (let number = before + 1; (number - 1) * FLOOD_LINE < offset + length; number++) lines.push(floodText(number));
  const skip = offset - before * FLOOD_LINE;
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1').subarray(skip, skip + length);
}

/** Rows of the last picture of a full-screen program. */
export function lastPicture(seed: number): string[] {
  return Array.from({ length: ROWS }, (_, row) => `row ${row + 1} of ${seed}, the end`);
}

/** Counts and hashes what a terminal makes of written text: LF becomes CR LF. */
export class Account {
  bytes = 0;
  readonly #hash: Hash = createHash('sha256');

  note(text: string): void {
    const turned = Buffer.from(text.replaceAll('\n', '\r\n'));
    this.bytes += turned.length;
    this.#hash.update(turned);
  }

  sha256(): string {
    return this.#hash.copy().digest('hex');
  }
}
