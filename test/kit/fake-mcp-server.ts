/**
 * A small server of /mcp on a Unix socket, with switches for what a real one can do to its client. It follows the transport
 * rules for sessions; what its tools answer is for the test to say.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ReceivedMessage {
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** The body's exact text. */
  text: string;
}

type Reply = (message: ReceivedMessage, response: ServerResponse) => void;

export class FakeMcpServer {
  readonly path: string;
  readonly received: ReceivedMessage[] = [];
  readonly streams = new Set<ServerResponse>();
  readonly sockets = new Set<Socket>();
  /** Replies of the test by method; `undefined` uses the standard one. */
  readonly replies = new Map<string, Reply>();
  /** No /mcp at all, as when it is switched off. */
  isRouted = true;
  #server: Server | undefined;
  #sessions = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  async start(): Promise<void> {
    const server = createServer((incoming, response) => void this.#take(incoming, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.path, resolve);
    });
    this.#server = server;
  }

  /** As a kill: every connection is cut, sessions are forgotten. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    this.#sessions = new Set();
    this.streams.clear();
  }

  messages(method: string): ReceivedMessage[] {
    return this.received.filter(({ body }) => body.method === method);
  }

  /** Sends one message on every notification stream. */
  push(message: object): void {
    for (const stream of this.streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (!this.isRouted || incoming.url !== '/mcp') {
      respond(response, 404, { error: 'Not found: /mcp' });
      return;
    }
    if (incoming.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': open\n\n');
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const message = { headers: incoming.headers, body: JSON.parse(text) as Record<string, unknown>, text };
    this.received.push(message);
    const method = String(message.body.method);
    const reply = this.replies.get(method);
    if (reply !== undefined) reply(message, response);
    else this.#answer(message, method, response);
  }

  #answer(message: ReceivedMessage, method: string, response: ServerResponse): void {
    const { id } = message.body;
    if (id === undefined || message.body.method === undefined) {
      response.writeHead(202, { 'content-length': '0' }).end();
      return;
    }
    if (method === 'initialize') {
      const presented = message.headers['mcp-session-id'];
      const session = typeof presented === 'string' && this.#sessions.has(presented) ? presented : randomUUID();
      this.#sessions.add(session);
      response.setHeader('mcp-session-id', session);
      respond(response, 200, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {} } });
      return;
    }
    respond(response, 200, { jsonrpc: '2.0', id, result: { method } });
  }
}

/** A whole JSON answer with its length. */
export function respond(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
