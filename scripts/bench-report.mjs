/** npm run bench:report [-- results.json]: writes the figures of docs/performance.md and its plots from the JSON of a run. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeFailure } from './build.mjs';
import { bundleBench } from './lib/bench-bundle.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';

requireNodeVersion();
try {
  const { main } = await import(pathToFileURL(join(await bundleBench(), 'report.mjs')).href);
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
