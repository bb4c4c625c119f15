import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainText } from './plain-text.ts';

function read(...pieces: string[]): string {
  const plain = new PlainText();
  return pieces.map((piece) => plain.push(Buffer.from(piece))).join('') + plain.end();
}

describe('text of a terminal', () => {
  it('drops colours, titles, links and character sets, and keeps the words', () => {
    expect(read('\x1b[1;31mred\x1b[0m \x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\x1b(Bc\r\n')).toBe(
      'red abc\n',
    );
    expect(read('a\x1bPq#0\x1b\\b\x1b_hidden\x1b\\c\x9d0;t\x9cd')).toBe('abcd');
  });

  it('shows movements as blanks and lines', () => {
    expect(read('left\x1b[3Cright')).toBe('left   right');
    expect(read('one\x1b[5;1Htwo\x1b[2J')).toBe('one\ntwo\n');
    expect(read('10%\r20%\r\ndone\n')).toBe('10%\n20%\ndone\n');
    expect(read('\x1b[99999999999999Cx'), 'at the start of a line').toBe('x');
    expect(read('x\x1b[99999999Cy').length).toBe(502);
  });

  it('reads across cuts, inside characters too', () => {
    const bytes = Buffer.from('漢\x1b[31m字\x1b]2;t\x1b\\é\r\n');
    const plain = new PlainText();
    let text = '';
    for (const byte of bytes) text += plain.push(Uint8Array.of(byte));
    expect(text + plain.end()).toBe('漢字é\n');
  });

  it('X10: whatever comes, nothing is left that acts on a terminal or turns its text around', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        'P',
        '\\',
        '\x07',
        '\x9b',
        '\x9d',
        '\x18',
        '31m',
        '0;x',
        '\r',
        '\n',
        '\u202e',
        '(',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(read(parts.join(''))).toBe(
          read(...parts).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '!'),
        );
      }),
      { numRuns: 300 },
    );
  });
});
