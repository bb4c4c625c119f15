/** Colours of terminals and of their logs: the palette of 256 over the sixteen of a theme, and pairs that can be read. */
import type { ITheme } from '@xterm/xterm';

export type Rgb = readonly [number, number, number];

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const BRIGHT = [
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const;
const CUBE = [0, 95, 135, 175, 215, 255];
const READABLE = 4.5;
const MIXES = 20;

export function parseHex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function toHex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance as WCAG has it. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: Rgb, other: Rgb): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}

/** `color`, moved towards black or white as far as it takes to be read on `ground`. */
export function readableOn(color: Rgb, ground: Rgb, ratio = READABLE): Rgb {
  if (contrast(color, ground) >= ratio) return color;
  const towards: Rgb = contrast([255, 255, 255], ground) > contrast([0, 0, 0], ground) ? [255, 255, 255] : [0, 0, 0];
  for (let step = 1; step < MIXES; step++) {
    const mixed = mix(color, towards, step / MIXES);
    if (contrast(mixed, ground) >= ratio) return mixed;
  }
  return towards;
}

/** The sixteen colours of a theme. */
export function sixteenOf(theme: ITheme, missing: string): Rgb[] {
  return [...NAMES, ...BRIGHT].map((name) => parseHex(theme[name] ?? missing));
}

/** Number `index` of the palette of 256. */
export function paletteColour(sixteen: readonly Rgb[], index: number): Rgb {
  const named = sixteen[index];
  if (named !== undefined) return named;
  if (index >= 232) {
    const grey = 8 + (Math.min(index, 255) - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = Math.max(0, index - 16);
  const level = (place: number) => CUBE[Math.floor(cube / place) % 6] ?? 0;
  return [level(36), level(6), level(1)];
}
