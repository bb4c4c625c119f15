import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { contrast, parseHex, type Rgb } from './colours.ts';
import { watchCursor } from './cursor-watch.ts';
import { terminalTheme } from './palettes.ts';
import { type PictureCell, type ScreenSource, screenCells } from './picture-cells.ts';

const THEME = terminalTheme('harbour', 'dark').colours;
const GROUND = parseHex(THEME.background);
const TEXT = parseHex(THEME.foreground);

async function screenOf(text: string, change: Partial<ScreenSource> = {}, rows = 3): Promise<PictureCell[][]> {
  const terminal = new headless.Terminal({ cols: 20, rows, scrollback: 100, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { buffer, cols } = terminal;
  const cells = screenCells({ buffer, rows, cols, theme: THEME, minimumContrast: 1, ...change });
  terminal.dispose();
  return cells;
}

const textOf = (cells: PictureCell[] | undefined) =>
  cells
    ?.map(({ text, width }) => (text === '' ? ' '.repeat(width) : text))
    .join('')
    .trimEnd();
const first = async (text: string, change: Partial<ScreenSource> = {}): Promise<PictureCell> => {
  const [row] = await screenOf(text, change);
  if (row?.[0] === undefined) throw new Error('the screen is empty');
  return row[0];
};

describe('the cells of a picture', () => {
  it('UI-5: are the rows on show, wide letters once, and nothing that scrolled away', async () => {
    const cells = await screenOf('gone\r\none\r\n世界 a\r\nthree');
    expect(cells.map(textOf)).toEqual(['one', '世界 a', 'three']);
    expect(cells[1]?.slice(0, 3).map(({ column, width }) => [column, width])).toEqual([
      [0, 2],
      [2, 2],
      [4, 1],
    ]);
  });

  it.each<[string, string, { colour?: Rgb; ground?: Rgb; text?: string }]>([
    ['plain text', 'a', { colour: TEXT, ground: GROUND, text: 'a' }],
    ['one of the sixteen', '\x1b[31;42ma', { colour: parseHex(THEME.red ?? ''), ground: parseHex(THEME.green ?? '') }],
    ['a bright one', '\x1b[91ma', { colour: parseHex(THEME.brightRed ?? '') }],
    ['bold, in the brighter twin', '\x1b[1;31ma', { colour: parseHex(THEME.brightRed ?? '') }],
    ['one of 256', '\x1b[38;5;196;48;5;250ma', { colour: [255, 0, 0], ground: [188, 188, 188] }],
    ['any colour', '\x1b[38;2;1;2;3;48;2;200;201;202ma', { colour: [1, 2, 3], ground: [200, 201, 202] }],
    ['inverse', '\x1b[7ma', { colour: GROUND, ground: TEXT }],
    ['invisible', '\x1b[8ma', { text: '' }],
  ])('are drawn in their colours: %s', async (_what, text, expected) => {
    expect(await first(text)).toMatchObject(expected);
  });

  it('carry their style', async () => {
    expect(await first('\x1b[1;3;4;9;53ma')).toMatchObject({
      isBold: true,
      isItalic: true,
      isUnderlined: true,
      isStruck: true,
      isOverlined: true,
    });
  });

  it('are made readable as the terminal makes them, surfaces stay as they are', async () => {
    const text = '\x1b[38;2;20;20;24m';
    const letter = await first(`${text}a`, { minimumContrast: 4.5 });
    expect(contrast(letter.colour, letter.ground)).toBeGreaterThanOrEqual(4.5);
    expect((await first(`${text}█`, { minimumContrast: 4.5 })).colour).toEqual([20, 20, 24]);
    const dim = await first('\x1b[2ma', { minimumContrast: 4.5 });
    expect(contrast(dim.colour, GROUND)).toBeLessThan(contrast(TEXT, GROUND));
  });

  it('show what is selected', async () => {
    const selection = { start: { x: 1, y: 0 }, end: { x: 1, y: 1 } };
    const cells = await screenOf('abc\r\ndef', { selection });
    const selected = parseHex(THEME.selectionBackground);
    const isSelected = (row: number, column: number) =>
      JSON.stringify(cells[row]?.[column]?.ground) === JSON.stringify(selected);
    expect([isSelected(0, 0), isSelected(0, 1), isSelected(0, 19), isSelected(1, 0), isSelected(1, 1)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('the cursor', () => {
  it('is shown until the program hides it, and again after a reset', async () => {
    const terminal = new headless.Terminal({ cols: 20, rows: 3, allowProposedApi: true });
    const isShown = watchCursor(terminal.parser as never);
    const shownAfter = async (text: string) => {
      await new Promise<void>((resolve) => terminal.write(text, resolve));
      return isShown();
    };
    expect([
      isShown(),
      await shownAfter('a\x1b[?25l'),
      await shownAfter('\x1b[?7h'),
      await shownAfter('\x1b[?25h'),
    ]).toEqual([true, false, false, true]);
    expect([await shownAfter('\x1b[?12;25l'), await shownAfter('\x1b[!p')]).toEqual([false, true]);
    expect([await shownAfter('\x1b[?25l'), await shownAfter('\x1bc')]).toEqual([false, true]);
    terminal.dispose();
  });
});
