/** Colours of log text, by the theme of the terminal. Programs choose them for a ground of their own, so each pair is made readable. */
import type { LogColor, LogSpan } from '../../src/contract/index.ts';
import type { TerminalTheme } from '../terminal/palettes.ts';

export type Rgb = readonly [number, number, number];

export interface SpanColors {
  color: string | undefined;
  background: string | undefined;
}

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

function toHex(color: Rgb): string {
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

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2)];
}

/** `color`, moved towards black or white as far as it takes to be read on `ground`. */
export function readableOn(color: Rgb, ground: Rgb): Rgb {
  if (contrast(color, ground) >= READABLE) return color;
  const towards: Rgb = contrast([255, 255, 255], ground) > contrast([0, 0, 0], ground) ? [255, 255, 255] : [0, 0, 0];
  for (let step = 1; step < MIXES; step++) {
    const mixed = mix(color, towards, step / MIXES);
    if (contrast(mixed, ground) >= READABLE) return mixed;
  }
  return towards;
}

/** Looks colours up for one theme; the same pair is computed once. */
export class LogColors {
  readonly #text: Rgb;
  readonly #ground: Rgb;
  readonly #sixteen: readonly Rgb[];
  readonly #known = new Map<string, SpanColors>();

  constructor({ colours }: TerminalTheme) {
    this.#text = parseHex(colours.foreground);
    this.#ground = parseHex(colours.background);
    this.#sixteen = [...NAMES, ...BRIGHT].map((name) => parseHex(colours[name] ?? colours.foreground));
  }

  of(span: Pick<LogSpan, 'fg' | 'bg'>): SpanColors {
    if (span.fg === undefined && span.bg === undefined) return { color: undefined, background: undefined };
    const key = JSON.stringify([span.fg, span.bg]);
    let colors = this.#known.get(key);
    if (colors === undefined) {
      const ground = span.bg === undefined ? undefined : this.#resolve(span.bg);
      const text = span.fg === undefined ? this.#text : this.#resolve(span.fg);
      colors = {
        color: toHex(readableOn(text, ground ?? this.#ground)),
        background: ground === undefined ? undefined : toHex(ground),
      };
      // Programs that draw gradients use any number of pairs.
      if (this.#known.size > 4_096) this.#known.clear();
      this.#known.set(key, colors);
    }
    return colors;
  }

  #resolve(color: LogColor): Rgb {
    if ('rgb' in color) return color.rgb;
    const { idx } = color;
    const named = this.#sixteen[idx];
    if (named !== undefined) return named;
    if (idx >= 232) {
      const grey = 8 + (Math.min(idx, 255) - 232) * 10;
      return [grey, grey, grey];
    }
    const cube = Math.max(0, idx - 16);
    const level = (place: number) => CUBE[Math.floor(cube / place) % 6] ?? 0;
    return [level(36), level(6), level(1)];
  }
}
