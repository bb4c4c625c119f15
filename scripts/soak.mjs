/**
 * npm run soak [-- --minutes N | --seconds N] [--kill-every SECONDS] [--json] [--out FOLDER]: builds what is stale, then
 * keeps 50 sessions under load while the server is killed with -9. Ends with 1 when a byte was lost, something was left
 * behind, or memory grew; with 130 when it was stopped.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, describeFailure } from './build.mjs';
import { bundleBench } from './lib/bench-bundle.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';

requireNodeVersion();
try {
  await build({ log: (line) => console.error(`… ${line}`) });
  const { main } = await import(pathToFileURL(join(await bundleBench(), 'soak.mjs')).href);
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
