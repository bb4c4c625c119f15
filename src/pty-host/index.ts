export { createHost, type HostOptions, type LocalHost } from './host.ts';
