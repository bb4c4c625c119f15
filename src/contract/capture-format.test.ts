import { describe, expect, it } from 'vitest';
import {
  CAPTURE_HEADER,
  type CaptureRecord,
  decodeCapture,
  decodeRawCapture,
  encodeCaptureHeader,
  encodeCaptureRecord,
} from './capture-format.ts';

const records: CaptureRecord[] = [
  { direction: 'output', microseconds: 0, bytes: Buffer.from('$ ') },
  { direction: 'input', microseconds: 1_500, bytes: Buffer.from('ls\r') },
  { direction: 'output', microseconds: 2 ** 40, bytes: Buffer.from([0, 255, 27, 91]) },
];
const file = Buffer.concat([encodeCaptureHeader(), ...records.map(encodeCaptureRecord)]);
const refusal = (bytes: Uint8Array) => {
  try {
    decodeCapture(bytes);
  } catch (error) {
    return String(error);
  }
  return undefined;
};

describe('.tcap', () => {
  it('FIX-1: has the bytes of the contract', () => {
    const record = { direction: 'input', microseconds: 258, bytes: Buffer.from('ab') } as const;
    const bytes = Buffer.concat([encodeCaptureHeader(), encodeCaptureRecord(record)]);
    expect(bytes.toString('hex')).toBe('5443415001000000010201000000000000020000006162');
  });

  it('FIX-1: gives back direction, times and boundaries as they were', () => {
    const { records: found, trailing } = decodeCapture(file);
    expect(found.map(({ bytes, ...rest }) => ({ ...rest, bytes: Buffer.from(bytes) }))).toEqual(records);
    expect(trailing).toBe(0);
  });

  it('reads what is whole of a file that was cut anywhere, and says how much is left over', () => {
    const starts = [CAPTURE_HEADER];
    for (const { bytes } of records) starts.push((starts.at(-1) ?? 0) + 13 + bytes.length);
    for (let length = CAPTURE_HEADER; length <= file.length; length++) {
      const { records: found, trailing } = decodeCapture(file.subarray(0, length));
      const whole = starts.findLastIndex((start) => start <= length);
      expect([length, found.length, trailing]).toEqual([length, whole, length - (starts[whole] ?? 0)]);
    }
  });

  it('refuses what is no capture, another version, and a place without a record', () => {
    for (const bytes of [Buffer.from(''), Buffer.from('TCA'), Buffer.from('TCAP\x01'), Buffer.from('not a capture')]) {
      expect(refusal(bytes)).toContain('does not begin like one');
    }
    expect(refusal(Buffer.from('TCAP\x02\0\0\0'))).toContain('version is 2');
    const damaged = Buffer.from(file);
    damaged[CAPTURE_HEADER] = 7;
    expect(refusal(damaged)).toContain('no record at byte 8');
  });

  it('takes an older .raw file as output, whatever it begins with', () => {
    expect(decodeRawCapture(Buffer.from('TCAP'))).toEqual({
      records: [{ direction: 'output', microseconds: 0, bytes: Buffer.from('TCAP') }],
      trailing: 0,
    });
    expect(decodeRawCapture(new Uint8Array(0)).records).toEqual([]);
  });
});
