/** The client's Node side: reaches the server over its IPC socket, where the file's mode is the credential. */
import { readFile, stat } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { resolveConfigDirectory } from '../contract/index.ts';
import { type Client, createClient } from './client.ts';
import { ServerUnreachable } from './errors.ts';
import type { RequestOptions, Transport } from './transport.ts';

/**
 * Where the server of this config directory listens: its socket, or what the pointer file names (http.md 1.1).
 * Undefined when neither is there. That a path exists does not mean somebody answers.
 */
export async function findServerSocket(configDirectory: string): Promise<string | undefined> {
  const socket = join(configDirectory, 'mcp.sock');
  if (await exists(socket)) return socket;
  const pointed = await readPointer(join(configDirectory, 'mcp.sock.path'));
  return pointed !== undefined && (await exists(pointed)) ? pointed : undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function readPointer(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

export interface LocalServer {
  /** Default: as `tuic` finds it, by TUIC_CONFIG_DIR and TUIC_INSTANCE. */
  configDirectory?: string;
  clientId?: string;
}

/** A client of the server on this machine, over its socket. Rejects with ServerUnreachable when there is no socket. */
export async function connectToServer({ configDirectory, clientId }: LocalServer = {}): Promise<Client> {
  const { env, platform } = process;
  const directory = resolve(configDirectory ?? resolveConfigDirectory({ env, platform, home: homedir() }));
  const socket = await findServerSocket(directory);
  if (socket === undefined) throw new ServerUnreachable(new Error(`there is no socket of a server in ${directory}`));
  return createClient({ transport: createSocketTransport(socket), ...(clientId === undefined ? {} : { clientId }) });
}

/** A transport over a Unix socket or a named pipe. */
export function createSocketTransport(socketPath: string): Transport {
  return {
    fetch: (path, options) => fetchOverSocket(socketPath, path, options),
    openSocket: (path) =>
      new WebSocket(`ws://localhost${path}`, {
        createConnection: () => connect(socketPath),
        perMessageDeflate: false,
        handshakeTimeout: 10_000,
      }),
  };
}

function fetchOverSocket(socketPath: string, path: string, options: RequestOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    // The connection is ours to end: a server that ended it with its answer would meet the last, empty write of a large body,
    // whose failure throws the answer away.
    const headers: Record<string, string> = { ...options.headers, host: 'localhost', connection: 'keep-alive' };
    if (options.body !== undefined) headers['content-length'] = String(Buffer.byteLength(options.body));
    const outgoing: ClientRequest = httpRequest(
      {
        socketPath,
        path,
        method: options.method ?? 'GET',
        headers,
        agent: false,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (incoming) => resolve(toResponse(incoming)),
    );
    outgoing.on('error', reject);
    // After its answer a connection has no other listener: the server may go before it is closed, which matters to nobody then.
    outgoing.on('socket', (socket) => socket.on('error', () => undefined));
    outgoing.end(options.body);
  });
}

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  }
  const isBodyless = status === 204 || status === 205 || status === 304;
  if (isBodyless) incoming.resume();
  const body = isBodyless ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(body, { status, headers });
}
