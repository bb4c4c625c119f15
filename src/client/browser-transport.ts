/** How a page reaches its server. */
import { openEventSocket } from './event-socket.ts';
import type { RequestOptions, SocketLike, Transport } from './transport.ts';

export interface BrowserTransportOptions {
  /** Origin of the server, without a slash at the end; empty for the page's own. */
  origin: string;
  fetch: typeof fetch;
  WebSocket: new (url: string) => BrowserSocket;
  /** Origin for sockets, `ws://...`. */
  socketOrigin: string;
}

type BrowserSocket = SocketLike & { readonly readyState: number };

const CONNECTING = 0;
const EVENTS = /^\/events(\?|$)/;

/** Same-origin transport of a page: the cookie is the credential. Events come over a WebSocket (event-socket.ts). */
export function createBrowserTransport(options: BrowserTransportOptions): Transport {
  const ask = (path: string, init: RequestOptions) =>
    options.fetch(options.origin + path, { credentials: 'same-origin', cache: 'no-store', ...init });
  const openSocket = (path: string) => quietlyClosed(new options.WebSocket(options.socketOrigin + path));

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

/** A browser warns in its console of a socket that is closed while it connects; this one is closed once it stands. */
function quietlyClosed(socket: BrowserSocket): SocketLike {
  const close = socket.close.bind(socket);
  socket.close = (code) => {
    if (socket.readyState === CONNECTING) socket.onopen = () => close(code);
    else close(code);
  };
  return socket;
}
