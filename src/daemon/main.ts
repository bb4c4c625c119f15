/** Door of the server's bundle, dist/daemon/main.js. Loading it starts nothing. */
export { replayCapture } from '../domain/capture/index.ts';
export { hashPassword } from '../platform/secrets/index.ts';
export { type RunOptions, runServer, type ServerReady } from './run.ts';
