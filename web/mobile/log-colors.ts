/** Colours of log text, by the theme of the terminal. Programs choose them for a ground of their own, so each pair is made readable. */
import type { LogColor, LogSpan } from '../../src/contract/index.ts';
import { paletteColour, parseHex, type Rgb, readableOn, sixteenOf, toHex } from '../terminal/colours.ts';
import type { TerminalTheme } from '../terminal/palettes.ts';

export interface SpanColors {
  color: string | undefined;
  background: string | undefined;
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
    this.#sixteen = sixteenOf(colours, colours.foreground);
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
    return 'rgb' in color ? color.rgb : paletteColour(this.#sixteen, color.idx);
  }
}
