/** Makes the Node servers behind the listeners: all lead into one application. */
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { wantsWebSocket } from './door.ts';

const UPGRADE = Symbol('upgrade');
const TCP_KEEP_ALIVE = 30_000;

/**
 * A request that counts as an upgrade only when it offers WebSocket. Node hands every other offer (h2c) to the upgrade event
 * too, where its body is lost; HTTP says to ignore what one does not know.
 */
class Request extends IncomingMessage {
  [UPGRADE]?: boolean;

  get upgrade(): boolean {
    return this[UPGRADE] === true && wantsWebSocket(this);
  }

  set upgrade(offered: boolean | null) {
    this[UPGRADE] = offered === true;
  }
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A certificate chain and its private key, as PEM. */
export interface TlsMaterial {
  cert: Buffer;
  key: Buffer;
}

export interface Tls {
  /** Of node:https, which is loaded only where TLS may be asked for. */
  createServer: typeof createTlsServer;
  material: TlsMaterial;
}

export function createHttpListener(onRequest: RequestListener, onUpgrade: UpgradeListener, tls?: Tls): Server {
  const options = {
    IncomingMessage: Request,
    ServerResponse,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE,
    keepAliveTimeout: DEADLINES.connectionIdle,
    headersTimeout: DEADLINES.requestHeaders,
    requestTimeout: DEADLINES.request,
  };
  const server =
    tls === undefined
      ? createServer(options, onRequest)
      : tls.createServer({ ...options, ...tls.material, handshakeTimeout: DEADLINES.requestHeaders }, onRequest);
  // Another user of the machine may open connections without end; they must not take our last descriptor.
  server.maxConnections = LIMITS.connections;
  server.on('upgrade', onUpgrade);
  return server;
}
