export type {
  ByteStream,
  ByteStreamListener,
  ByteStreamOptions,
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
export {
  type BrowserTransportOptions,
  createBrowserTransport,
  type RequestOptions,
  type SocketLike,
  type Transport,
} from './transport.ts';
