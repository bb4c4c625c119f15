import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePaste, joinLines, needsQuestion, preparePaste } from './paste-text.ts';

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('issue 4: pasted text', () => {
  it('line ends become Enter, whatever they were, and are counted', () => {
    expect(preparePaste('a\r\nb\nc\rd')).toEqual({ text: 'a\rb\rc\rd', lines: 4, bytes: 7, removed: 0 });
    expect(preparePaste('ls\n').lines).toBe(1);
    expect(preparePaste('漢字').bytes).toBe(6);
  });

  it('nothing in it can end its bracket or act as a key', () => {
    const hostile = 'x\u001b[201~\nrm -rf ~\n\u009b201~\u0003\u0007\u007f';
    const sent = decode(encodePaste(preparePaste(hostile).text, true));
    expect(sent).toBe('\u001b[200~x[201~\rrm -rf ~\r201~\u001b[201~');
    expect(preparePaste(hostile).removed).toBe(5);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\u001b', '[', '2', '0', '1', '~', '\u009b', 'x') }), (text) => {
        expect(decode(encodePaste(preparePaste(text).text, true)).indexOf('\u001b[201~')).toBe(
          decode(encodePaste(preparePaste(text).text, true)).length - 6,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('is asked about when a line end would run it, and when it is large', () => {
    expect(needsQuestion(preparePaste('one line'), false)).toBe(false);
    expect(needsQuestion(preparePaste('one line\n'), false)).toBe(true);
    expect(needsQuestion(preparePaste('a\nb'), true)).toBe(false);
    expect(needsQuestion(preparePaste('x'.repeat(200_000)), true)).toBe(true);
  });

  it('can be made one line', () => {
    expect(joinLines('a \r  b\r\rc\r')).toBe('a b c');
  });
});
