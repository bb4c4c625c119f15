/**
 * Owns the local TCP listener: 127.0.0.1 and ::1 on one port, so that "localhost" reaches us whichever the client tries first.
 * A machine without ::1 is no error; a port that somebody else holds on either address is taken.
 */
import type { Server } from 'node:net';
import { AppError } from '../../contract/index.ts';
import { systemCode } from './errors.ts';
import type { NetLog } from './ipc-listener.ts';
import { listen } from './listen.ts';

const PORT_ATTEMPTS = 3;
const HIGHEST_PORT = 65_535;
const TAKEN = new Set(['EADDRINUSE', 'EACCES']);
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT', 'EINVAL']);

export interface LocalListenerOptions {
  /** First port to try, then its next two. 0 lets the system choose. */
  port: number;
  /** A fresh server for each address. */
  createServer: () => Server;
  log: NetLog;
}

export interface LocalListener {
  readonly port: number;
  readonly addresses: readonly string[];
  /** Stops accepting. Open connections are their owner's to end. */
  close(): void;
}

async function tryListen(
  options: LocalListenerOptions,
  host: string,
  port: number,
  harmless: ReadonlySet<string>,
): Promise<Server | undefined> {
  const server = options.createServer();
  try {
    await listen(server, { host, port, exclusive: true });
    return server;
  } catch (error) {
    if (harmless.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address.port;
}

async function listenBoth(options: LocalListenerOptions, port: number): Promise<LocalListener | undefined> {
  const first = await tryListen(options, '127.0.0.1', port, TAKEN);
  if (first === undefined) return undefined;
  const bound = portOf(first);
  const servers = [first];
  const addresses = ['127.0.0.1'];
  try {
    const second = await tryListen(options, '::1', bound, NO_IPV6);
    if (second !== undefined) {
      servers.push(second);
      addresses.push('::1');
    }
  } catch (error) {
    first.close();
    if (TAKEN.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  for (const server of servers) {
    server.on('error', (error) => options.log.error({ err: error }, 'the local listener reports an error'));
  }
  return {
    port: bound,
    addresses,
    close() {
      for (const server of servers) if (server.listening) server.close();
    },
  };
}

export async function listenLocal(options: LocalListenerOptions): Promise<LocalListener> {
  const tried: number[] = [];
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = options.port === 0 ? 0 : options.port + attempt;
    if (port > HIGHEST_PORT) break;
    const listener = await listenBoth(options, port);
    if (listener !== undefined) {
      if (attempt > 0) options.log.warn({ wanted: options.port, port: listener.port }, 'local TCP took another port');
      return listener;
    }
    tried.push(port);
  }
  throw new AppError('ports_taken', { ports: tried.join(', ') });
}
