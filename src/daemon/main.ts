/** Door of the server's bundle, dist/daemon/main.js. Loading it starts nothing. */
export { type RunOptions, runServer, type ServerReady } from './run.ts';
