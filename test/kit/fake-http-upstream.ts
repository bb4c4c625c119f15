/** A fake MCP server over Streamable HTTP, with switches for what a real one can do to its client. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type FakeSwitches, FakeUpstream, toLine } from './fake-upstream.mjs';

type Message = Record<string, unknown>;

export interface HttpSwitches extends FakeSwitches {
  /** Answers requests by a stream of events. */
  streams?: boolean;
  /** What a session that is not known gets: a status, or an empty success. */
  unknownSession?: 404 | 400 | 'empty';
  /** It has no stream for notices. */
  noNotices?: boolean;
  /** Speaks the transport before Streamable HTTP; `elsewhere`: and wants its answers at another origin. */
  old?: 'here' | 'elsewhere';
  /** Needs this bearer token. */
  token?: string;
  /** What a refused caller is told. */
  challenge?: string;
}

export class FakeHttpUpstream extends FakeUpstream {
  declare switches: HttpSwitches;
  readonly sessions = new Set<string>();
  readonly requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  /** What was posted, as it came. */
  readonly bodies: string[] = [];
  readonly notices = new Set<ServerResponse>();
  /** Sends its answer to a call and cuts the connection before it is out. */
  cutsNextCall = false;
  #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(switches: HttpSwitches = {}) {
    super(switches);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** On the port it had before. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As a kill: connections are cut, sessions forgotten. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.sessions.clear();
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** On every stream of notices. */
  push(message: Message): void {
    for (const response of this.notices) response.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? '';
    this.requests.push({ method, headers: request.headers });
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { token, challenge, unknownSession = 404 } = this.switches;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge }).end();
      return;
    }
    const session = request.headers['mcp-session-id'];
    const body = Buffer.concat(pieces).toString('utf8');
    if (method === 'POST') this.bodies.push(body);
    if (this.switches.old !== undefined) {
      await this.#takeOld(method, request.url ?? '', body, response);
      return;
    }
    const message = method === 'POST' ? (JSON.parse(body) as Message) : {};
    const isModern = request.headers['mcp-method'] !== undefined;
    if (message.method !== 'initialize' && !isModern && !this.sessions.has(String(session))) {
      if (unknownSession === 'empty') response.writeHead(200, { 'content-type': 'application/json' }).end();
      else response.writeHead(unknownSession, { 'content-type': 'text/plain' }).end('no such session');
      return;
    }
    if (method === 'DELETE') {
      this.sessions.delete(String(session));
      response.writeHead(200).end();
    } else if (method === 'GET') this.#openNotices(response);
    else await this.#answer(message, response);
  }

  async #takeOld(method: string, url: string, body: string, response: ServerResponse): Promise<void> {
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const base = this.switches.old === 'elsewhere' ? 'http://elsewhere.example' : '';
      response.write(`event: endpoint\ndata: ${base}/messages?session=1\n\n`);
      this.notices.add(response);
      response.on('close', () => this.notices.delete(response));
      return;
    }
    if (url !== '/messages?session=1') {
      response.writeHead(404).end('Cannot POST');
      return;
    }
    response.writeHead(202).end('Accepted');
    const answer = await this.answer(JSON.parse(body) as Message, (message) => this.push(message));
    if (answer !== undefined) this.push(answer);
  }

  #openNotices(response: ServerResponse): void {
    if (this.switches.noNotices === true) {
      response.writeHead(405).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    this.notices.add(response);
    response.on('close', () => this.notices.delete(response));
  }

  async #answer(message: Message, response: ServerResponse): Promise<void> {
    const isStream = this.switches.streams === true && message.id !== undefined;
    const events: string[] = [];
    const send = (sent: Message) => {
      // Data may be cut into lines.
      const event = `event: message\n${JSON.stringify(sent, null, 1)
        .split('\n')
        .map((line) => `data: ${line}`)
        .join('\n')}\n\n`;
      if (isStream) events.push(event);
      else this.push(sent);
    };
    const answer = await this.answer(message, send);
    if (message.method === 'tools/call' && this.cutsNextCall) {
      this.cutsNextCall = false;
      response.destroy();
      return;
    }
    if (answer === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === 'initialize' && this.switches.modernOnly !== true) {
      const session = randomUUID();
      this.sessions.add(session);
      response.setHeader('mcp-session-id', session);
    }
    if (isStream) {
      send(answer);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
    } else response.writeHead(200, { 'content-type': 'application/json' }).end(toLine(answer));
  }
}
