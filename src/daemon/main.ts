/** Runs the server by itself, without the command line around it. */
import { runServer } from './run.ts';

process.exitCode = await runServer({ commandName: 'tuic' });
