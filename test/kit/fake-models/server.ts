/**
 * A model API on loopback that real agents talk to: no model, no network. The words of the person decide the answer (cues.ts).
 * The journal is the truth of a test: when a turn began, what was answered, when its last byte had gone.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Signal } from '../eventually.ts';
import { answerTo, type ModelAnswer, type ModelRequest } from './cues.ts';
import { type Dialect, dialectOf, type StreamPiece, type ToolCall } from './dialects.ts';

export interface ModelTurn {
  dialect: string;
  path: string;
  request: ModelRequest;
  answer: ModelAnswer;
  /** When the request had come, on `journalNow`. */
  beganAt: number;
  firstByteAt: number | undefined;
  /** When the last byte of the answer had been handed over; undefined while it streams. */
  endedAt: number | undefined;
  /** The agent hung up before the answer was whole. */
  wasCut: boolean;
}

/** Epoch milliseconds that never jump: the wall clock of the start of this process, counted on by its monotonic clock. */
export const journalNow = (): number => performance.timeOrigin + performance.now();

/** Control calls, for a test that runs in another process than the fake. */
const CONTROL = '/control/';

export class FakeModelServer {
  readonly journal: ModelTurn[] = [];
  /** Paths that were asked for and are no model's. */
  readonly others: string[] = [];
  /** Requests that could not be served; a test ends with none. */
  readonly failures: string[] = [];
  readonly changed = new Signal();
  #server: Server | undefined;
  #held = new Set<() => void>();
  #calls = 0;

  get url(): string {
    const address = this.#server?.address() as AddressInfo | null | undefined;
    if (!address) throw new Error('the fake model server does not run');
    return `http://127.0.0.1:${address.port}`;
  }

  async start(): Promise<void> {
    const server = createServer((incoming, response) => {
      // An exception here would end the fake, and the agents would retry for a minute.
      this.#take(incoming, response).catch((error: unknown) => {
        this.failures.push(String(error));
        response.destroy();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.release();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Number of answers that wait for their end. */
  get heldCount(): number {
    return this.#held.size;
  }

  /** Lets every held answer end. */
  release(): void {
    for (const proceed of [...this.#held]) proceed();
    this.#held.clear();
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const path = new URL(incoming.url ?? '/', 'http://loopback').pathname;
    if (path.startsWith(CONTROL)) {
      this.#control(path.slice(CONTROL.length), response);
      return;
    }
    const dialect = incoming.method === 'POST' ? dialectOf(path) : undefined;
    if (dialect === undefined) {
      this.#answerOther(path, response);
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    const request = dialect.read(body);
    const answer = answerTo(request);
    const turn: ModelTurn = {
      dialect: dialect.name,
      path,
      request,
      answer,
      beganAt: journalNow(),
      firstByteAt: undefined,
      endedAt: undefined,
      wasCut: false,
    };
    this.journal.push(turn);
    response.on('close', () => {
      turn.wasCut = !response.writableFinished;
    });
    this.changed.notify();
    const model = typeof body.model === 'string' ? body.model : 'test-model';
    // Heads and first bytes leave together in each of the three.
    turn.firstByteAt = journalNow();
    if (answer.kind === 'error') sendError(dialect, answer, response);
    else if (dialect.isStreamed(body, path)) await this.#stream(dialect, answer, model, response);
    else sendWhole(dialect, answer, model, this.#nextCall(), response);
    turn.endedAt = journalNow();
    this.changed.notify();
  }

  #control(name: string, response: ServerResponse): void {
    if (name !== 'release' && name !== 'journal') {
      send(response, 404, { error: `there is no control call ${name}` });
      return;
    }
    if (name === 'release') this.release();
    send(response, 200, { held: this.heldCount, journal: this.journal, failures: this.failures });
  }

  #answerOther(path: string, response: ServerResponse): void {
    this.others.push(path);
    const body = /count_tokens|countTokens/.test(path)
      ? { input_tokens: 12, totalTokens: 12 }
      : /\/models$/.test(path)
        ? { object: 'list', data: [{ id: 'test-model', object: 'model' }], models: [] }
        : {};
    send(response, 200, body);
  }

  #nextCall(): string {
    return `test${++this.#calls}`;
  }

  async #stream(
    dialect: Dialect,
    answer: Exclude<ModelAnswer, { kind: 'error' }>,
    model: string,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const write = (pieces: readonly StreamPiece[]) => {
      for (const { event, data } of pieces) {
        const line = data === '[DONE]' ? data : JSON.stringify(data);
        response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`);
      }
    };
    write(dialect.open(model));
    if (answer.kind === 'tool') {
      write(dialect.tool(toolCall(answer, this.#nextCall())));
      write(dialect.close('', true));
    } else {
      const words = answer.words.map((word, index) => (index === 0 ? word : ` ${word}`));
      for (const [index, word] of words.entries()) {
        if (answer.kind === 'held' && index === words.length - 1) await this.#hold(response);
        // The agent has hung up meanwhile; its close has been told already.
        if (response.closed) return;
        write(dialect.word(word, index));
      }
      write(dialect.close(words.join(''), false));
    }
    response.end();
    await once(response, 'close');
  }

  /** Until the test lets go, or the agent has gone. */
  #hold(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#held.delete(finish);
        response.off('close', finish);
        this.changed.notify();
        resolve();
      };
      this.#held.add(finish);
      response.on('close', finish);
      this.changed.notify();
    });
  }
}

function toolCall({ tool, namespace, args }: Extract<ModelAnswer, { kind: 'tool' }>, id: string): ToolCall {
  return { name: tool, ...(namespace === undefined ? {} : { namespace }), args, id };
}

function sendError(dialect: Dialect, answer: Extract<ModelAnswer, { kind: 'error' }>, response: ServerResponse): void {
  if (answer.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(answer.retryAfterSeconds));
  send(response, answer.status, dialect.error(answer.type, answer.message, answer.status));
}

function sendWhole(
  dialect: Dialect,
  answer: Exclude<ModelAnswer, { kind: 'error' }>,
  model: string,
  id: string,
  response: ServerResponse,
): void {
  const tool = answer.kind === 'tool' ? toolCall(answer, id) : undefined;
  const text = answer.kind === 'tool' ? '' : answer.words.join(' ');
  send(response, 200, dialect.whole(text, tool, model));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
