/** UTF-8 exactly as the terminal's decoder takes it: what is invalid is skipped, what is not whole is waited for. */

export const INCOMPLETE = -1;
export const DROPPED = -2;

export function sizeOf(code: number): number {
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/**
 * The code point that the parser's decoder reads at a byte >= 0x80: DROPPED for what it skips (one byte at least, see
 * droppedSize), INCOMPLETE when the bytes end before that is decided.
 */
export function codePointAt(bytes: Uint8Array, index: number, length: number): number {
  const lead = bytes[index] ?? 0;
  const size = lead >= 0xc0 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf8 ? 4 : 0;
  if (size === 0) return DROPPED;
  let code = lead & (size === 2 ? 0x1f : size === 3 ? 0x0f : 0x07);
  for (let offset = 1; offset < size; offset++) {
    if (index + offset >= length) return INCOMPLETE;
    const byte = bytes[index + offset] ?? 0;
    if ((byte & 0xc0) !== 0x80) return DROPPED;
    code = (code << 6) | (byte & 0x3f);
  }
  if (size === 2) return code < 0x80 ? DROPPED : code;
  if (size === 3) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) || code === 0xfeff ? DROPPED : code;
  return code < 0x10000 || code > 0x10ffff ? DROPPED : code;
}

/** How many bytes the decoder skips there: up to the byte that does not belong, or the whole of an illegal character. */
export function droppedSize(bytes: Uint8Array, index: number, length: number): number {
  let size = 1;
  while (size < 4 && index + size < length && ((bytes[index + size] ?? 0) & 0xc0) === 0x80) size++;
  const lead = bytes[index] ?? 0;
  if (lead >= 0xf0 && lead < 0xf8) return size;
  if (lead >= 0xe0 && lead < 0xf0) return Math.min(size, 3);
  return lead >= 0xc0 && lead < 0xe0 ? Math.min(size, 2) : 1;
}

/** Bytes at the end that begin a character which is not whole yet. */
export function unfinishedCharacter(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return codePointAt(bytes, length - back, length) === INCOMPLETE ? back : 0;
  }
  return 0;
}
