export type { CloseCause } from './channel.ts';
export { type ConnectOptions, connectPtyHost, type HostConnection } from './connection.ts';
export { type LaunchOptions, launchHost, readStartTime } from './launch.ts';
export { NoHostError } from './locate.ts';
