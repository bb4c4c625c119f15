/**
 * The bridge between one MCP client on stdio and the server's /mcp (mcp.md 11). It owns the protocol session, the client's
 * last initialize and what the client has been told; it never gives up on a server that went.
 *
 * Promises: every request gets exactly one answer, from the server or, while there is none, from here; a cancelled one gets none. A
 * request is sent once.
 *
 * Ordering: an initialize of the client is answered before anything behind it is sent; all else runs side by side, each with
 * its own connection. Only `#follow` connects: it replays the initialize, then says that the tools may have changed, then
 * holds the notification stream. A session id is taken from the answer to the newest initialize only, so that a late answer
 * cannot bring back a retired one.
 */
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { type Clock, DisposableStore, isJsonObject, toDisposable } from '../base/index.ts';
import { bridgeDeadline, DEADLINES, LIMITS } from '../contract/index.ts';
import { ServerUnreachable } from './endpoint.ts';
import { type ExchangeAnswer, exchange } from './exchange.ts';
import {
  agentWord,
  answer,
  failure,
  headerValue,
  LIST_CHANGED,
  type Message,
  type MessageId,
  modernRevision,
  oneLine,
  readMessage,
  toolFailure,
} from './messages.ts';

const LATEST_LEGACY = '2025-11-25';
const LEGACY_REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

/** The server answers, but has no /mcp: it is switched off. */
class EndpointMissing extends Error {
  override name = 'EndpointMissing';
}

/** The server refused with something that is no JSON-RPC answer. */
class RequestRefused extends Error {
  override name = 'RequestRefused';
}

class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';
}

export interface BridgeOptions {
  version: string;
  /** The terminal's identity, if the client runs in one. */
  identity: string | undefined;
  clock: Clock;
  /** A connection to the server; throws ServerUnreachable. */
  connect(signal: AbortSignal): Promise<Socket>;
  /** Writes one message to the client; resolves when it may take more. */
  write(text: string): Promise<void>;
  /** A line for the person who debugs; never protocol. */
  log(text: string): void;
}

interface Sent {
  answer: ExchangeAnswer;
  /** The message that answers the request, as it came. */
  result: string | undefined;
}

interface OpenRequest {
  /** Closes the exchange: how the modern revision cancels. A server of sessions is told by the notification first. */
  readonly stop: AbortController;
  readonly isModern: boolean;
  /** The client wants no answer any more, whatever is on its way. */
  isCancelled: boolean;
}

export class Bridge {
  readonly #options: BridgeOptions;
  readonly #end = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Requests under way that the client may cancel, by id. */
  readonly #open = new Map<MessageId, OpenRequest>();
  #session: string | undefined;
  #clientInitialize: Message | undefined;
  #clientName = '';
  #gate: Promise<void> = Promise.resolve();
  #firstAttempt: Promise<void>;
  #isConnected = false;
  /** The client has its answer to initialize; before that it may be told nothing. */
  #isClientReady = false;
  #streamEnd = new AbortController();
  #failedPings = 0;
  #handshakes = 0;
  #wake: () => void = () => {};

  constructor(options: BridgeOptions) {
    this.#options = options;
    // One listener for each request under way.
    setMaxListeners(0, this.#end.signal);
    let settle: () => void = () => {};
    this.#firstAttempt = new Promise((resolve) => {
      settle = resolve;
    });
    void this.#follow(settle);
    const health = options.clock.every(DEADLINES.bridgePing, () => void this.#checkHealth());
    this.#end.signal.addEventListener('abort', () => health.dispose(), { once: true });
  }

  /** Takes one line of the client. */
  receive(text: string): void {
    const message = readMessage(text);
    if (message === undefined) {
      const isJson = /^\s*\[/.test(text);
      const problem = isJson ? 'Batches are not supported; send one message a line' : 'The line is no JSON';
      this.#track(this.#options.write(failure(null, isJson ? -32600 : -32700, problem)));
      return;
    }
    const handled = this.#gate.then(() => this.#handle(message));
    if (message.method === 'initialize') this.#gate = handled;
    this.#track(handled);
  }

  /** A line that is too long to be read. */
  refuseLine(): void {
    const problem = `A message may have at most ${LIMITS.bridgeLine} characters; this one was not read`;
    this.#track(this.#options.write(failure(null, -32600, problem)));
  }

  /** The client has closed its side: answers under way get a moment, then everything ends (BRG-12). */
  async close(): Promise<void> {
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.#options.clock.after(DEADLINES.bridgeDrain, resolve);
        const settled = async () => {
          while (this.#running.size > 0) await Promise.all(this.#running);
          timer.dispose();
          resolve();
        };
        void settled();
      });
    }
    this.#end.abort(new Error('the client has gone'));
    this.#wake();
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#options.log(`unexpected: ${describe(error)}`));
    this.#running.add(tracked);
    void tracked.finally(() => this.#running.delete(tracked));
  }

  async #handle(message: Message): Promise<void> {
    if (message.method === 'initialize' && message.id !== undefined) {
      await this.#initialize(message, message.id);
      return;
    }
    if (message.method === undefined || message.id === undefined) {
      await this.#notify(message);
      return;
    }
    await this.#request(message, message.id, message.method);
  }

  async #initialize(message: Message, id: MessageId): Promise<void> {
    this.#clientInitialize = message;
    const params = isJsonObject(message.value.params) ? message.value.params : {};
    const info = isJsonObject(params.clientInfo) ? params.clientInfo : {};
    const name = agentWord(info.name);
    this.#clientName = name === '' ? '' : ` (${name}/${agentWord(info.version)})`;
    // The session of the eager initialize is reused, so that both streams are one client's (TRN-6).
    await this.#firstAttempt;
    const handshake = ++this.#handshakes;
    try {
      const { answer: head, result } = await this.#send(message, DEADLINES.bridgeOrdinary);
      this.#takeSession(head, handshake);
      await this.#options.write(this.#checked(id, result));
      this.#isClientReady = true;
      return;
    } catch (error) {
      if (!isOffline(error)) {
        await this.#options.write(failure(id, -32000, explain(error)));
        return;
      }
      this.#options.log(`initialize answered here: ${describe(error)}`);
    }
    const asked = typeof params.protocolVersion === 'string' ? params.protocolVersion : '';
    await this.#options.write(
      answer(id, {
        protocolVersion: LEGACY_REVISIONS.includes(asked) ? asked : LATEST_LEGACY,
        capabilities: { tools: { listChanged: true }, experimental: { 'claude/channel': {} } },
        serverInfo: { name: 'tuicommander', version: this.#options.version },
        instructions:
          'TUICommander is not reachable yet. Its tools appear by themselves once it runs (start it with: tuic start).',
      }),
    );
    this.#isClientReady = true;
  }

  async #request(message: Message, id: MessageId, method: string): Promise<void> {
    const open = {
      stop: new AbortController(),
      isModern: modernRevision(message) !== undefined,
      isCancelled: false,
    };
    this.#open.set(id, open);
    try {
      const { result } = await this.#send(message, bridgeDeadline(method, message.value.params), open.stop.signal);
      if (!open.isCancelled) await this.#options.write(this.#checked(id, result));
      this.#wakeIfOffline();
    } catch (error) {
      if (!open.isCancelled) await this.#options.write(this.#answerFor(id, method, error));
    } finally {
      if (this.#open.get(id) === open) this.#open.delete(id);
    }
  }

  /** What the client gets when the server gave no answer (BRG-11). */
  #answerFor(id: MessageId, method: string, error: unknown): string {
    if (!isOffline(error)) return failure(id, -32000, explain(error));
    switch (method) {
      case 'ping':
        // Asks whether this process lives.
        return answer(id, {});
      case 'tools/list':
        return answer(id, { tools: [] });
      case 'tools/call':
        return toolFailure(id, explain(error));
      default:
        return failure(id, -32601, `Method not found: ${method} (${explain(error)})`);
    }
  }

  /** Exactly the server's answer, as one line with the request's id. */
  #checked(id: MessageId, result: string | undefined): string {
    if (result === undefined) return failure(id, -32000, 'The server sent no answer to this request');
    const read = readMessage(result);
    if (read?.id === id) return oneLine(result);
    // An error about a message that was not understood carries no id.
    if (read !== undefined && isJsonObject(read.value.error)) return JSON.stringify({ ...read.value, id });
    return failure(id, -32000, 'The server answered something else than this request');
  }

  /** Notifications, and answers to requests of the server: sent on, nothing comes back. */
  async #notify(message: Message): Promise<void> {
    const cancelled = message.method === 'notifications/cancelled' ? this.#openOf(message) : undefined;
    if (cancelled !== undefined) cancelled.isCancelled = true;
    try {
      if (cancelled?.isModern !== true) await this.#send(message, DEADLINES.bridgeOrdinary);
    } catch (error) {
      this.#options.log(`${message.method ?? 'an answer'} did not reach the server: ${describe(error)}`);
    } finally {
      cancelled?.stop.abort(new Error('cancelled'));
    }
  }

  #openOf({ value: { params } }: Message): OpenRequest | undefined {
    const id = isJsonObject(params) ? params.requestId : undefined;
    return typeof id === 'string' || typeof id === 'number' ? this.#open.get(id) : undefined;
  }

  /** One POST. Messages before the result go to the client in their order. */
  async #send(message: Message, deadline: number | undefined, stop?: AbortSignal): Promise<Sent> {
    const until = new DisposableStore();
    const signal = abortWith(until, stop === undefined ? [this.#end.signal] : [this.#end.signal, stop], (abort) => {
      if (deadline === undefined) return;
      const seconds = Math.round(deadline / 1000);
      until.add(this.#options.clock.after(deadline, () => abort(new DeadlinePassed(`no answer within ${seconds} s`))));
    });
    let result: string | undefined;
    try {
      const socket = await this.#options.connect(signal);
      const head = await exchange(socket, {
        method: 'POST',
        headers: this.#headers(message),
        body: message.text,
        signal,
        onMessage: async (text) => {
          const read = readMessage(text);
          if (read !== undefined && read.method === undefined && read.id === message.id) {
            result = text;
            return true;
          }
          await this.#options.write(oneLine(text));
          return false;
        },
      });
      if (result === undefined && head.body !== '') result = head.body;
      const isRpc = result !== undefined && readMessage(result)?.value.jsonrpc === '2.0';
      if (!isRpc && head.status === 404) throw new EndpointMissing('MCP endpoint unavailable');
      if (!isRpc && head.status >= 300) throw new RequestRefused(refusal(head));
      return { answer: head, result };
    } finally {
      until.dispose();
    }
  }

  #headers(message?: Message): Record<string, string> {
    const headers: Record<string, string> = {
      accept: message === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
      'user-agent': `tuic-bridge/${this.#options.version}${this.#clientName}`,
      'mcp-protocol-version': LATEST_LEGACY,
    };
    if (this.#session !== undefined) headers['mcp-session-id'] = this.#session;
    if (this.#options.identity !== undefined) headers['x-tuic-session'] = this.#options.identity;
    if (message === undefined) return headers;
    const params = isJsonObject(message.value.params) ? message.value.params : {};
    const modern = modernRevision(message);
    if (modern !== undefined) {
      headers['mcp-protocol-version'] = headerValue(modern);
      headers['mcp-method'] = headerValue(message.method ?? '');
      const name = params.name ?? params.uri;
      if (typeof name === 'string') headers['mcp-name'] = headerValue(name);
      return headers;
    }
    const asked = this.#negotiated();
    if (asked !== undefined && LEGACY_REVISIONS.includes(asked)) headers['mcp-protocol-version'] = asked;
    return headers;
  }

  /** The revision the client asked for, which the server echoes when it knows it (TRN-4). */
  #negotiated(): string | undefined {
    const params = this.#clientInitialize?.value.params;
    return isJsonObject(params) && typeof params.protocolVersion === 'string' ? params.protocolVersion : undefined;
  }

  #takeSession(head: ExchangeAnswer, handshake: number): void {
    const id = head.headers['mcp-session-id'];
    if (handshake === this.#handshakes && typeof id === 'string') this.#session = id;
  }

  // ── connection ──

  /** Connects, holds the stream, and begins again whenever it ends. */
  async #follow(settleFirst: () => void): Promise<void> {
    let pause: number = DEADLINES.bridgeRetryFirst;
    let isFirst = true;
    while (!this.#end.signal.aborted) {
      const problem = await this.#handshake();
      settleFirst();
      if (problem === undefined) {
        if (!isFirst) await this.#tellChange();
        if (await this.#holdStream()) pause = DEADLINES.bridgeRetryFirst;
      } else this.#options.log(`not connected: ${problem}`);
      isFirst = false;
      if (this.#end.signal.aborted) return;
      await this.#rest(pause);
      pause = Math.min(pause * 2, DEADLINES.bridgeRetryLast);
    }
  }

  /** Replays the client's initialize, or makes an own one before there is any; undefined when it went well. */
  async #handshake(): Promise<string | undefined> {
    const handshake = ++this.#handshakes;
    const id = `tuic-bridge-${handshake}`;
    const params = this.#clientInitialize?.value.params ?? {
      protocolVersion: LATEST_LEGACY,
      capabilities: {},
      clientInfo: { name: 'tuic-bridge', version: this.#options.version },
    };
    try {
      const { answer: head, result } = await this.#send(own('initialize', params, id), DEADLINES.bridgeOrdinary);
      if (readMessage(result ?? '')?.value.result === undefined) return oneLine(result ?? `HTTP ${head.status}`);
      this.#takeSession(head, handshake);
      await this.#send(own('notifications/initialized'), DEADLINES.bridgeOrdinary);
      this.#isConnected = true;
      this.#failedPings = 0;
      return undefined;
    } catch (error) {
      this.#isConnected = false;
      return describe(error);
    }
  }

  /** Reads the notification stream to its end; true when it was open for a good while. */
  async #holdStream(): Promise<boolean> {
    let opened: number | undefined;
    const until = new DisposableStore();
    this.#streamEnd = new AbortController();
    const signal = abortWith(until, [this.#end.signal, this.#streamEnd.signal]);
    try {
      const socket = await this.#options.connect(signal);
      await exchange(socket, {
        method: 'GET',
        headers: this.#headers(),
        signal,
        onOpen: (status) => {
          if (status === 200) opened = this.#options.clock.monotonic();
        },
        onMessage: async (text) => {
          await this.#options.write(oneLine(text));
          return false;
        },
      });
    } catch (error) {
      if (!this.#end.signal.aborted) this.#options.log(`the notification stream ended: ${describe(error)}`);
    } finally {
      until.dispose();
    }
    return opened !== undefined && this.#options.clock.monotonic() - opened >= DEADLINES.streamSteady;
  }

  /** Waits before the next attempt, or until something says that the server is there. */
  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(milliseconds, resolve);
      this.#wake = () => {
        timer.dispose();
        resolve();
      };
    });
  }

  #wakeIfOffline(): void {
    if (!this.#isConnected) this.#wake();
  }

  async #checkHealth(): Promise<void> {
    try {
      await this.#send(own('ping', undefined, 'tuic-bridge-ping'), DEADLINES.bridgePing);
      this.#failedPings = 0;
      this.#wakeIfOffline();
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#failedPings++;
      if (this.#failedPings !== LIMITS.bridgePings) return;
      this.#isConnected = false;
      this.#options.log(`the server is gone: ${describe(error)}`);
      await this.#tellChange();
      // A server that hangs keeps its stream open; it is left, so that its return begins with a handshake.
      this.#streamEnd.abort(new Error('the server does not answer'));
    }
  }

  async #tellChange(): Promise<void> {
    if (this.#isClientReady) await this.#options.write(LIST_CHANGED);
  }
}

/** A signal that follows others and, in `arm`, a reason of its own, for as long as `until` is kept. */
function abortWith(
  until: DisposableStore,
  signals: readonly AbortSignal[],
  arm?: (abort: (reason: Error) => void) => void,
): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
    until.add(toDisposable(() => signal.removeEventListener('abort', follow)));
  }
  arm?.((reason) => controller.abort(reason));
  return controller.signal;
}

function own(method: string, params?: unknown, id?: string): Message {
  const value = {
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    method,
    ...(params === undefined ? {} : { params }),
  };
  return { text: JSON.stringify(value), value, id, method };
}

/** Nothing that could have acted on the request has seen it. */
function isOffline(error: unknown): boolean {
  return error instanceof ServerUnreachable || error instanceof EndpointMissing;
}

function refusal(head: ExchangeAnswer): string {
  try {
    const body: unknown = JSON.parse(head.body);
    if (isJsonObject(body) && typeof body.error === 'string') return body.error;
  } catch {
    // Not JSON: the status says enough.
  }
  return `The server answered HTTP ${head.status}`;
}

function explain(error: unknown): string {
  if (error instanceof ServerUnreachable)
    return 'TUICommander is not running. Start it with "tuic start", then call again';
  if (error instanceof EndpointMissing)
    return 'MCP endpoint unavailable: TUICommander runs, but /mcp is switched off (mcp_server_enabled)';
  if (error instanceof DeadlinePassed)
    return `The server gave ${error.message}. It may still have acted on the request`;
  if (error instanceof RequestRefused) return error.message;
  return `The request failed: ${describe(error)}. The server may have acted on it`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
