/** HTTP clients of the tests: an ordinary one over the IPC socket or TCP, and one that sends exactly the bytes it is told. */
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type {
  CreatedSession,
  CreateSession,
  LogOutput,
  RawOutput,
  SessionInfo,
  TextOutput,
} from '../../src/contract/index.ts';

export type Target = { socketPath: string } | { port: number; host?: string };

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  readonly text: string;
  json(): unknown;
}

export interface RequestOptions {
  body?: unknown;
  /** Sent as it is, in place of JSON. */
  rawBody?: string | Uint8Array;
  headers?: OutgoingHttpHeaders;
}

function makeAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): Answer {
  return {
    status,
    headers,
    body,
    get text() {
      return body.toString('utf8');
    },
    json() {
      return JSON.parse(body.toString('utf8')) as unknown;
    },
  };
}

/** Speaks the REST API. Each request has its own connection, so a restart of the server never meets a stale socket. */
export class ApiClient {
  readonly target: Target;
  readonly headers: OutgoingHttpHeaders;

  constructor(target: Target, headers: OutgoingHttpHeaders = {}) {
    this.target = target;
    this.headers = headers;
  }

  with(headers: OutgoingHttpHeaders): ApiClient {
    return new ApiClient(this.target, { ...this.headers, ...headers });
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const payload = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
      // Ended by this side: see fetchOverSocket of the client.
      const headers: OutgoingHttpHeaders = { connection: 'keep-alive', ...this.headers, ...options.headers };
      if (payload !== undefined) {
        headers['content-type'] ??= 'application/json';
        headers['content-length'] ??= Buffer.byteLength(payload);
      }
      const to =
        'socketPath' in this.target
          ? { socketPath: this.target.socketPath }
          : { host: this.target.host ?? '127.0.0.1', port: this.target.port };
      const request = httpRequest({ ...to, method, path, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve(makeAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(parts))));
      });
      request.on('error', (error) => {
        error.message = `${method} ${path}: ${error.message}`;
        reject(error);
      });
      request.on('socket', (socket) => socket.on('error', () => undefined));
      request.end(payload);
    });
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options);
  }

  post(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('POST', path, body === undefined ? options : { ...options, body });
  }

  /** Sends and demands the status; the body is parsed JSON. */
  async ok(method: string, path: string, body?: unknown, status = 200): Promise<unknown> {
    const answer = await this.request(method, path, body === undefined ? {} : { body });
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.body.length === 0 ? undefined : answer.json();
  }

  async createSession(input: CreateSession): Promise<CreatedSession> {
    return (await this.ok('POST', '/sessions', input, 201)) as CreatedSession;
  }

  async listSessions(all = false): Promise<SessionInfo[]> {
    return (await this.ok('GET', all ? '/sessions?lifecycle=all' : '/sessions')) as SessionInfo[];
  }

  async write(id: string, data: string): Promise<void> {
    await this.ok('POST', `/sessions/${id}/write`, { data });
  }

  async rawOutput(id: string, limit?: number): Promise<RawOutput> {
    return (await this.ok('GET', `/sessions/${id}/output${limit === undefined ? '' : `?limit=${limit}`}`)) as RawOutput;
  }

  async textOutput(id: string): Promise<TextOutput> {
    return (await this.ok('GET', `/sessions/${id}/output?format=text`)) as TextOutput;
  }

  async logOutput(id: string, query: { offset?: number; limit?: number } = {}): Promise<LogOutput> {
    const extra = Object.entries(query).map(([name, value]) => `&${name}=${value}`);
    return (await this.ok('GET', `/sessions/${id}/output?format=log${extra.join('')}`)) as LogOutput;
  }

  async remove(id: string): Promise<void> {
    await this.ok('DELETE', `/sessions/${id}`);
  }
}

/** The whole log as plain text lines, read page by page from line 0 on, followed by what is on the screen. */
export async function readWholeLog(
  api: ApiClient,
  id: string,
): Promise<{ lines: string[]; screen: string[]; total: number }> {
  const lines: string[] = [];
  for (;;) {
    const page = await api.logOutput(id, { offset: lines.length, limit: 2_000 });
    if (page.offset !== lines.length && page.lines.length > 0) throw new Error(`log starts at ${page.offset}`);
    for (const line of page.lines) lines.push(line.spans.map((span) => span.text).join(''));
    if (page.lines.length > 0) continue;
    const screen = page.screen.map((line) => line.spans.map((span) => span.text).join(''));
    return { lines, screen, total: page.total_lines };
  }
}

export function openSocket(target: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket =
      'socketPath' in target ? connect(target.socketPath) : connect(target.port, target.host ?? '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
  all: string;
}

/**
 * Sends these bytes and reads until the other side closes, or, for an answer that stays open (101, event streams), until
 * its head is complete. Lines end in CR LF; say `Connection: close` where a body is wanted.
 */
export async function rawRequest(target: Target, text: string): Promise<RawAnswer> {
  const socket = await openSocket(target);
  try {
    return await new Promise<RawAnswer>((resolve, reject) => {
      let all = '';
      const finish = () => {
        const at = all.indexOf('\r\n\r\n');
        const head = at < 0 ? all : all.slice(0, at);
        resolve({ status: Number(head.split(' ')[1] ?? 0), head, body: at < 0 ? '' : all.slice(at + 4), all });
      };
      socket.on('data', (part: Buffer) => {
        all += part.toString('latin1');
        if (/^HTTP\/1\.1 101 /.test(all) || /^content-type: text\/event-stream/im.test(all)) {
          if (all.includes('\r\n\r\n')) finish();
        }
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // A refusal may reset the connection while we still send; what came before it is the answer.
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish();
        else reject(error);
      });
      socket.on('close', finish);
      socket.write(text, 'latin1');
    });
  } finally {
    socket.destroy();
  }
}

/** Builds a raw request out of its lines. */
export function rawLines(requestLine: string, headers: readonly string[], body = ''): string {
  return `${[requestLine, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
