/** How a page reaches its server. */
import { openEventSocket } from './event-socket.ts';
import type { RequestOptions, SocketLike, Transport } from './transport.ts';

export interface BrowserTransportOptions {
  /** Origin of the server, without a slash at the end; empty for the page's own. */
  origin: string;
  fetch: typeof fetch;
  WebSocket: new (url: string) => SocketLike;
  /** Origin for sockets, `ws://...`. */
  socketOrigin: string;
}

const EVENTS = /^\/events(\?|$)/;

/** Same-origin transport of a page: the cookie is the credential. Events come over a WebSocket (event-socket.ts). */
export function createBrowserTransport(options: BrowserTransportOptions): Transport {
  const ask = (path: string, init: RequestOptions) =>
    options.fetch(options.origin + path, { credentials: 'same-origin', cache: 'no-store', ...init });
  const openSocket = (path: string) => new options.WebSocket(options.socketOrigin + path);

  return {
    fetch: (path, init) =>
      EVENTS.test(path)
        ? openEventSocket({
            openSocket,
            path,
            lastEventId: init.headers?.['last-event-id'],
            signal: init.signal,
            probe: () => ask('/ui/clients', init.signal === undefined ? {} : { signal: init.signal }),
          })
        : ask(path, init),
    openSocket,
  };
}
