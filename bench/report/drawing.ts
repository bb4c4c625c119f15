/**
 * What all plots share: an SVG that follows the reader's light or dark scheme by itself, since a page shows it as an image
 * and cannot style it. It has its own ground, so that it stays readable where page and system differ.
 */

export const WIDTH = 960;
export const CHARACTER = 6.2;

const STYLE = `
  svg { --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --good: #1a7f37; --bad: #c4222d; --fair: #0969da; --holds: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --text: #f0f6fc; --quiet: #9198a1; --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --fair: #58a6ff; --holds: #3fb950; }
  }
  text { fill: var(--text); font: 12px system-ui, sans-serif; }
  .title { font-weight: 600; font-size: 14px; }
  .strong { font-weight: 600; }
  .quiet { fill: var(--quiet); }
  .good { fill: var(--good); } .bad { fill: var(--bad); } .fair { fill: var(--fair); }
  .line { stroke: var(--line); } .limit { stroke: var(--text); stroke-width: 2; }
  .holds { fill: var(--holds); opacity: 0.14; }
  .range { stroke: var(--quiet); stroke-width: 2; }
`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  // Control characters are not allowed in XML, whatever way they are written.
  return [...text].map((character) => (character < ' ' ? ' ' : (ENTITIES[character] ?? character))).join('');
}

/** Cut to what fits into `width`, by a width that no letter of the font exceeds on average. */
export function cut(text: string, width: number): string {
  const room = Math.floor(width / CHARACTER);
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

export function text(x: number, y: number, content: string, kind = '', anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(y)}" class="${kind}" text-anchor="${anchor}">${escapeText(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${kind}"/>`;
}

export function box(x: number, y: number, width: number, height: number, kind: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" class="${kind}"/>`;
}

export function dot(x: number, y: number, radius: number, kind: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" class="${kind}"/>`;
}

function round(value: number): number {
  if (!Number.isFinite(value)) throw new Error('a plot was to draw something that is no number');
  return Math.round(value * 10) / 10;
}

export function drawing(height: number, label: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${round(height)}" role="img" aria-label="${escapeText(label)}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${WIDTH}" height="${round(height)}" fill="var(--ground)"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

export interface Scale {
  place(value: number): number;
  readonly ticks: readonly number[];
}

const EACH = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Logarithmic; values beyond its ends are placed at the ends. `values` must hold one above 0. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) throw new Error('a logarithmic scale needs a value above 0');
  const least = Math.log10(Math.min(...positive) / 1.4);
  const most = Math.log10(Math.max(...positive) * 1.4);
  const place = (value: number) => {
    const share = value <= 0 ? 0 : (Math.log10(value) - least) / (most - least);
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  };
  // With few powers of ten there is room for numbers between them.
  const steps = most - least > 4 ? [1] : most - least > 2 ? [1, 3] : most - least > 0.8 ? [1, 2, 5] : EACH;
  const ticks: number[] = [];
  for (let power = Math.floor(least); power <= Math.ceil(most); power++) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(1));
      if (Math.log10(tick) >= least && Math.log10(tick) <= most) ticks.push(tick);
    }
  }
  return { place, ticks };
}
