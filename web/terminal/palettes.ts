/**
 * Colours of the terminal. Each palette's text reaches 7:1 on its ground, each of the sixteen colours 4.5:1 but the one that
 * is the ground's own (black in the dark, in the light nothing), and selected text stays readable; palettes.test.ts proves it.
 */
import type { ITheme } from '@xterm/xterm';

export type ThemeName = 'dark' | 'light' | 'contrast';

export interface TerminalTheme {
  label: string;
  isDark: boolean;
  colours: ITheme & { background: string; foreground: string; selectionBackground: string; cursor: string };
}

/** background, foreground, cursor, selection, selection without the keyboard */
type Ground = readonly [string, string, string, string, string];

/** `dim` and `bright`: black, red, green, yellow, blue, magenta, cyan, white. */
function makeTheme(label: string, isDark: boolean, ground: Ground, dim: string, bright: string): TerminalTheme {
  const [background, foreground, cursor, selectionBackground, selectionInactiveBackground] = ground;
  const [black, red, green, yellow, blue, magenta, cyan, white] = dim.split(' ');
  const [brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite] =
    bright.split(' ');
  const bar = isDark ? '#ffffff' : '#000000';
  return {
    label,
    isDark,
    colours: {
      ...{ background, foreground, cursor, cursorAccent: background, selectionBackground, selectionInactiveBackground },
      ...({ black, red, green, yellow, blue, magenta, cyan, white } as ITheme),
      ...({ brightBlack, brightRed, brightGreen, brightYellow } as ITheme),
      ...({ brightBlue, brightMagenta, brightCyan, brightWhite } as ITheme),
      scrollbarSliderBackground: `${bar}24`,
      scrollbarSliderHoverBackground: `${bar}3d`,
      scrollbarSliderActiveBackground: `${bar}57`,
    },
  };
}

export const TERMINAL_THEMES = {
  harbour: makeTheme(
    'Harbour',
    true,
    ['#0f1115', '#dcdfe4', '#5fd3a8', '#33507a', '#2b3442'],
    '#2a2f38 #f07178 #7fcf8f #e3b964 #74a8f5 #c792ea #63c9d4 #c8ccd4',
    '#838b99 #ff8f94 #9be3a8 #f3cf86 #98c1ff #dcb3f7 #8fe0e8 #f5f7fa',
  ),
  paper: makeTheme(
    'Paper',
    false,
    ['#fcfcfa', '#23272e', '#0b7a55', '#b9d4f7', '#dde3ea'],
    '#23272e #b3262e #1f7a37 #8a5a00 #1c5fc4 #8430a8 #0b7280 #62676f',
    '#6b717b #c8323b #2a7d3f #936200 #2d6cd0 #933fb8 #147582 #4a4f57',
  ),
  beacon: makeTheme(
    'Beacon (high contrast)',
    true,
    ['#000000', '#ffffff', '#ffff00', '#0050c8', '#24406e'],
    '#333333 #fe9693 #5ed476 #e5ae0d #87bafd #e491fd #1acfdf #c4c4c4',
    '#9a9a9a #fec3c0 #8eee9d #fecc5c #b8d7ff #efc1fe #3feeff #f5f5f5',
  ),
  ember: makeTheme(
    'Ember',
    true,
    ['#1b1512', '#eadccd', '#f2a65a', '#5a4030', '#3b2c23'],
    '#3d332d #e4877e #69b980 #c2a147 #78a6ec #c68ccf #2cb8cb #ccc2bb',
    '#8a7f77 #faa8a0 #90d3a2 #dabe75 #9cc3fe #dface7 #6cd3e3 #f8f4f2',
  ),
  moss: makeTheme(
    'Moss',
    true,
    ['#101713', '#d6e2d6', '#8fd694', '#2f4f3b', '#22332a'],
    '#2d352f #e6908d #7cbd85 #c9a658 #7daeec #c796d6 #48beca #bec6c1',
    '#7e8780 #fcb1ad #a0d8a7 #e2c383 #a2cafe #e0b5ed #7cd8e3 #f3f6f4',
  ),
  dusk: makeTheme(
    'Dusk',
    true,
    ['#17142a', '#dfdaf2', '#c8a2ff', '#423a72', '#2e2950'],
    '#363647 #f28885 #6dc17b #d0a43a #70adfb #cd90e0 #04c1d0 #c2c2d4',
    '#85859a #fdb0ad #95db9f #e8c26f #a3cafd #e6b1f6 #61dce9 #f4f4fb',
  ),
  abyss: makeTheme(
    'Abyss',
    true,
    ['#061a2b', '#d2e3f0', '#5cc8ff', '#1f4a70', '#14324d'],
    '#2a3a46 #ed8b88 #73c07f #cda448 #75aef5 #ca92dc #26c0cf #b7c7d2',
    '#788b99 #ffafac #99daa2 #e6c278 #a2caff #e3b3f3 #6ddbe7 #f0f6fb',
  ),
  amber: makeTheme(
    'Amber tube',
    true,
    ['#140d02', '#ffc266', '#ffd48a', '#59400f', '#3a2a0b'],
    '#422f13 #e99169 #c3aa48 #cda448 #df9a53 #e5955d #d79f4c #d4c1a8',
    '#927c5f #fdb392 #dcc778 #e6c278 #f6ba7f #fbb687 #eebe7a #fbf4ea',
  ),
  linen: makeTheme(
    'Linen',
    false,
    ['#f7f1e4', '#382f25', '#9a4b12', '#e3d3ae', '#ebe1c9'],
    '#382f25 #a43a3d #09762f #7d5e07 #2063b0 #834596 #06717a #6a6257',
    '#736b60 #bb4347 #007e30 #89670b #206cc3 #964fab #0f7781 #4e463c',
  ),
  frost: makeTheme(
    'Frost',
    false,
    ['#eef4fa', '#1d2b3a', '#1c5fc4', '#bcd5ee', '#d5e3f1'],
    '#1d2b3a #a43a3d #0c7830 #7d5e07 #2063b0 #834596 #06717a #5a656e',
    '#646f79 #bb4347 #037f31 #8b6801 #226dc5 #964fab #037a84 #3f4952',
  ),
} as const satisfies Record<string, TerminalTheme>;

export type TerminalThemeName = keyof typeof TERMINAL_THEMES;

/** `match` follows the theme of the workspace. */
export type TerminalThemeChoice = TerminalThemeName | 'match';

export const TERMINAL_THEME_NAMES = Object.keys(TERMINAL_THEMES) as TerminalThemeName[];

const MATCHING = { dark: 'harbour', light: 'paper', contrast: 'beacon' } as const;

export function terminalTheme(choice: TerminalThemeChoice, theme: ThemeName): TerminalTheme {
  return TERMINAL_THEMES[choice === 'match' ? MATCHING[theme] : choice];
}
