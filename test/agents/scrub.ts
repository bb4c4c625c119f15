/** Takes out of a capture what names a person, a machine or a conversation. Lengths stay: columns follow from them. */
import { homedir, hostname, userInfo } from 'node:os';
import { type Capture, encodeCaptureHeader, encodeCaptureRecord } from '../../src/contract/index.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ids of OpenCode. */
const SESSION_ID = /\bses_[A-Za-z0-9]{16,}/g;

/** Each id becomes one that says nothing; the same one always the same. */
export function createScrubber(): (text: string) => string {
  const known = new Map<string, string>();
  const stand = (found: string, make: (index: string) => string) => {
    const other = known.get(found) ?? make(String(known.size + 1));
    known.set(found, other);
    return other;
  };
  return (text) =>
    text
      .replace(UUID, (found) => stand(found, (index) => `00000000-0000-4000-8000-${index.padStart(12, '0')}`))
      .replace(SESSION_ID, (found) => stand(found, (index) => `ses_${index.padStart(found.length - 4, '0')}`));
}

/** What is still there and must not be: a reason not to keep the capture. */
export function personalWords(text: string): string[] {
  const words = [homedir(), hostname(), ...(userInfo().username === 'root' ? [] : [userInfo().username])];
  return words.filter((word) => word.length > 1 && text.includes(word));
}

/** The capture again, record by record. */
export function scrubCapture({ records }: Capture): Uint8Array {
  const scrub = createScrubber();
  const parts = records.map((record) => {
    // Byte for byte: latin1 leaves every other byte as it is.
    const text = scrub(Buffer.from(record.bytes).toString('latin1'));
    return encodeCaptureRecord({ ...record, bytes: Buffer.from(text, 'latin1') });
  });
  return Buffer.concat([encodeCaptureHeader(), ...parts]);
}
