/**
 * One HTTP exchange with the server's /mcp over its own connection, so that nothing is left open (BRG-5).
 *
 * A JSON answer is read by its declared length and must be whole; an event stream is read message by message, in order.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { EventParser } from '../base/index.ts';

/** The connection was made, but no whole answer came. The server may have seen the request. */
export class ExchangeFailed extends Error {
  override name = 'ExchangeFailed';
}

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** Called when the answer's headers are there. */
  onOpen?(status: number): void;
  /** One message of an event stream; reading pauses until it resolves. True ends the exchange. */
  onMessage(text: string): Promise<boolean>;
}

export interface ExchangeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The whole body of an answer that was no event stream. */
  body: string;
}

export function exchange(socket: Socket, outline: ExchangeRequest): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    // The socket is ours to end, below: a server that ended it with its answer would meet the last, empty write of a large body,
    // whose failure throws away the answer to a call that was done.
    const headers: Record<string, string> = { host: 'localhost', connection: 'keep-alive', ...outline.headers };
    if (outline.body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(outline.body));
    }
    const outgoing = httpRequest(
      {
        createConnection: () => socket,
        path: '/mcp',
        method: outline.method,
        headers,
        signal: outline.signal,
      },
      (incoming) => {
        outline.onOpen?.(incoming.statusCode ?? 0);
        readAnswer(incoming, outline)
          .then(resolve, reject)
          .finally(() => socket.destroy());
      },
    );
    // After its answer the socket has no other listener: the server may go before it is closed, which matters to nobody then.
    socket.on('error', () => undefined);
    outgoing.on('error', (error) => {
      socket.destroy();
      reject(outline.signal.aborted ? outline.signal.reason : new ExchangeFailed(error.message, { cause: error }));
    });
    outgoing.end(outline.body);
  });
}

async function readAnswer(incoming: IncomingMessage, outline: ExchangeRequest): Promise<ExchangeAnswer> {
  const answer = { status: incoming.statusCode ?? 0, headers: incoming.headers };
  try {
    if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
      await readEvents(incoming, outline);
      return { ...answer, body: '' };
    }
    return { ...answer, body: await readBody(incoming) };
  } catch (error) {
    if (outline.signal.aborted) throw outline.signal.reason;
    if (error instanceof ExchangeFailed) throw error;
    throw new ExchangeFailed(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const declared = incoming.headers['content-length'];
  if (declared === undefined) throw new ExchangeFailed('the answer declares no length');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (body.length !== Number(declared))
    throw new ExchangeFailed(`the answer has ${body.length} of ${declared} declared bytes`);
  return body.toString('utf8');
}

async function readEvents(incoming: IncomingMessage, outline: ExchangeRequest): Promise<void> {
  const messages: string[] = [];
  const parser = new EventParser(({ event, data }) => {
    if (event === 'message') messages.push(data);
  });
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) {
    parser.push(chunk as string);
    for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
      if (await outline.onMessage(message)) return;
    }
  }
}
