import { describe, expect, it } from 'vitest';
import { chooseStyle, displayWidth, formatAge, formatCount, formatTable, toSafeText } from './text.ts';

describe('text for people', () => {
  it('aligns columns, also with wide characters, and leaves no blanks at the end', () => {
    const table = formatTable(
      ['ALIAS', 'NAME', 'X'],
      [
        ['tu-1', '你好', 'a'],
        ['longer-12', 'b', ''],
      ],
    );
    expect(table.split('\n')).toEqual(['ALIAS      NAME  X', 'tu-1       你好  a', 'longer-12  b']);
  });

  it('counts columns and not code units', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('é')).toBe(1);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('🚀')).toBe(2);
  });

  it('colours only on a terminal and never against NO_COLOR', () => {
    expect(chooseStyle(true, {}).red('x')).toBe('\u001b[31mx\u001b[0m');
    expect(chooseStyle(true, { NO_COLOR: '' }).red('x')).toContain('\u001b');
    for (const style of [
      chooseStyle(false, {}),
      chooseStyle(true, { NO_COLOR: '1' }),
      chooseStyle(true, { TERM: 'dumb' }),
    ]) {
      expect(style.red('x')).toBe('x');
    }
  });

  it('lets no control character of a title or name through', () => {
    expect(toSafeText('a\u001b]0;evil\u0007b\u202ec\u0085')).toBe('a\ufffd]0;evil\ufffdb\ufffdc\ufffd');
  });

  it('names ages and counts', () => {
    expect([0, 59_999, 60_000, 3_600_000, 200_000_000, -5].map(formatAge)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h',
      '2 d',
      '0 s',
    ]);
    expect([formatCount(0, 'session'), formatCount(1, 'session')]).toEqual(['0 sessions', '1 session']);
  });
});
