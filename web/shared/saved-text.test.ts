import { describe, expect, it } from 'vitest';
import { plainLine, textFileName } from './saved-text.ts';

describe('issue 4: the text of a terminal as a file', () => {
  it('a line is its letters, without styles, controls and blanks at the end', () => {
    expect(plainLine({ spans: [{ text: 'a\u001b[31m', bold: true }, { text: 'b  ' }] })).toBe('a[31mb');
  });

  it('a hostile name makes a plain file name', () => {
    const time = new Date(2026, 0, 5, 7, 8, 9);
    expect(textFileName('../../etc/pass wd', false, time)).toBe('etc-pass-wd-2026-01-05-070809.txt');
    expect(textFileName('\u202e<img>/', true, time)).toBe('img-2026-01-05-070809.ansi');
    expect(textFileName('..', false, time)).toBe('terminal-2026-01-05-070809.txt');
    expect(textFileName('x'.repeat(500), false, time).length).toBeLessThan(90);
  });
});
