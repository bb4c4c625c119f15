export type { CloseCause } from './channel.ts';
export { type ConnectOptions, connectPtyHost, type HostConnection } from './connection.ts';
export { NoHostError } from './locate.ts';
export { type HostObserver, observePtyHost } from './observer.ts';
