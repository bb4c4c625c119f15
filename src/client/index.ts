export type {
  ByteStream,
  ByteStreamListener,
  ByteStreamOptions,
  PasteOutcome,
  StreamEnd,
  StreamSnapshot,
  StreamState,
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
export type { ConfigRoutes, DiagnosticRoutes, LogRoutes, SaveOptions } from './settings.ts';
export {
  type BrowserTransportOptions,
  createBrowserTransport,
  type RequestOptions,
  type SocketLike,
  type Tagged,
  type Transport,
} from './transport.ts';
