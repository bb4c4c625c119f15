/**
 * Requests and their answers over one link: our own ids, one timer each, cancellation by that id, progress by it as a token. Owns the
 * requests that wait; each is settled exactly once, by its answer, its failure, its timer, its signal or the end of the link.
 */
import { type Clock, isJsonObject, type JsonObject } from '../../base/index.ts';
import { LinkFailure, RemoteError, type RequestOptions } from './model.ts';

const METHOD_NOT_FOUND = -32_601;

export interface RpcOptions {
  clock: Clock;
  /** Sends one message. The signal ends what a single request holds open; a rejection fails the request with that id. */
  send: (message: JsonObject, request?: { id: number; signal: AbortSignal }) => Promise<void>;
  onNotification: (method: string, params: JsonObject) => void;
}

interface Waiting {
  method: string;
  settle: (outcome: { value: unknown } | { error: Error }) => void;
  onProgress: RequestOptions['onProgress'];
}

export class Rpc {
  readonly #options: RpcOptions;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(options: RpcOptions) {
    this.#options = options;
  }

  get waiting(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    const { timeout, signal, onProgress } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new LinkFailure('cancelled', 'never', 'the call was cancelled'));
      const id = ++this.#lastId;
      const open = new AbortController();
      const timer = this.#options.clock.after(timeout, () => {
        this.#giveUp(id, new LinkFailure('timeout', 'maybe', `no answer within ${timeout / 1_000} s`));
      });
      const onAbort = () => this.#giveUp(id, new LinkFailure('cancelled', 'maybe', 'the call was cancelled'));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, {
        method,
        onProgress,
        settle: (outcome) => {
          this.#waiting.delete(id);
          timer.dispose();
          signal?.removeEventListener('abort', onAbort);
          open.abort();
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.value);
        },
      });
      const meta = isJsonObject(params._meta) ? params._meta : undefined;
      const sent = onProgress === undefined ? params : { ...params, _meta: { ...meta, progressToken: id } };
      this.#options
        .send({ jsonrpc: '2.0', id, method, params: sent }, { id, signal: open.signal })
        .catch((error: unknown) => this.fail(id, toFailure(error)));
    });
  }

  notify(method: string, params?: JsonObject): void {
    this.#post({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Takes one message of the server. False for what is none. */
  receive(message: unknown): boolean {
    if (!isJsonObject(message)) return false;
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = isJsonObject(message.params) ? message.params : {};
      if (id === undefined) this.#notified(method, params);
      else this.#answer(id, method);
      return true;
    }
    // Some servers give a number back as text.
    const waiting = this.#waiting.get(typeof id === 'string' ? Number(id) : (id as number));
    if (waiting === undefined) return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error');
    const { error } = message;
    if (isJsonObject(error)) {
      const text = typeof error.message === 'string' ? error.message : JSON.stringify(error);
      waiting.settle({ error: new RemoteError(typeof error.code === 'number' ? error.code : 0, text, error.data) });
      return true;
    }
    if (!Object.hasOwn(message, 'result')) {
      waiting.settle({ error: new LinkFailure('broken', 'maybe', 'the answer has neither result nor error') });
      return true;
    }
    waiting.settle({ value: message.result });
    return true;
  }

  fail(id: number, failure: Error): void {
    this.#waiting.get(id)?.settle({ error: failure });
  }

  failAll(failure: Error): void {
    for (const { settle } of [...this.#waiting.values()]) settle({ error: failure });
  }

  /** The server is told; what it still answers is for nobody. */
  #giveUp(id: number, failure: LinkFailure): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    // The protocol forbids to cancel the handshake.
    if (waiting.method !== 'initialize')
      this.notify('notifications/cancelled', { requestId: id, reason: failure.message });
    waiting.settle({ error: failure });
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') this.#waiting.get(Number(params.progressToken))?.onProgress?.(params);
    else this.#options.onNotification(method, params);
  }

  /** A request of the server to its client. We declare no capability that would let it ask for more. */
  #answer(id: unknown, method: string): void {
    const answer =
      method === 'ping'
        ? { result: {} }
        : { error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } };
    this.#post({ jsonrpc: '2.0', id, ...answer });
  }

  /** A link that cannot send any more ends, and fails whatever waits. */
  #post(message: JsonObject): void {
    this.#options.send(message).catch(() => undefined);
  }
}

function toFailure(error: unknown): Error {
  if (error instanceof LinkFailure || error instanceof RemoteError) return error;
  return new LinkFailure('broken', 'maybe', error instanceof Error ? error.message : String(error));
}
