/** UTF-8 at the edges of a window of bytes: letters are never cut in two (T03). */

/** Number of bytes at the end that begin a letter and do not finish it (0 to 3). */
export function danglingLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const whole =
      byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    return whole > back ? back : 0;
  }
  return 0;
}

/** Number of bytes at the start that continue a letter which began before (0 to 3). */
export function continuationLength(bytes: Uint8Array): number {
  let length = 0;
  while (length < Math.min(3, bytes.length) && ((bytes[length] ?? 0) & 0xc0) === 0x80) length++;
  return length;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
