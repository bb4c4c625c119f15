/** The run as a picture: memory, descriptors and the event loop over time, with a line at each kill. */
import type { Sample } from './model.ts';
import type { Outcome } from './run.ts';

interface Series {
  name: string;
  colour: string;
  value(sample: Sample): number;
}

const WIDTH = 860;
const LEFT = 60;
const RIGHT = 20;
const PANEL = 150;
const GAP = 46;

const PANELS: { title: string; series: Series[] }[] = [
  {
    title: 'Memory, MB',
    series: [
      { name: 'server', colour: '#2563eb', value: (sample) => sample.serverMb },
      { name: 'host', colour: '#c2410c', value: (sample) => sample.hostMb },
    ],
  },
  {
    title: 'Open descriptors',
    series: [
      { name: 'server', colour: '#2563eb', value: (sample) => sample.serverDescriptors },
      { name: 'host', colour: '#c2410c', value: (sample) => sample.hostDescriptors },
    ],
  },
  {
    title: 'Longest hold-up of the event loop in a second, ms',
    series: [{ name: 'server', colour: '#2563eb', value: (sample) => sample.loopOwn }],
  },
];

/** The next of 1, 2, 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export function plot({ shape, samples, kills }: Outcome): string {
  const height = 30 + PANELS.length * (PANEL + GAP);
  const across = (at: number) => LEFT + (Math.min(at, shape.seconds) / shape.seconds) * (WIDTH - LEFT - RIGHT);
  const parts: string[] = [];
  for (const [index, { title, series }] of PANELS.entries()) {
    const top = 30 + index * (PANEL + GAP);
    const most = roundUp(Math.max(1, ...samples.flatMap((sample) => series.map(({ value }) => value(sample)))));
    const down = (value: number) => top + PANEL - (value / most) * PANEL;
    parts.push(`<text x="${LEFT}" y="${top - 8}" font-weight="600">${title}</text>`);
    for (const value of [0, most / 2, most]) {
      parts.push(
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(value)}" y2="${down(value)}" stroke="#d4d4d4"/>`,
        `<text x="${LEFT - 6}" y="${down(value) + 4}" text-anchor="end">${value}</text>`,
      );
    }
    for (const { at } of kills) {
      const x = across(at).toFixed(1);
      parts.push(`<line x1="${x}" x2="${x}" y1="${top}" y2="${top + PANEL}" stroke="#dc2626" stroke-dasharray="3 3"/>`);
    }
    for (const [place, { name, colour, value }] of series.entries()) {
      // A line ends with each server: what lies between two is no measurement.
      for (const life of new Set(samples.map((sample) => sample.life))) {
        const points = samples
          .filter((sample) => sample.life === life)
          .map((sample) => `${across(sample.at).toFixed(1)},${down(value(sample)).toFixed(1)}`);
        parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`);
      }
      const x = WIDTH - RIGHT - 70 * (series.length - place);
      parts.push(`<text x="${x}" y="${top - 8}" fill="${colour}">${name}</text>`);
    }
    const minutes = shape.seconds / 60;
    parts.push(
      `<text x="${LEFT}" y="${top + PANEL + 16}">0</text>`,
      `<text x="${WIDTH - RIGHT}" y="${top + PANEL + 16}" text-anchor="end">${minutes.toFixed(1)} min; red: kill -9</text>`,
    );
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
