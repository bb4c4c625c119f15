import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlCharacter, encodeKey, encodeText } from './keys.ts';

const PLAIN = { applicationCursorKeys: false, bracketedPaste: false };
const FULL = { applicationCursorKeys: true, bracketedPaste: true };

describe('keys', () => {
  it('arrows follow the mode of the program; with Ctrl they have one form', () => {
    expect(encodeKey('ArrowUp', false, PLAIN)).toBe('\x1b[A');
    expect(encodeKey('ArrowUp', false, FULL)).toBe('\x1bOA');
    expect(encodeKey('ArrowLeft', true, FULL)).toBe('\x1b[1;5D');
    expect(encodeKey('End', false, FULL)).toBe('\x1bOF');
    expect(encodeKey('PageUp', false, FULL)).toBe('\x1b[5~');
    expect([encodeKey('Enter', false, FULL), encodeKey('BackTab', false, FULL)]).toEqual(['\r', '\x1b[Z']);
  });

  it('Ctrl makes control characters of letters and signs, and of nothing else', () => {
    expect(['c', 'C', 'd', '[', '\\', '_', ' ', '?', '/'].map(controlCharacter)).toEqual([
      '\x03',
      '\x03',
      '\x04',
      '\x1b',
      '\x1c',
      '\x1f',
      '\0',
      '\x7f',
      '\x1f',
    ]);
    expect(['1', 'é', '漢', 'ab', '', '~'].map(controlCharacter)).toEqual(Array(6).fill(undefined));
  });
});

describe('text', () => {
  it('one line is typed, and Enter follows in a piece of its own', () => {
    expect(encodeText('git status', true, FULL)).toEqual(['git status', '\r']);
    expect(encodeText('', true, FULL)).toEqual(['\r']);
  });

  it('several lines are a paste where the program can tell, else line by line', () => {
    expect(encodeText('a\r\nb\n', true, FULL)).toEqual(['\x1b[200~a\rb\r\x1b[201~', '\r']);
    expect(encodeText('a\nb', true, PLAIN)).toEqual(['a\rb', '\r']);
  });

  it('pasted text cannot end its own marks nor send keys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const [pasted = ''] = encodeText(`${text}\n\x1b[201~\u009b201~x`, true, FULL);
        const inside = pasted.slice('\x1b[200~'.length, -'\x1b[201~'.length);
        expect(inside).not.toMatch(/[\x1b\u0080-\u009f\x03]/);
        expect(inside.endsWith('201~x')).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
