import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DetachWatch, parseDetachKey } from './detach-key.ts';

const KEY = 0x1d;
const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('the key itself', () => {
  it('is read in the ways people write it', () => {
    expect(['ctrl-]', 'Ctrl-]', '^]', 'ctrl+]'].map(parseDetachKey)).toEqual([KEY, KEY, KEY, KEY]);
    expect(['ctrl-a', '^A', 'ctrl-@', 'ctrl-\\'].map(parseDetachKey)).toEqual([1, 1, 0, 0x1c]);
    expect(['', 'a', 'ctrl-', 'ctrl-1', 'ctrl-ab', 'alt-a'].map(parseDetachKey)).toEqual(Array(6).fill(undefined));
  });
});

describe('typed text', () => {
  it('ends at the key; what came before is still sent', () => {
    const typed = new DetachWatch(KEY).take(bytes('ls\r\x1dmore'));
    expect(typed.isDetach).toBe(true);
    expect(Buffer.from(typed.input).toString('latin1')).toBe('ls\r');
  });

  it('passes whole in any pieces when the key stands in a paste only', () => {
    const text = 'a\x1b[200~pasted \x1d text\x1b[201~b\x1b[A';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sizes) => {
        const watch = new DetachWatch(KEY);
        let sent = '';
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          const typed = watch.take(bytes(text.slice(at, at + size)));
          expect(typed.isDetach).toBe(false);
          sent += Buffer.from(typed.input).toString('latin1');
          at += size;
        }
        expect(sent).toBe(text);
        expect(watch.take(bytes('\x1d')).isDetach).toBe(true);
      }),
    );
  });
});
