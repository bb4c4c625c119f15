/**
 * What a viewer's input is, told by its bytes.
 *
 * Replies: what a terminal program at a viewer's end sends by itself when it reads a query (D10, T11). The server's engine has
 * answered already, so these are duplicates. Some look like keys (`CSI 1;5R` is Ctrl-F3 too): the caller filters only
 * while a query is open.
 */

const REPLIES = new RegExp(
  [
    // Device attributes; cursor position and device status; mode reports; keyboard flags; window reports.
    '\\x1b\\[[?>=][0-9;]*c',
    '\\x1b\\[\\??[0-9]+;[0-9]+(?:;[0-9]+)?R',
    '\\x1b\\[\\??[0-9;]*n',
    '\\x1b\\[\\??[0-9;]+\\$y',
    '\\x1b\\[\\?[0-9]+u',
    '\\x1b\\[[468];[0-9]+;[0-9]+t',
    // Device control replies: version, settings, capabilities, tertiary attributes.
    '\\x1bP[>!01][^\\x1b\\x9c\\x07]*\\x1b\\\\',
    // Colours and program status.
    '\\x1b\\](?:4;[0-9]+|1[0-9]);rgba?:[0-9a-fA-F/]+(?:\\x1b\\\\|\\x07)',
    '\\x1b\\]7501;[^\\x1b\\x07]*(?:\\x1b\\\\|\\x07)',
  ].join('|'),
  'g',
);

/** The input without reply-shaped sequences; the same array when there are none. */
export function withoutReplies(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0x1b)) return bytes;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const kept = text.replace(REPLIES, '');
  return kept.length === text.length ? bytes : Buffer.from(kept, 'latin1');
}

/** Ctrl-C, Ctrl-\ and Ctrl-Z: the program is to stop what it does. */
const INTERRUPTS = [0x03, 0x1c, 0x1a];

export function hasInterrupt(bytes: Uint8Array): boolean {
  return INTERRUPTS.some((byte) => bytes.includes(byte));
}
