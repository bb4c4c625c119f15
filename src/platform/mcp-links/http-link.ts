/**
 * An MCP server over Streamable HTTP (HTP-1 to HTP-5): each message is a POST, answered by JSON or by a stream of events; what belongs to
 * no request comes by a GET stream, which is opened again as long as the link lives. The session id of the server is ours to keep and to
 * end. A redirect is refused: it would carry the credential somewhere that nobody configured.
 */
import { type Clock, delay, EventParser, isJsonObject, type JsonObject } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { parseExactJson, restoreExactJson } from './exact-json.ts';
import { type LinkEvents, LinkFailure, type McpLink, type RequestOptions } from './model.ts';
import { Rpc } from './rpc.ts';

export interface HttpLinkOptions {
  url: string;
  /** Asked for each request anew, so that a credential that changed is used at once (HTP-2). */
  token: () => Promise<string | undefined>;
  clock: Clock;
  events: LinkEvents;
  fetch?: typeof fetch;
}

/** Connections that were never made; the request cannot have run. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
/** How a server of the transport before this one refuses a handshake by POST. */
const OLD_SERVER = new Set([400, 404, 405]);
/** Of a refusal's text. */
const LONGEST_EXCERPT = 300;
const NAMED_BY_PARAMS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export class HttpLink implements McpLink {
  readonly diagnostics = '';
  readonly #options: HttpLinkOptions;
  readonly #fetch: typeof fetch;
  readonly #rpc: Rpc;
  readonly #closing = new AbortController();
  #session: string | undefined;
  #revision: string | undefined;
  #isModern = false;
  /** Of a server of the transport before this one: where it takes what is posted. */
  #oldAddress: string | undefined;
  #isOver = false;

  constructor(options: HttpLinkOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#rpc = new Rpc({
      clock: options.clock,
      send: (message, request) => this.#send(message, request),
      onNotification: (method, params) => options.events.onNotification(method, params),
    });
  }

  adopt({ revision, isModern }: { revision: string; isModern: boolean }): void {
    this.#revision = revision;
    this.#isModern = isModern;
    if (!isModern && this.#oldAddress === undefined) void this.#follow();
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    if (this.#closing.signal.aborted) return Promise.reject(new LinkFailure('closed', 'never', 'it is closed'));
    return this.#rpc.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): void {
    this.#rpc.notify(method, params);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#rpc.failAll(new LinkFailure('closed', 'maybe', 'the connection was closed'));
    if (this.#session === undefined) return;
    const patience = new AbortController();
    const timer = this.#options.clock.after(DEADLINES.upstreamEnd, () => patience.abort());
    try {
      const headers = await this.#headers();
      const response = await this.#fetch(this.#options.url, {
        method: 'DELETE',
        headers,
        redirect: 'manual',
        signal: patience.signal,
      });
      await response.body?.cancel();
    } catch {
      // A courtesy; a server that cannot take it forgets the session by itself.
    } finally {
      timer.dispose();
    }
  }

  async #headers(): Promise<Record<string, string>> {
    const token = await this.#options.token();
    return {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
    };
  }

  async #send(message: JsonObject, request?: { id: number; signal: AbortSignal }): Promise<void> {
    const signal =
      request === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, request.signal]);
    if (this.#oldAddress !== undefined) return this.#sendOld(this.#oldAddress, message, signal);
    let response: Response;
    try {
      response = await this.#fetch(this.#options.url, {
        method: 'POST',
        headers: {
          ...(await this.#headers()),
          ...this.#describe(message),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: restoreExactJson(JSON.stringify(message)),
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      throw toFailure(error);
    }
    if (message.method === 'initialize' && response.ok) {
      this.#session = response.headers.get('mcp-session-id') ?? undefined;
    }
    try {
      await this.#take(response, request?.id);
    } catch (error) {
      const mayBeOld = message.method === 'initialize' && OLD_SERVER.has(response.status);
      if (!mayBeOld || !(error instanceof LinkFailure) || error.kind !== 'refused') throw error;
      const address = await this.#openOld(signal);
      if (address === undefined) throw error;
      await this.#sendOld(address, message, signal);
    }
  }

  /**
   * The transport before this one: a stream of events tells the address for what is posted, and carries all answers. Undefined when there
   * is none. The stream is the session; with it the link ends.
   */
  #openOld(signal: AbortSignal): Promise<string | undefined> {
    const { url, events } = this.#options;
    return new Promise((resolve) => {
      const give = (address: string | undefined) => {
        this.#oldAddress = address;
        resolve(address);
      };
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      const onEndpoint = (data: string) => {
        const address = new URL(data, url);
        // The credential goes nowhere that nobody entered.
        if (address.origin === new URL(url).origin) give(address.href);
        else {
          events.onOddity(`it wants to be answered at ${address.origin}, which is refused`);
          resolve(undefined);
        }
      };
      const read = async () => {
        const headers = { ...(await this.#headers()), accept: 'text/event-stream' };
        const response = await this.#fetch(url, { headers, redirect: 'manual', signal: this.#closing.signal });
        if (response.ok && isEventStream(response)) await this.#readEvents(response, { onEndpoint });
        else await response.body?.cancel();
      };
      void read()
        .catch((error: unknown) => toFailure(error).message)
        .then((why) => {
          resolve(undefined);
          if (this.#oldAddress === undefined) return;
          const failure = new LinkFailure('closed', 'maybe', `its stream ended${why === undefined ? '' : `: ${why}`}`);
          this.#rpc.failAll(failure);
          this.#endBy(failure);
        });
    });
  }

  async #sendOld(address: string, message: JsonObject, signal: AbortSignal): Promise<void> {
    let response: Response;
    try {
      response = await this.#fetch(address, {
        method: 'POST',
        headers: { ...(await this.#headers()), 'content-type': 'application/json' },
        body: restoreExactJson(JSON.stringify(message)),
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      throw toFailure(error);
    }
    if (response.ok) await response.body?.cancel();
    else await this.#refuse(response, undefined);
  }

  /** Headers by which servers of the modern era route what they have not read yet. */
  #describe({ method, params, id }: JsonObject): Record<string, string> {
    if (!this.#isModern || typeof method !== 'string' || id === undefined) return {};
    const key = NAMED_BY_PARAMS[method];
    const name = key !== undefined && isJsonObject(params) ? params[key] : undefined;
    return { 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}) };
  }

  async #take(response: Response, id: number | undefined): Promise<void> {
    if (!response.ok) return this.#refuse(response, id);
    if (id === undefined) {
      await response.body?.cancel();
      return;
    }
    if (isEventStream(response)) {
      await this.#readEvents(response);
      this.#rpc.fail(id, new LinkFailure('broken', 'maybe', 'its stream ended before the answer'));
      return;
    }
    const text = await readText(response);
    // An empty success of a request is none: some servers answer so for a session that they no longer know.
    if (text.trim() === '') {
      const lost = this.#session !== undefined;
      throw new LinkFailure(lost ? 'session_lost' : 'broken', 'maybe', `it answered ${response.status} and nothing`);
    }
    if (!this.#receive(text, id)) {
      throw new LinkFailure('broken', 'maybe', `its answer is no JSON-RPC message: ${excerpt(text)}`);
    }
    this.#rpc.fail(id, new LinkFailure('broken', 'maybe', 'it answered another request than ours'));
  }

  #receive(text: string, id?: number): boolean {
    let message: unknown;
    try {
      message = parseExactJson(text);
    } catch {
      return false;
    }
    // An answer to nobody in particular, on a connection of its own, can only be for this request.
    if (id !== undefined && isJsonObject(message) && message.id === null && message.method === undefined) {
      message.id = id;
    }
    return this.#rpc.receive(message);
  }

  /** Never comes back with the request still waiting, unless the refusal itself was its answer. */
  async #refuse(response: Response, id: number | undefined): Promise<void> {
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      const to = response.headers.get('location');
      throw new LinkFailure('refused', 'never', `it redirects${to === null ? '' : ` to ${to}`}; use that address`);
    }
    const text = await readText(response);
    if (status === 401) {
      const challenge = response.headers.get('www-authenticate') ?? '';
      const asksForToken = /(^|,)\s*bearer(\s|$)/i.test(challenge);
      throw new LinkFailure(asksForToken ? 'needs_oauth' : 'auth_failed', 'never', 'it wants another credential (401)');
    }
    // HTP-1: whichever of the two a server says to a session that it has forgotten, it has not run the request.
    if (this.#session !== undefined && (status === 404 || status === 400)) {
      throw new LinkFailure('session_lost', 'never', `it no longer knows the session (${status}): ${excerpt(text)}`);
    }
    if (id !== undefined && this.#receive(text, id) && !this.#rpc.waiting.includes(id)) return;
    const reach = status >= 500 && status !== 503 ? 'maybe' : 'never';
    throw new LinkFailure('refused', reach, `it answered ${status}${text === '' ? '' : `: ${excerpt(text)}`}`);
  }

  async #readEvents(
    response: Response,
    { onId = () => {}, onEndpoint }: { onId?: (id: string) => void; onEndpoint?: (data: string) => void } = {},
  ): Promise<void> {
    if (response.body === null) return;
    let size = 0;
    const parser = new EventParser(({ event, data, id }) => {
      size = 0;
      if (id !== '') onId(id);
      if (event === 'endpoint' && onEndpoint !== undefined) onEndpoint(data);
      else if (data !== '' && !this.#receive(data)) {
        this.#options.events.onOddity(`an event that is no message is skipped: ${excerpt(data)}`);
      }
    });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body) {
        size += bytes.length;
        if (size > LIMITS.upstreamMessage) {
          throw new LinkFailure('too_large', 'maybe', `an event is larger than ${LIMITS.upstreamMessage} bytes`);
        }
        parser.push(decoder.decode(bytes, { stream: true }));
      }
      // One that was not followed by its empty line.
      parser.push('\n\n');
    } catch (error) {
      throw toFailure(error, 'maybe');
    }
  }

  /** The stream of what belongs to no request. A server without one says so, and is not asked again. */
  async #follow(): Promise<void> {
    const { clock, url, events } = this.#options;
    const { signal } = this.#closing;
    let lastId = '';
    let pause: number = DEADLINES.upstreamBackoffFirst;
    while (!signal.aborted) {
      try {
        const response = await this.#fetch(url, {
          headers: {
            ...(await this.#headers()),
            accept: 'text/event-stream',
            ...(lastId === '' ? {} : { 'last-event-id': lastId }),
          },
          redirect: 'manual',
          signal,
        });
        if (!response.ok || !isEventStream(response)) {
          await response.body?.cancel();
          if (response.status === 404 && this.#session !== undefined) {
            this.#endBy(new LinkFailure('session_lost', 'never', 'it no longer knows the session (404)'));
            return;
          }
          if (response.status < 500) return;
        } else {
          pause = DEADLINES.upstreamBackoffFirst;
          await this.#readEvents(response, {
            onId: (id) => {
              lastId = id;
            },
          });
        }
      } catch (error) {
        if (signal.aborted) return;
        events.onOddity(`its stream of notices was cut: ${toFailure(error).message}`);
      }
      try {
        await delay(clock, pause, signal);
      } catch {
        return;
      }
      pause = Math.min(pause * 2, DEADLINES.upstreamBackoffLast);
    }
  }

  #endBy(failure: LinkFailure): void {
    if (this.#isOver || this.#closing.signal.aborted) return;
    this.#isOver = true;
    this.#options.events.onEnd(failure);
  }
}

function toFailure(error: unknown, reach?: 'maybe'): LinkFailure {
  if (error instanceof LinkFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = cause !== undefined && 'code' in cause ? String(cause.code) : undefined;
  if (reach === undefined && code !== undefined && NOT_CONNECTED.has(code)) {
    return new LinkFailure('unreachable', 'never', `it cannot be reached (${code})`);
  }
  const text = cause?.message || (error instanceof Error ? error.message : String(error));
  return new LinkFailure('broken', 'maybe', `the connection broke${code === undefined ? '' : ` (${code})`}: ${text}`);
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      size += bytes.length;
      if (size > LIMITS.upstreamMessage) {
        throw new LinkFailure('too_large', 'maybe', `its answer is larger than ${LIMITS.upstreamMessage} bytes`);
      }
      pieces.push(bytes);
    }
  } catch (error) {
    throw toFailure(error, 'maybe');
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** One line of untrusted text. */
function excerpt(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_EXCERPT);
}

/** A header line takes ASCII only; the revision says how the rest is written. */
function encodeHeader(text: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
