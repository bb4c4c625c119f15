/**
 * The host's socket: who may connect, and which connection is the server's.
 *
 * Promises: nobody is served without the token; one server at a time, the newest wins and the older one is told; observers
 * stand beside it. The socket exists only for its owner from its first instant (umask while it is bound).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, Emitter } from '../../base/index.ts';
import {
  DEADLINES,
  FRAME,
  type HelloMessage,
  type HostFailure,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type WelcomeMessage,
} from '../../contract/index.ts';
import type { LocalHost } from '../host.ts';
import { Connection, type ConnectionOwner } from './connection.ts';

export interface HostServerOptions {
  host: LocalHost;
  /** Shown by status. */
  directory: string;
  socket: string;
  token: string;
  clock: Clock;
  log: (message: string) => void;
}

export class HostServer implements ConnectionOwner {
  readonly host: LocalHost;
  readonly clock: Clock;
  readonly #options: HostServerOptions;
  readonly #startedAt: number;
  readonly #connections = new Set<Connection>();
  readonly #serverChanged = new Emitter<void>();
  #listener: Server | undefined;
  #server: Connection | undefined;
  #inode: number | undefined;

  constructor(options: HostServerOptions) {
    this.host = options.host;
    this.clock = options.clock;
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  get hasServer(): boolean {
    return this.#server !== undefined;
  }

  /** A server connected or left. */
  onServerChanged(listener: () => void): void {
    this.#serverChanged.on(listener);
  }

  /**
   * Listens, or listens again after the socket's file was removed under it (a cleaner of temporary files); connections
   * live on. The caller holds the lock: what lies at the path is dead. Resolves to true when it had to do something.
   */
  async listen(): Promise<boolean> {
    const path = this.#options.socket;
    if (this.#listener !== undefined) {
      if (inodeOf(path) === this.#inode) return false;
      // First: closing removes whatever lies at the path.
      this.#listener.close();
    }
    rmSync(path, { force: true });
    const listener = createServer((socket) => this.#accept(socket));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      // The path is bound within listen(): no program is forked under this mask.
      const mask = process.umask(0o177);
      try {
        listener.listen(path, () => {
          listener.off('error', reject);
          resolve();
        });
      } finally {
        process.umask(mask);
      }
    });
    listener.on('error', (error) => this.log(`socket: ${error.message}`));
    this.#inode = inodeOf(path);
    return true;
  }

  /** Ends all connections; resolves when the socket is gone. */
  async close(): Promise<void> {
    const listener = this.#listener;
    const closed = new Promise<void>((resolve) => {
      if (listener === undefined) resolve();
      else listener.close(() => resolve());
    });
    for (const connection of [...this.#connections]) {
      if (connection.isAuthenticated) connection.end({ reason: 'shutdown' });
      else connection.destroy();
    }
    await closed;
  }

  log(message: string): void {
    this.#options.log(message);
  }

  async status() {
    return {
      ...this.host.hello,
      configDirectory: this.#options.directory,
      startedAt: this.#startedAt,
      sessions: await this.host.list(),
    };
  }

  welcome(hello: HelloMessage, connection: Connection): { protocol: number } | undefined {
    const protocol = Math.min(PROTOCOL_MAX, hello.protoMax);
    const failure = this.#refuse(hello, protocol);
    const message: WelcomeMessage = {
      ...this.host.hello,
      ...(failure === undefined ? { protocol } : { error: failure }),
    };
    connection.sendJson(FRAME.welcome, message);
    if (failure !== undefined) {
      this.log(`refused process ${hello.pid}: ${failure.code}`);
      return undefined;
    }
    if (hello.role === 'server') {
      const older = this.#server;
      this.#server = connection;
      older?.end({ reason: 'replaced' });
      this.log(`server ${hello.build} (process ${hello.pid}) connected`);
      this.host.serverConnected();
      this.#serverChanged.emit();
    }
    return { protocol };
  }

  #refuse(hello: HelloMessage, protocol: number): HostFailure | undefined {
    if (!isSameSecret(hello.token, this.#options.token)) {
      return { code: 'forbidden', data: { reason: 'the token is not that of this terminal host' } };
    }
    if (protocol >= PROTOCOL_MIN && protocol >= hello.protoMin) return undefined;
    const detail =
      `the running host speaks protocol ${PROTOCOL_MIN} to ${PROTOCOL_MAX}, this program ${hello.protoMin} to ` +
      `${hello.protoMax}. End its sessions, then run "tuic host stop" and start the server again`;
    return { code: 'host_unavailable', data: { detail } };
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, this);
    this.#connections.add(connection);
    const patience = this.clock.after(DEADLINES.hostConnect, () => {
      if (!connection.isAuthenticated) connection.destroy();
    });
    socket.once('close', () => {
      patience.dispose();
      this.#connections.delete(connection);
      if (this.#server !== connection) return;
      this.#server = undefined;
      this.log('server disconnected');
      this.#serverChanged.emit();
    });
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** In constant time, whatever the lengths. */
function isSameSecret(given: string, wanted: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}
