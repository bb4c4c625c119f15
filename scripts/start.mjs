/**
 * npm start: brings node_modules and dist up to date, then runs the server in the foreground until Ctrl-C. The server
 * takes over this process, so signals, the exit code and the terminal are its own.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, describeFailure, projectRoot } from './build.mjs';
import { requireNodeVersion } from './lib/node-version.mjs';

requireNodeVersion();
try {
  await build({ log: (line) => console.error(`… ${line}`) });
} catch (error) {
  console.error(describeFailure(error));
  process.exit(1);
}
process.argv.splice(1, 1, join(projectRoot, 'dist/cli/main.js'), 'start', '--open');
await import(pathToFileURL(process.argv[1]).href);
