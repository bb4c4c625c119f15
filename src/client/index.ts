export type { AgentRoutes } from './agents.ts';
export { type BrowserTransportOptions, createBrowserTransport } from './browser-transport.ts';
export type {
  ByteStream,
  ByteStreamListener,
  ByteStreamOptions,
  PasteOutcome,
  StreamSnapshot,
} from './byte-stream.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type SessionRoutes,
  type Window,
} from './client.ts';
export { ConnectionSilent, RequestRefused, ServerUnreachable } from './errors.ts';
export type { EventStream, EventStreamListener, EventStreamOptions } from './event-stream.ts';
export type { FolderRoutes } from './folders.ts';
export type { LogStream, LogStreamListener, LogStreamOptions } from './log-stream.ts';
export type { ProgressRoutes } from './progress.ts';
export type { RepositoryRoutes } from './repositories.ts';
export type { StreamEnd, StreamState } from './resuming-socket.ts';
export type { ConfigRoutes, DiagnosticRoutes, LogRoutes, SaveOptions } from './settings.ts';
export type { RequestOptions, SocketLike, Tagged, Transport } from './transport.ts';
export type { UpstreamRoutes } from './upstreams.ts';
export type { WindowRoutes } from './windows.ts';
