/**
 * What a session stores as one blob: its screen, and before it what is known of its program (STM-50). Format: magic | u32 length of
 * JSON | JSON | blob of the screen. A blob without the magic is a screen alone, as earlier servers wrote it.
 */
const MAGIC = 0x31455354;
const HEAD = 8;

export function wrapCheckpoint(program: unknown, screen: Uint8Array): Uint8Array {
  if (program === undefined) return screen;
  const json = Buffer.from(JSON.stringify(program));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(json.length, 4);
  return Buffer.concat([head, json, screen]);
}

/** What cannot be read is handed on as it is: its reader refuses it, and nothing is known of the program. */
export function unwrapCheckpoint(blob: Uint8Array): { program: unknown; screen: Uint8Array } {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.length);
  if (bytes.length < HEAD || bytes.readUInt32LE(0) !== MAGIC) return { program: undefined, screen: blob };
  const end = HEAD + bytes.readUInt32LE(4);
  if (end > bytes.length) return { program: undefined, screen: blob };
  try {
    return { program: JSON.parse(bytes.toString('utf8', HEAD, end)), screen: blob.subarray(end) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { program: undefined, screen: blob.subarray(end) };
  }
}
