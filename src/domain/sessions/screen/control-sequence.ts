/** Reading, clamping and weighing of CSI sequences that are whole. */
import type { ControlSequence } from './queries.ts';

/** Largest parameter that reaches a parser. */
export const PARAMETER_MAX = 9_999;
/** The same where the parser's work grows with the number and no terminal has more rows or columns. */
export const COUNT_MAX = 500;

/** Finals that mean nothing to anybody but the parser, whatever their parameters. */
export const PLAIN_FINALS = new Uint8Array(128);
for (const final of '@ABCDEFGHJKPX`adefgmsr') PLAIN_FINALS[final.charCodeAt(0)] = 1;

/** End of the usual kind of CSI at `start`: no prefix, no large number, nothing to note or to change. 0 for any other. */
export function plainControlEnd(bytes: Uint8Array, start: number, length: number): number {
  if (bytes[start + 1] !== 0x5b) return 0;
  const limit = Math.min(length, start + 64);
  let digits = 0;
  for (let at = start + 2; at < limit; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > 4) return 0;
    } else if (byte === 0x3b || byte === 0x3a) {
      digits = 0;
    } else {
      return byte < 128 && PLAIN_FINALS[byte] === 1 ? at + 1 : 0;
    }
  }
  return 0;
}

function countLimit(final: string): number {
  return 'LMSTIZ'.includes(final) ? COUNT_MAX : PARAMETER_MAX;
}

/** Overwrites the newest `digits` digits before `end` by the limit with leading zeros. Other bytes between them stay. */
function clampDigits(bytes: Uint8Array, end: number, digits: number, limit: number): void {
  let rest = limit;
  let left = digits;
  for (let at = end - 1; left > 0; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x30 || byte > 0x39) continue;
    bytes[at] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
    left--;
  }
}

/** Reads the parameters and clamps them in place. Control characters between them belong to nobody here. */
export function readControl(bytes: Uint8Array, start: number, next: number): ControlSequence {
  const final = String.fromCharCode(bytes[next - 1] ?? 0);
  let at = start + (bytes[start] === 0x1b ? 1 : 2);
  if (bytes[start] === 0x1b) while (at < next && bytes[at] !== 0x5b) at++;
  if (bytes[start] === 0x1b) at++;
  const params: number[] = [];
  let prefix = '';
  let intermediates = '';
  let value = 0;
  let digits = 0;
  let isSub = false;
  let any = false;
  const limit = countLimit(final);
  for (; at < next; at++) {
    const byte = bytes[at] ?? 0;
    const isEnd = at === next - 1;
    if (byte >= 0x30 && byte <= 0x39 && !isEnd) {
      any = true;
      digits++;
      value = Math.min(value * 10 + byte - 48, 0x7fffffff);
    } else if (byte === 0x3b || byte === 0x3a || (isEnd && any)) {
      any = true;
      if (value > limit) {
        clampDigits(bytes, at, digits, limit);
        value = limit;
      }
      if (!isSub) params.push(value);
      isSub = byte === 0x3a;
      value = 0;
      digits = 0;
    } else if (byte >= 0x3c && byte <= 0x3f) {
      prefix = String.fromCharCode(byte);
    } else if (byte >= 0x20 && byte < 0x30) {
      if (value > limit) {
        clampDigits(bytes, at, digits, limit);
        value = limit;
        digits = 0;
      }
      intermediates += String.fromCharCode(byte);
    }
  }
  const key = prefix === '' && intermediates === '' ? final : `${prefix}${intermediates}${final}`;
  return { prefix, params, intermediates, final, key };
}

/** Work units of a plain sequence. */
export function plainCost(final: number, cols: number, rows: number): number {
  if (final === 0x6d || final === 0x48) return 1;
  if (final === 0x4a) return cols * rows;
  return final === 0x4b || final === 0x40 || final === 0x50 || final === 0x58 ? cols : 1;
}

/** Work units of any other: about one for each cell or row touched. */
export function controlCost(sequence: ControlSequence, cols: number, rows: number): number {
  const count = Math.max(sequence.params[0] ?? 0, 1);
  const area = cols * rows;
  if (sequence.intermediates !== '') return sequence.final === 'p' ? 64 : area;
  switch (sequence.final) {
    case 'b':
      return count;
    case 'L':
    case 'M':
    case 'S':
    case 'T':
      return Math.min(count, COUNT_MAX) * (cols + rows + 100);
    case 'J':
      return area;
    case 'K':
    case 'X':
    case '@':
    case 'P':
      return cols;
    case 'I':
    case 'Z':
      return Math.min(count, COUNT_MAX) * 8;
    case 'h':
    case 'l':
      return sequence.params.some((mode) => mode === 1049 || mode === 1047 || mode === 47) ? area : 1;
    default:
      return 1;
  }
}
