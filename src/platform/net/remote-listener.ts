/** Binds the remote TCP listener: all addresses of the machine, the wanted port or one of its next two. */
import type { Server } from 'node:net';
import { AppError } from '../../contract/index.ts';
import { systemCode } from './errors.ts';
import type { NetLog } from './ipc-listener.ts';
import { listen } from './listen.ts';

const PORT_ATTEMPTS = 3;
const HIGHEST_PORT = 65_535;

export interface RemoteListenerOptions {
  port: number;
  /** `[::]`, which takes IPv4 as well, instead of `0.0.0.0`. */
  ipv6: boolean;
  createServer: () => Server;
  log: NetLog;
}

export interface RemoteListener {
  readonly port: number;
  readonly address: string;
  /** Stops accepting. Open connections are their owner's to end. */
  close(): void;
}

export async function listenRemote(options: RemoteListenerOptions): Promise<RemoteListener> {
  const address = options.ipv6 ? '::' : '0.0.0.0';
  const tried: number[] = [];
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = options.port + attempt;
    if (port > HIGHEST_PORT) break;
    const server = options.createServer();
    try {
      await listen(server, { host: address, port, exclusive: true });
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      tried.push(port);
      continue;
    }
    if (attempt > 0) options.log.warn({ wanted: options.port, port }, 'remote TCP took another port');
    server.on('error', (error) => options.log.error({ err: error }, 'the remote listener reports an error'));
    return {
      port,
      address,
      close() {
        if (server.listening) server.close();
      },
    };
  }
  throw new AppError('remote_ports_taken', { ports: tried.join(', ') });
}
