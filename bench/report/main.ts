/** The command `npm run bench:report`: plots and figures of docs/performance.md from the JSON of the last run. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_CACHE, PROJECT } from '../kit/machine.ts';
import { ROWS } from '../rows/index.ts';
import { figuresPage, type Picture, replaceFigures } from './page.ts';
import { plotLimits, plotRatios } from './plot-limits.ts';
import { plotTimes } from './plot-samples.ts';
import { readBenchFile } from './read.ts';

const PAGE = join(PROJECT, 'docs/performance.md');
const IMAGES = join(PROJECT, 'docs/images');
const PLOTS = [
  { name: 'ratios', draw: plotRatios, alternative: 'Ratios against baselines with their limits' },
  { name: 'limits', draw: plotLimits, alternative: 'Figures without a baseline as a share of their must' },
  { name: 'times', draw: plotTimes, alternative: 'Samples of all times' },
];

/** Resolves to the exit code. */
export async function main(args: string[]): Promise<number> {
  const [source = join(OWN_CACHE, 'results.json'), ...others] = args;
  if (others.length > 0 || source.startsWith('-')) {
    console.error('usage: npm run bench:report -- [results.json]');
    return 2;
  }
  let text: string;
  try {
    text = readFileSync(source, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    console.error(`there is no ${source}: npm run bench writes it`);
    return 1;
  }
  const file = readBenchFile(text);
  mkdirSync(IMAGES, { recursive: true });
  const pictures: Picture[] = [];
  for (const { name, draw, alternative } of PLOTS) {
    const picture = draw(file.rows);
    const path = join(IMAGES, `performance-${name}.svg`);
    if (picture === undefined) {
      // One of an earlier run would be taken for one of this.
      rmSync(path, { force: true });
      continue;
    }
    writeFileSync(path, picture);
    pictures.push({ path: `images/performance-${name}.svg`, alternative });
  }
  const figures = figuresPage(file, { known: ROWS.map((row) => row.id), pictures });
  writeFileSync(PAGE, replaceFigures(readFileSync(PAGE, 'utf8'), figures));
  console.log(`docs/performance.md: ${file.rows.length} rows, ${pictures.length} plots`);
  return 0;
}
