/**
 * The `.tcap` format, version 1 (http.md 19): 8 bytes `TCAP` + u8 version + 3 zero bytes; then records of u8 direction (0 output from
 * the terminal, 1 input to it), u64 LE microseconds since the capture began, u32 LE length, bytes. A record is what was read or written at
 * once. Older `.raw` files are the bare output. Pure functions; both throw capture_unreadable for what is no capture.
 */
import { AppError } from './errors.ts';

export type CaptureDirection = 'output' | 'input';

export interface CaptureRecord {
  direction: CaptureDirection;
  /** Since the capture began. */
  microseconds: number;
  bytes: Uint8Array;
}

export interface Capture {
  records: CaptureRecord[];
  /** Bytes at the end that are no whole record: the file was cut off. */
  trailing: number;
}

export const CAPTURE_HEADER = 8;
export const CAPTURE_RECORD_HEADER = 13;
export const CAPTURE_LENGTH_AT = 9;
/** `TCAP`. */
const MAGIC = [0x54, 0x43, 0x41, 0x50];
const VERSION = 1;
const DIRECTIONS = ['output', 'input'] as const;
const TIME_AT = 1;

export function encodeCaptureHeader(): Uint8Array {
  const header = new Uint8Array(CAPTURE_HEADER);
  header.set(MAGIC);
  header[MAGIC.length] = VERSION;
  return header;
}

export function encodeCaptureRecord({ direction, microseconds, bytes }: CaptureRecord): Uint8Array {
  const record = new Uint8Array(CAPTURE_RECORD_HEADER + bytes.length);
  const view = new DataView(record.buffer);
  view.setUint8(0, DIRECTIONS.indexOf(direction));
  view.setBigUint64(TIME_AT, BigInt(Math.max(0, Math.round(microseconds))), true);
  view.setUint32(CAPTURE_LENGTH_AT, bytes.length, true);
  record.set(bytes, CAPTURE_RECORD_HEADER);
  return record;
}

/** The records are views into `bytes`. */
export function decodeCapture(bytes: Uint8Array): Capture {
  if (bytes.length < CAPTURE_HEADER || MAGIC.some((byte, at) => bytes[at] !== byte)) {
    throw new AppError('capture_unreadable', { detail: 'it does not begin like one' });
  }
  if (bytes[MAGIC.length] !== VERSION) {
    throw new AppError('capture_unreadable', {
      detail: `its version is ${bytes[MAGIC.length]}, this program reads version ${VERSION}`,
    });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: CaptureRecord[] = [];
  let at = CAPTURE_HEADER;
  while (at + CAPTURE_RECORD_HEADER <= bytes.length) {
    const direction = DIRECTIONS[view.getUint8(at)];
    if (direction === undefined) {
      throw new AppError('capture_unreadable', { detail: `there is no record at byte ${at}` });
    }
    const from = at + CAPTURE_RECORD_HEADER;
    const to = from + view.getUint32(at + CAPTURE_LENGTH_AT, true);
    if (to > bytes.length) break;
    const microseconds = Number(view.getBigUint64(at + TIME_AT, true));
    records.push({ direction, microseconds, bytes: bytes.subarray(from, to) });
    at = to;
  }
  return { records, trailing: bytes.length - at };
}

/** A `.raw` file: output, read at once, at an unknown time. */
export function decodeRawCapture(bytes: Uint8Array): Capture {
  return { records: bytes.length === 0 ? [] : [{ direction: 'output', microseconds: 0, bytes }], trailing: 0 };
}
