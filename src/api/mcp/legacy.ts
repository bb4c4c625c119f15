/**
 * The legacy leg of /mcp (mcp.md 1): one JSON-RPC message in, one answer out, protocol sessions that are revived rather than refused.
 */
import { type Clock, isJsonObject, type JsonObject } from '../../base/index.ts';
import { LEGACY_REVISIONS, MCP_SERVER_NAME, STANDARD_REVISION } from '../../contract/index.ts';
import type { PeerService } from '../../domain/peers/index.ts';
import { answerOrStream, progressOf } from './call-stream.ts';
import type { ContentMethod, ContentMethods } from './content.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type ClientTraits, failure, headerOf, type McpAnswer, type McpRequest, RPC_ERRORS } from './message.ts';
import { CANCELLED, PendingCalls } from './pending-calls.ts';
import type { ProtocolSessions } from './protocol-sessions.ts';
import { firstRoot } from './roots.ts';
import type { ScopedCaller } from './service-scope.ts';

export interface LegacyOptions {
  sessions: ProtocolSessions;
  peers: PeerService;
  dispatcher: Dispatcher;
  content: ContentMethods;
  clock: Clock;
  version: string;
  instructions: (client: ClientTraits, identity?: string) => Promise<string>;
  log: { info(fields: object, message: string): void };
}

const LONGEST_ID = 128;

/** Ids are the client's own words; only what fits into a header and a line of the log is one. */
export function sessionIdOf(request: Pick<McpRequest, 'headers'>): string | undefined {
  const id = headerOf(request, 'mcp-session-id');
  return id !== undefined && id.length <= LONGEST_ID && /^[\x21-\x7e]+$/.test(id) ? id : undefined;
}

/** TRN-16, TRN-17, TRN-26: who speaks, said by header and believed on this machine only. */
export function assertIdentity(request: McpRequest, session: string, peers: PeerService): void {
  const identity = headerOf(request, 'x-tuic-session');
  if (identity !== undefined && !request.caller.isRemote) peers.bind(session, identity);
}

/** Taken, and nothing to say. */
const TAKEN: McpAnswer = { status: 202, headers: {}, body: undefined };

export class LegacyLeg {
  readonly #options: LegacyOptions;
  readonly #calls = new PendingCalls();

  constructor(options: LegacyOptions) {
    this.#options = options;
  }

  async answer(message: JsonObject, request: McpRequest): Promise<McpAnswer> {
    const { id, method, params = {} } = message;
    const session = sessionIdOf(request);
    if (method !== 'initialize') {
      const revision = headerOf(request, 'mcp-protocol-version');
      if (revision !== undefined && !LEGACY_REVISIONS.some((each) => each === revision)) {
        const known = LEGACY_REVISIONS.join(', ');
        return failure(
          400,
          id ?? null,
          RPC_ERRORS.invalidRequest,
          `MCP-Protocol-Version ${revision} is not supported. Use one of ${known}`,
        );
      }
      if (session !== undefined) this.#refresh(request, session);
    }
    if (id === undefined || typeof method !== 'string') {
      // A notification, or an answer to a request of ours.
      if (typeof method !== 'string' && message.result === undefined && message.error === undefined) {
        return failure(400, id ?? null, RPC_ERRORS.invalidRequest, 'method is missing');
      }
      if (method === 'notifications/cancelled' && session !== undefined && isJsonObject(params)) {
        this.#calls.cancel(session, params.requestId);
      }
      return TAKEN;
    }
    if (typeof id !== 'string' && typeof id !== 'number') {
      return failure(400, null, RPC_ERRORS.invalidRequest, 'id must be a string or a number');
    }
    if (!isJsonObject(params)) return failure(200, id, RPC_ERRORS.invalidParameters, 'params must be an object');
    return this.#answerMethod(id, method, params, session, request);
  }

  async #answerMethod(
    id: string | number,
    method: string,
    params: JsonObject,
    session: string | undefined,
    request: McpRequest,
  ): Promise<McpAnswer> {
    const echo: Record<string, string> = session === undefined ? {} : { 'mcp-session-id': session };
    const result = (value: JsonObject, headers: Record<string, string> = echo): McpAnswer => ({
      status: 200,
      headers,
      body: { jsonrpc: '2.0', id, result: value },
    });
    switch (method) {
      case 'initialize':
        return this.#initialize(id, params, session, request);
      case 'ping':
        return result({});
      case 'tools/list':
        return result({
          tools: await this.#options.dispatcher.listTools(this.#clientName(session), this.#callerOf(session)),
        });
      case 'tools/call': {
        const { name, arguments: input = {} } = params;
        if (typeof name !== 'string')
          return failure(200, id, RPC_ERRORS.invalidParameters, 'params.name must be a string');
        if (!isJsonObject(input))
          return failure(200, id, RPC_ERRORS.invalidParameters, 'params.arguments must be an object');
        const answer = async (send: (message: JsonObject) => void): Promise<McpAnswer> => {
          const call = (signal: AbortSignal) =>
            this.#options.dispatcher.callTool(name, input, {
              caller: request.caller,
              signal,
              protocolSession: session,
              ...this.#callerOf(session),
              ...progressOf(params, send),
            });
          // Without a session there is nobody who could be known again as the one that may cancel.
          if (session === undefined) return result({ ...(await call(request.signal)) });
          const value = await this.#calls.run(session, id, request.signal, call);
          // A cancelled request has no response; its POST has to end all the same.
          return value === CANCELLED ? TAKEN : result({ ...value });
        };
        const takesEvents = headerOf(request, 'accept')?.includes('text/event-stream') === true;
        if (takesEvents) return answerOrStream(this.#options.clock, echo, answer);
        return answer((message) => session !== undefined && this.#options.sessions.send(session, message));
      }
      default:
        if (this.#options.content.has(method)) return this.#answerContent(id, method, params, session, request);
        return failure(200, id, RPC_ERRORS.methodNotFound, `Method not found: ${method}`);
    }
  }

  async #answerContent(
    id: string | number,
    method: ContentMethod,
    params: JsonObject,
    session: string | undefined,
    request: McpRequest,
  ): Promise<McpAnswer> {
    const headers: Record<string, string> = session === undefined ? {} : { 'mcp-session-id': session };
    const ask = (signal: AbortSignal) =>
      this.#options.content.answer(method, params, { ...this.#callerOf(session), signal });
    const outcome =
      session === undefined ? await ask(request.signal) : await this.#calls.run(session, id, request.signal, ask);
    return outcome === CANCELLED ? TAKEN : { status: 200, headers, body: { jsonrpc: '2.0', id, ...outcome } };
  }

  #callerOf(session: string | undefined): ScopedCaller {
    if (session === undefined) return { identity: undefined, root: undefined };
    return {
      identity: this.#options.peers.identityOf(session),
      root: this.#options.sessions.find(session)?.root,
    };
  }

  /** TRN-15: empty for a session that was revived, until its client is introduced again. */
  #clientName(session: string | undefined): string {
    return session === undefined ? '' : (this.#options.sessions.find(session)?.clientName ?? '');
  }

  #refresh(request: McpRequest, session: string): void {
    this.#options.sessions.touch(session, headerOf(request, 'user-agent') ?? '');
    assertIdentity(request, session, this.#options.peers);
  }

  async #initialize(
    id: string | number,
    params: JsonObject,
    presented: string | undefined,
    request: McpRequest,
  ): Promise<McpAnswer> {
    const { sessions, log, version } = this.#options;
    const { session, event } = sessions.initialize(presented);
    const info = isJsonObject(params.clientInfo) ? params.clientInfo : {};
    session.clientName = typeof info.name === 'string' ? info.name.slice(0, LONGEST_ID) : '';
    session.isClaudeCode = /claude/i.test(session.clientName);
    // TRN-7: a client that says nothing of roots this time has not changed them.
    const root = firstRoot(params.roots);
    if (root !== undefined) session.root = root;
    assertIdentity(request, session.id, this.#options.peers);
    log.info(
      {
        source: 'mcp_initialize',
        event,
        session: session.id,
        client: session.clientName,
        ...(event === 'reconnected' ? { presented_session: presented } : {}),
      },
      'an MCP client connected',
    );
    const asked = LEGACY_REVISIONS.find((revision) => revision === params.protocolVersion);
    return {
      status: 200,
      headers: { 'mcp-session-id': session.id },
      body: {
        jsonrpc: '2.0',
        id,
        result: {
          protocolVersion: asked ?? STANDARD_REVISION,
          capabilities: {
            tools: { listChanged: true },
            ...this.#options.content.capabilities(),
            experimental: { 'claude/channel': {} },
          },
          serverInfo: { name: MCP_SERVER_NAME, version },
          instructions: await this.#options.instructions(
            { name: session.clientName, isClaudeCode: session.isClaudeCode },
            this.#options.peers.identityOf(session.id),
          ),
        },
      },
    };
  }
}
