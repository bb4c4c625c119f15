/**
 * JSON that is handed through without changing a number: JavaScript reads 9007199254740993 as another number, and 1e999 as none. What it
 * cannot hold is read as a marked text and written back as it stood. The mark is made anew by each process and leaves it only through
 * `restoreExactJson`, so no text from outside can pass for one.
 */
import { randomUUID } from 'node:crypto';

const MARK = `exact-number-${randomUUID()}:`;
/** Strings are matched first, so that nothing inside of one is taken for a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Fewer digits, and no exponent, are always read exactly. */
const MAY_BE_INEXACT = /\d{16}|\d\.?\d*[eE]|\d{8,}\.\d{8,}|\.\d{15}/;
/** Also inside of a text that was made of such a value: the quotes are escaped there. */
const MARKED = new RegExp(String.raw`(\\*)"${MARK}([-+.\deE]+)\1"`, 'g');

/** Up to so many digits every decimal number comes back from its double as it was. */
const SAFE_DIGITS = 15;

function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (JSON.stringify(value) === token) return true;
  const digits = token
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  // A number below the smallest one is read as 0.
  return digits.length <= SAFE_DIGITS && (value !== 0 || digits === '') && (value === 0 || Math.abs(value) > 1e-300);
}

/** Throws SyntaxError, as JSON.parse does. */
export function parseExactJson(text: string): unknown {
  if (!MAY_BE_INEXACT.test(text)) return JSON.parse(text);
  // Read once as it is: what is no JSON must not become some.
  const plain: unknown = JSON.parse(text);
  let found = false;
  const marked = text.replace(TOKENS, (token) => {
    if (token.startsWith('"') || isExact(token)) return token;
    found = true;
    return `"${MARK}${token}"`;
  });
  return found ? JSON.parse(marked) : plain;
}

/** Writes the numbers back into a text that JSON.stringify made. */
export function restoreExactJson(text: string): string {
  return text.includes(MARK) ? text.replace(MARKED, '$2') : text;
}
