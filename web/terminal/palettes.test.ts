import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TERMINAL_THEME_NAMES, TERMINAL_THEMES, type TerminalThemeName, terminalTheme } from './palettes.ts';

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const BRIGHT = COLOURS.map((name) => `bright${name[0]?.toUpperCase()}${name.slice(1)}`);

describe('DESIGN 9: terminal themes', () => {
  it('the measure is the one of WCAG: black on white is 21, #767676 on white 4.54', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });

  it('there are at least six to choose from, light ones among them, and each has a name of its own', () => {
    const labels = TERMINAL_THEME_NAMES.map((name) => TERMINAL_THEMES[name].label);
    expect(labels.length).toBeGreaterThanOrEqual(6);
    expect(new Set(labels).size).toBe(labels.length);
    expect(TERMINAL_THEME_NAMES.filter((name) => !TERMINAL_THEMES[name].isDark).length).toBeGreaterThanOrEqual(2);
  });

  it.each(TERMINAL_THEME_NAMES)(
    '%s: text 7:1, colours 4.5:1, selected text 4.5:1, cursor 3:1',
    (name: TerminalThemeName) => {
      const { colours, isDark } = TERMINAL_THEMES[name];
      const { background, foreground, selectionBackground, cursor } = colours;
      const read = (key: string) => String(Object.entries(colours).find(([name]) => name === key)?.[1]);
      for (const key of [...COLOURS, ...BRIGHT]) expect(read(key), key).toMatch(/^#[0-9a-f]{6}$/);
      expect(contrast(foreground, background)).toBeGreaterThanOrEqual(7);
      expect(contrast(foreground, selectionBackground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(cursor, background)).toBeGreaterThanOrEqual(3);
      const low = [...COLOURS, ...BRIGHT].filter((key) => contrast(read(key), background) < 4.5);
      expect(low).toEqual(isDark ? ['black'] : []);
      expect(isDark).toBe(luminance(background) < 0.2);
    },
  );

  it('high contrast has 7:1 for every colour but black', () => {
    const { colours } = terminalTheme('match', 'contrast');
    const read = (key: string) => String(Object.entries(colours).find(([name]) => name === key)?.[1]);
    const low = [...COLOURS, ...BRIGHT].filter((key) => contrast(read(key), '#000000') < 7);
    expect(low).toEqual(['black']);
  });

  it('a theme that matches follows the workspace; a chosen one stays', () => {
    expect(terminalTheme('match', 'light').isDark).toBe(false);
    expect(terminalTheme('match', 'dark')).toBe(TERMINAL_THEMES.harbour);
    expect(terminalTheme('linen', 'dark')).toBe(TERMINAL_THEMES.linen);
  });
});

describe('DESIGN 9: themes of the workspace', () => {
  it.each([
    ['dark', 4.5],
    ['light', 4.5],
    ['contrast', 7],
  ] as const)('%s: text on each of its grounds reaches %d:1, marks 3:1', async (theme, least) => {
    const css = await readFile(new URL('../desktop/styles/tokens.css', import.meta.url), 'utf8');
    const read = (block: string) =>
      Object.fromEntries([...block.matchAll(/--([a-z-]+):\s*(#[0-9a-f]{6});/g)].map(([, key, value]) => [key, value]));
    const blocks = [...css.matchAll(/^:root(\[data-theme="([a-z]+)"\])? \{([^}]*)\}/gm)];
    const own = blocks.find(([, , name]) => name === (theme === 'dark' ? undefined : theme))?.[3] ?? '';
    const tokens: Record<string, string | undefined> = { ...read(blocks[0]?.[3] ?? ''), ...read(own) };
    const of = (name: string) => {
      const value = tokens[name];
      if (value === undefined) throw new Error(`there is no token ${name}`);
      return value;
    };
    const pairs: [string, string, number][] = [
      ...['ground', 'chrome', 'raised', 'hover', 'chosen'].flatMap((ground): [string, string, number][] => [
        ['text', ground, least],
        ['text-quiet', ground, 4.5],
        ['text-faint', ground, 4.5],
        ['focus', ground, 3],
      ]),
      ...['ground', 'chrome', 'raised'].flatMap((ground): [string, string, number][] => [
        ['accent', ground, 3],
        ['danger', ground, 4.5],
        ['warning', ground, 4.5],
      ]),
      ['accent-text', 'accent', 4.5],
      ['text', 'warning-ground', least],
      ['text', 'danger-ground', least],
      ['warning', 'warning-ground', 4.5],
      ['danger', 'danger-ground', 4.5],
    ];
    const low = pairs
      .map(([one, other, want]) => ({ one, other, want, has: contrast(of(one), of(other)) }))
      .filter(({ has, want }) => has < want)
      .map(({ one, other, has }) => `${one} on ${other}: ${has.toFixed(2)}`);
    expect(low).toEqual([]);
  });
});
