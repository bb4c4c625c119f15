/**
 * The modern leg of /mcp (DESIGN D7, TRN-31): stateless calls of revision 2026-07-28. The SDK checks headers and the envelope, stamps
 * results and keeps the `subscriptions/listen` streams; our part is what every leg shares, the dispatcher. Loaded with the first modern
 * request, since a server that only meets sessions needs none of it.
 *
 * Results go through `fallbackRequestHandler`: the typed handlers of the SDK drop members they do not know.
 */
import type { McpHttpHandler, Server } from '@modelcontextprotocol/server';
import { isCanonicalUuid, isJsonObject, type JsonObject } from '../../base/index.ts';
import { DEADLINES, MCP_SERVER_NAME } from '../../contract/index.ts';
import { progressOf, restoreEvents } from './call-stream.ts';
import type { ContentMethods } from './content.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type ClientTraits, headerOf, type McpAnswer, type McpRequest } from './message.ts';

export interface ModernOptions {
  dispatcher: Dispatcher;
  content: ContentMethods;
  version: string;
  instructions: (client: ClientTraits) => Promise<string>;
  log: { warn(fields: object, message: string): void };
}

/** What this leg answers. The seam for the tasks extension: its methods are added here and in `#answerMethod`. */
const METHODS: readonly unknown[] = ['server/discover', 'tools/list', 'tools/call', 'subscriptions/listen'];
const METHOD_NOT_FOUND = -32_601;
/** Lists change with the settings, and a client that listens is told: asking again every minute is enough for the others. */
const CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const;

type Sdk = typeof import('@modelcontextprotocol/server');

export class ModernLeg {
  readonly #options: ModernOptions;
  readonly #arrived = new WeakMap<Request, { request: McpRequest; client: ClientTraits }>();
  #listening = 0;
  #loading: Promise<{ sdk: Sdk; handler: McpHttpHandler }> | undefined;

  constructor(options: ModernOptions) {
    this.#options = options;
  }

  async answer(message: JsonObject, request: McpRequest): Promise<McpAnswer> {
    const { id, method } = message;
    if (id !== undefined && !METHODS.includes(method) && !this.#options.content.has(method)) {
      const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${String(method)}` };
      return { status: 404, headers: {}, body: { jsonrpc: '2.0', id, error } };
    }
    const { handler } = await this.#load();
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      // Of the body as it came; the SDK gets it parsed.
      if (typeof value === 'string' && name !== 'content-length') headers.set(name, value);
    }
    const arrived = new Request('http://localhost/mcp', { method: 'POST', headers, signal: request.signal });
    this.#arrived.set(arrived, { request, client: clientOf(message) });
    const response = await handler.fetch(arrived, { parsedBody: message });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) {
      const stream =
        method === 'subscriptions/listen' ? this.#countWhileOpen(response.body) : restoreEvents(response.body);
      return { status: response.status, headers: {}, stream };
    }
    const text = await response.text();
    return { status: response.status, headers: {}, body: text === '' ? undefined : (JSON.parse(text) as JsonObject) };
  }

  /** Clients that listen; the others of this era leave nothing behind by which they could be counted. */
  get listeningCount(): number {
    return this.#listening;
  }

  #countWhileOpen(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    this.#listening++;
    let isOpen = true;
    const leave = () => {
      if (isOpen) this.#listening--;
      isOpen = false;
    };
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          leave();
          controller.close();
        } catch (error) {
          leave();
          controller.error(error);
        }
      },
      cancel(reason) {
        leave();
        return reader.cancel(reason);
      },
    });
  }

  toolsChanged(): void {
    void this.#loading?.then(({ handler }) => handler.notify.toolsChanged());
  }

  contentChanged(kind: 'resources' | 'prompts'): void {
    void this.#loading?.then(({ handler: { notify } }) =>
      kind === 'resources' ? notify.resourcesChanged() : notify.promptsChanged(),
    );
  }

  /** Ends the streams, each with the result that the revision asks for. The next request begins anew. */
  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading)?.handler.close();
  }

  #load(): Promise<{ sdk: Sdk; handler: McpHttpHandler }> {
    this.#loading ??= import('@modelcontextprotocol/server').then((sdk) => {
      const handler = sdk.createMcpHandler(({ requestInfo }) => this.#serve(sdk, requestInfo), {
        legacy: 'reject',
        keepAliveMs: DEADLINES.eventKeepAlive,
        onerror: (error) => this.#options.log.warn({ err: error }, 'a modern MCP request was refused'),
      });
      return { sdk, handler };
    });
    return this.#loading;
  }

  async #serve(sdk: Sdk, arrived: Request | undefined): Promise<Server> {
    const known = arrived && this.#arrived.get(arrived);
    if (known === undefined) throw new Error('a modern MCP request came without its caller');
    const server = new sdk.Server(
      { name: MCP_SERVER_NAME, version: this.#options.version },
      {
        capabilities: { tools: { listChanged: true }, ...this.#options.content.capabilities() },
        instructions: await this.#options.instructions(known.client),
      },
    );
    server.fallbackRequestHandler = (call, { mcpReq }) =>
      this.#answerMethod(
        sdk,
        call.method,
        isJsonObject(call.params) ? call.params : {},
        known,
        ({ method, params }) => {
          // A client that left hears nothing; the end of its request ends the call.
          mcpReq.notify({ method: String(method), params: isJsonObject(params) ? params : {} }).catch(() => undefined);
        },
      );
    return server;
  }

  async #answerMethod(
    sdk: Sdk,
    method: string,
    params: JsonObject,
    { request, client }: { request: McpRequest; client: ClientTraits },
    send: (message: JsonObject) => void,
  ) {
    const { content, dispatcher } = this.#options;
    if (method === 'tools/list')
      return { tools: await dispatcher.listTools(client.name, contextOf(request)), ...CACHE };
    if (content.has(method)) {
      const outcome = await content.answer(method, params, contextOf(request));
      if ('error' in outcome)
        throw new sdk.ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
      // A list of ours is told when it changes; what a server says of one resource holds for now, unless it says more.
      if (method.endsWith('/list')) return { ...outcome.result, ...CACHE };
      return method === 'resources/read' ? { ...CACHE, ttlMs: 0, ...outcome.result } : outcome.result;
    }
    if (method !== 'tools/call') throw new sdk.ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    const { name, arguments: input = {} } = params;
    if (typeof name !== 'string') {
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'params.name must be a string');
    }
    if (!isJsonObject(input)) {
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'params.arguments must be an object');
    }
    return {
      ...(await dispatcher.callTool(name, input, { ...contextOf(request), ...progressOf(params, send) })),
    };
  }
}

/** Each request introduces its client anew. */
function clientOf({ params }: JsonObject): ClientTraits {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {};
  const info = meta['io.modelcontextprotocol/clientInfo'];
  const name = isJsonObject(info) && typeof info.name === 'string' ? info.name : '';
  return { name, isClaudeCode: /claude/i.test(name) };
}

/** There is no session to bind an identity to: each request says it, and is believed on this machine only (TRN-26). */
function contextOf(request: McpRequest) {
  const identity = headerOf(request, 'x-tuic-session');
  const isBelieved = identity !== undefined && !request.caller.isRemote && isCanonicalUuid(identity);
  return {
    caller: request.caller,
    signal: request.signal,
    identity: isBelieved ? identity : undefined,
    root: undefined,
  };
}
