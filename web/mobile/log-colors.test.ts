import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogColor } from '../../src/contract/index.ts';
import { contrast, parseHex } from '../terminal/colours.ts';
import { TERMINAL_THEME_NAMES, TERMINAL_THEMES } from '../terminal/palettes.ts';
import { LogColors } from './log-colors.ts';

const color = fc.oneof(
  fc.record({ idx: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ rgb: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)) }),
) as fc.Arbitrary<LogColor>;

describe('colours of the log', () => {
  it('plain text has none of its own', () => {
    expect(new LogColors(TERMINAL_THEMES.harbour).of({})).toEqual({ color: undefined, background: undefined });
  });

  it('the sixteen are those of the terminal, the rest are those of xterm', () => {
    const colors = new LogColors(TERMINAL_THEMES.harbour);
    expect(colors.of({ fg: { idx: 1 } }).color).toBe(TERMINAL_THEMES.harbour.colours.red);
    expect(colors.of({ fg: { idx: 12 } }).color).toBe(TERMINAL_THEMES.harbour.colours.brightBlue);
    expect(colors.of({ bg: { idx: 21 } }).background).toBe('#0000ff');
    expect(colors.of({ bg: { idx: 196 } }).background).toBe('#ff0000');
    expect(colors.of({ bg: { idx: 244 } }).background).toBe('#808080');
    expect(colors.of({ bg: { rgb: [1, 2, 3] } }).background).toBe('#010203');
  });

  it.each(TERMINAL_THEME_NAMES)('whatever a program chooses can be read in %s', (theme) => {
    const ground = parseHex(TERMINAL_THEMES[theme].colours.background);
    const colors = new LogColors(TERMINAL_THEMES[theme]);
    fc.assert(
      fc.property(fc.option(color, { nil: undefined }), fc.option(color, { nil: undefined }), (fg, bg) => {
        const span = { ...(fg === undefined ? {} : { fg }), ...(bg === undefined ? {} : { bg }) };
        const { color: text, background } = colors.of(span);
        if (text === undefined) return;
        const under = background === undefined ? ground : parseHex(background);
        expect(contrast(parseHex(text), under)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 60 },
    );
  });
});
