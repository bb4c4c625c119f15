/**
 * npm run bench [-- ROW ...] [--list] [--quick] [--rounds N]: builds what is stale, then measures the rows of the
 * design's table against their baselines. Ends with 1 when a must is missed or a baseline is not there.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, describeFailure } from './build.mjs';
import { bundleBench } from './lib/bench-bundle.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';

requireNodeVersion();
try {
  await build({ log: (line) => console.error(`… ${line}`) });
  const { main } = await import(pathToFileURL(join(await bundleBench(), 'main.mjs')).href);
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
