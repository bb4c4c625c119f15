/** The remote listener of a server under test: switched on through its configuration, reached with name and password. */
import { createServer, type Server } from 'node:net';
import { hash } from '@node-rs/bcrypt';
import type { ListenersReport } from '../../src/contract/index.ts';
import type { Cleanup } from './cleanup.ts';
import { ApiClient } from './http.ts';
import { findFreePort, type ServerUnderTest } from './server.ts';

export const LOGIN = { username: 'owner', password: 'correct horse battery' };

export function basic(password = LOGIN.password, username = LOGIN.username): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The lowest cost there is: tests log in often. */
export function cheapHash(password: string): Promise<string> {
  return hash(password, 4);
}

export async function listenersOf(server: ServerUnderTest): Promise<ListenersReport> {
  return (await server.ipc.ok('GET', '/diagnostics/listeners')) as ListenersReport;
}

/** Changes the settings and returns what came of it. */
export async function changeSettings(server: ServerUnderTest, settings: object): Promise<ListenersReport> {
  await server.ipc.ok('PUT', '/config', settings);
  return listenersOf(server);
}

/** Switches the remote listener on; returns its port. */
export async function openRemote(server: ServerUnderTest, services: object = {}): Promise<number> {
  const password_hash = await cheapHash(LOGIN.password);
  const auth = { username: LOGIN.username, password_hash, auth_rate_limit_max: 0 };
  const { remote } = await changeSettings(server, {
    services: { server: { enabled: true, port: await findFreePort() }, auth, ...services },
  });
  if (remote.state !== 'listening') throw new Error(`the remote listener: ${JSON.stringify(remote)}`);
  return remote.port;
}

/** Over the remote listener, without a credential. */
export function remoteClient(port: number, headers: Record<string, string> = {}): ApiClient {
  return new ApiClient({ port }, headers);
}

/** Takes a port on all addresses. */
export async function occupy(cleanup: Cleanup, port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '0.0.0.0', resolve);
  });
  cleanup.defer(() => new Promise((resolve) => server.close(resolve)));
  return server;
}
