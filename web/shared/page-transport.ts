import { createBrowserTransport, type Transport } from '../../src/client/index.ts';

/** The way from one of our own pages to the server that sent it. */
export function createPageTransport(): Transport {
  return createBrowserTransport({
    origin: '',
    socketOrigin: window.location.origin.replace(/^http/, 'ws'),
    fetch: window.fetch.bind(window),
    WebSocket: window.WebSocket,
  });
}
