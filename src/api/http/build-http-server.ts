/**
 * Builds the HTTP front of one listener kind: IPC or local TCP, from one route table over the same domain. What is absent from a
 * listener is not registered on it.
 *
 * Order of checks on every request, unknown paths, upgrades and files included: target and Host → upgrade only where one is
 * served → CORS (preflights are answered here) → Origin and credential → announced body length → method. No body is read and
 * no route runs before that.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import files from '@fastify/static';
import websocket from '@fastify/websocket';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { WebSocket } from 'ws';
import { type Bus, type Disposable, delay } from '../../base/index.ts';
import {
  AppError,
  type AppEvent,
  DEADLINES,
  eventsQuerySchema,
  LIMITS,
  ROUTES,
  type Route,
  streamQuerySchema,
} from '../../contract/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { restoreExactJson } from '../../platform/mcp-links/index.ts';
import type { OwnAddressCheck, SameUserCheck } from '../../platform/net/index.ts';
import { type ActionDependencies, type Caller, createActions, parseInput } from '../actions.ts';
import type { McpAnswer, McpEndpoint, McpRequest } from '../mcp/index.ts';
import { createAccessRecorder } from './access-record.ts';
import { createAuthentication } from './authentication.ts';
import { checkLength, installBodyParsers } from './body.ts';
import { Deadline } from './deadline.ts';
import { checkHost, checkTarget, type DoorRules, judgeOrigin, type ListenerKind, wantsWebSocket } from './door.ts';
import { sendError } from './errors.ts';
import { type EventSink, EventStream, responseSink, socketSink } from './events.ts';
import { checkGuard, createAbsence, isServedOn } from './exposure.ts';
import { createHttpListener, type TlsMaterial } from './listener.ts';
import { McpStream } from './mcp-stream.ts';
import { serveMonitor } from './monitor-page.ts';
import { logIn, serveApiPage, servePage, sessionCookie } from './pages.ts';
import { type Answer, createRestHandlers } from './rest.ts';
import { serveTabFile } from './tab-files.ts';
import type { Visit } from './types.ts';
import { CLOSE, ViewerSocket } from './viewer-socket.ts';

const LONGEST_PARAMETER = 4_096;
const PREFLIGHT_SECONDS = 600;
const NO_CONTENT = 204;

export interface HttpServerOptions extends ActionDependencies {
  listener: ListenerKind;
  bus: Bus<AppEvent>;
  /** Names this server process in event ids; shared by all listeners. */
  boot: string;
  /** Shared by all listeners. */
  mcp: McpEndpoint;
  isSameUser: SameUserCheck;
  isOwnAddress: OwnAddressCheck;
  log: Log;
  /** Folder of the built workspace. */
  staticDirectory?: string;
  /** The built page of the process monitor: one file with everything in it. */
  monitorPage?: string;
}

export interface HttpFront {
  /** A fresh Node server that leads here; the platform's listeners bind it. With a certificate (remote only) it speaks TLS. */
  createServer(tls?: TlsMaterial): Server;
  /** Ends the streams and viewers that came in by a login. */
  endLogins(): Promise<void>;
  /** Ends streams and viewers, lets running requests answer, closes the connections; the front goes on for new ones. */
  disconnect(): Promise<void>;
  /** Ends streams and viewers (1001), lets running requests answer, closes the connections. Listeners are closed before. */
  close(): Promise<void>;
}

/** A fresh name for a server process, for HttpServerOptions.boot. */
export function createBootName(): string {
  return randomBytes(6).toString('hex');
}

function visitOf(request: FastifyRequest): Visit {
  if (request.visit === null) throw new Error('a request passed the door unseen');
  return request.visit;
}

function callerOf(request: FastifyRequest) {
  const { caller } = visitOf(request);
  if (caller === undefined) throw new Error('a request passed without a caller');
  return caller;
}

function isStream(payload: unknown): payload is Readable {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload && typeof payload.pipe === 'function';
}

async function collect(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function noSchemas(): never {
  throw new Error('a route declares a schema of the framework; it belongs into src/contract');
}

export async function buildHttpServer(options: HttpServerOptions): Promise<HttpFront> {
  const { clock, log, sessions } = options;
  const rules: DoorRules = {
    listener: options.listener,
    get allowedHosts() {
      return options.config.current.allowed_hosts;
    },
    isOwnAddress: options.isOwnAddress,
  };
  const createTlsServer = options.listener === 'remote' ? (await import('node:https')).createServer : undefined;
  const absence = createAbsence(options.listener);
  const { authenticate, holderOf } = createAuthentication(options);
  const recorder = createAccessRecorder({
    listener: options.listener,
    clock,
    resolveSession: (reference) => sessions.resolve(reference),
  });
  const actions = createActions(options);
  const rest = createRestHandlers(actions, options.requestShutdown);
  const streams = new Map<{ end(): void }, Caller>();
  const viewers = new WeakMap<WebSocket, Caller>();
  const servers = new Set<Server>();
  const connections = new Set<Socket>();
  const running = new Set<ServerResponse>();

  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.requestBody,
    exposeHeadRoutes: false,
    forceCloseConnections: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // Requests are checked by the schemas of the contract: the framework's own checkers are not even loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, _request, reply) => sendError(error, reply, log),
  });
  app.decorateRequest('visit', null);
  app.setErrorHandler((error, _request, reply) => sendError(error, reply, log));
  app.setNotFoundHandler((_request, reply) => sendError(new AppError('method_not_allowed'), reply, log));
  installBodyParsers(app);

  await app.register(websocket, {
    options: { maxPayload: LIMITS.requestBody, perMessageDeflate: false, clientTracking: true },
    errorHandler: (error, socket) => {
      log.info({ err: error }, 'a viewer connection broke');
      socket.close(CLOSE.failed);
    },
    preClose: (done) => done(),
  });

  app.addHook('onRequest', async (request, reply) => {
    const deadline = new Deadline(clock, reply);
    reply.raw.once('close', () => running.delete(reply.raw));
    checkTarget(request.raw);
    const host = checkHost(request.raw, rules);
    request.visit = { host, origin: judgeOrigin(request.raw, host, rules), deadline, arrivedAt: clock.monotonic() };
    if (wantsWebSocket(request.raw) && request.routeOptions.config.route?.kind !== 'upgrade') {
      void reply.header('connection', 'close');
      throw new AppError('invalid_input', { detail: 'there is no WebSocket on this path' });
    }
  });

  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Mcp-Session-Id',
      'MCP-Protocol-Version',
      'x-tuic-session',
      'Last-Event-ID',
      'If-Match',
    ],
    exposedHeaders: ['Mcp-Session-Id', 'ETag'],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: true,
  });

  app.addHook('onRequest', async (request, reply) => {
    const visit = visitOf(request);
    const route = request.routeOptions.config.route;
    Object.assign(visit, await authenticate({ request, route, host: visit.host, origin: visit.origin }));
    if (absence.isAbsent(request)) throw new AppError('not_found', { what: 'route' });
    checkGuard(route, visit.caller);
    await checkLength(request);
    if (request.is404) {
      // Before the body is read: nobody wants it.
      throw new AppError('method_not_allowed');
    }
    if (route?.kind === 'upgrade' && !request.ws) {
      void reply.header('upgrade', 'websocket');
      throw new AppError('invalid_input', { detail: 'this path is a WebSocket' });
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    request.visit?.deadline.dispose();
    if (request.visit?.login?.isNew === true && !reply.hasHeader('set-cookie')) setCookie(request, reply);
    // The compressor knows the length of a buffer only, and small answers are not compressed (http.md 1.3).
    const length = Number(reply.getHeader('content-length') ?? Number.NaN);
    const isSmall = isStream(payload) && request.method !== 'HEAD' && length <= LIMITS.compressAbove;
    return isSmall ? collect(payload) : payload;
  });

  app.addHook('onResponse', async (request, reply) => {
    request.visit?.deadline.dispose();
    const entry = recorder.ofRequest(request, reply);
    if (entry !== undefined) options.accessLog.record(entry);
  });

  await app.register(compress, {
    encodings: ['br', 'gzip'],
    // The plugin compresses from its threshold on; the rule is "over".
    threshold: LIMITS.compressAbove + 1,
  });
  if (options.staticDirectory !== undefined) {
    await app.register(files, { root: options.staticDirectory, serve: false });
  }

  async function answer(request: FastifyRequest, work: Promise<Answer>): Promise<Answer> {
    return visitOf(request).deadline.limit(work, (error) =>
      log.warn({ err: error, route: request.routeOptions.url }, 'a request failed after its deadline'),
    );
  }

  function installRest(route: Route, id: keyof typeof rest): void {
    const handle = rest[id];
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      exposeHeadRoute: route.method === 'GET',
      handler: async (request, reply) => {
        // A caller that left while it was being identified has closed already.
        if (!reply.raw.destroyed) running.add(reply.raw);
        const context = { caller: callerOf(request), signal: visitOf(request).deadline.signal };
        const { status, body, type } = await answer(request, handle(request, context, reply));
        void reply.code(status).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
        if (status === NO_CONTENT) return reply.send();
        if (body instanceof Uint8Array) {
          return reply.header('content-type', type ?? 'application/octet-stream').send(Buffer.from(body));
        }
        return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
      },
    });
  }

  /** The cookie of the login that the request came in by, made now: the key may have changed since it came. */
  function loginCookie(request: FastifyRequest): string | undefined {
    const { login, host } = visitOf(request);
    const port = request.raw.socket.localPort;
    if (login === undefined || port === undefined) return undefined;
    const session = options.access.issueSession(login.holder);
    const isSecure = host.scheme === 'https';
    return sessionCookie(session, { seconds: options.access.sessionSeconds, port, isSecure });
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply): void {
    const cookie = loginCookie(request);
    if (cookie !== undefined) void reply.header('set-cookie', cookie);
  }

  function startEvents(request: FastifyRequest, sink: EventSink): void {
    const query = parseInput(eventsQuerySchema, request.query);
    const caller = callerOf(request);
    const header = request.headers['last-event-id'];
    const lastEventId = typeof header === 'string' ? header : query.last_event_id;
    let client: Disposable | undefined;
    if (query.client_id !== undefined) {
      client = options.clients.connect({
        clientId: query.client_id,
        kind: query.client,
        isLoggedIn: caller.isLoggedIn,
      });
    }
    const stream: EventStream = new EventStream({
      sink,
      bus: options.bus,
      boot: options.boot,
      clock,
      // Only who logged in: a script that knows the id of a window must not see what is for that window alone.
      ...(caller.isLoggedIn && query.client === 'workspace' && query.client_id !== undefined
        ? { workspace: query.client_id }
        : {}),
      ...(query.types === undefined ? {} : { types: new Set(query.types.split(',')) }),
      ...(lastEventId === undefined ? {} : { lastEventId }),
      onClose: () => {
        client?.dispose();
        streams.delete(stream);
      },
    });
    if (!sink.isClosed) streams.set(stream, caller);
  }

  function installEvents(route: Route): void {
    app.get(route.path, { config: { route } }, (request, reply) => {
      parseInput(eventsQuerySchema, request.query);
      // A workspace that stays open for days keeps its login.
      setCookie(request, reply);
      const headers = reply.getHeaders() as Record<string, string>;
      reply.hijack();
      visitOf(request).deadline.dispose();
      startEvents(request, responseSink(reply.raw, headers));
    });
  }

  function installEventSocket(route: Route): void {
    /** What the answer to an upgrade brings along, as that is not written by fastify. */
    const cookies = new WeakMap<IncomingMessage, string>();
    app.after(() => {
      app.websocketServer.on('headers', (headers, raw) => {
        const cookie = cookies.get(raw);
        if (cookie !== undefined) headers.push(`set-cookie: ${cookie}`);
      });
    });
    app.route({
      method: 'GET',
      url: route.path,
      config: { route },
      preHandler: async (request) => {
        parseInput(eventsQuerySchema, request.query);
        const cookie = loginCookie(request);
        if (cookie !== undefined) cookies.set(request.raw, cookie);
      },
      handler: async () => {
        throw new AppError('invalid_input', { detail: 'this path is a WebSocket' });
      },
      wsHandler: (socket, request) => {
        visitOf(request).deadline.dispose();
        startEvents(request, socketSink(socket));
      },
    });
  }

  function mcpRequest(request: FastifyRequest): McpRequest {
    return { headers: request.headers, caller: callerOf(request), signal: visitOf(request).deadline.signal };
  }

  function installMcp(route: Route): void {
    const { mcp } = options;
    const isHere = (request: FastifyRequest) => {
      if (!mcp.isEnabled && route.path === '/mcp') throw new AppError('not_found', { what: 'route' });
      return mcpRequest(request);
    };
    // Not compressed: the bridge reads by the declared length (BRG-5).
    const shape = { config: { route }, compress: false, exposeHeadRoute: false } as const;
    if (route.id === 'mcp.stream') {
      app.get(route.path, shape, (request, reply) => {
        const session = mcp.streamSession(isHere(request));
        if (session === undefined) throw new AppError('mcp_session_required');
        const headers = reply.getHeaders() as Record<string, string>;
        reply.hijack();
        visitOf(request).deadline.dispose();
        const onClose = () => streams.delete(stream);
        const stream: McpStream = new McpStream({
          endpoint: mcp,
          session,
          response: reply.raw,
          headers,
          clock,
          onClose,
        });
        if (!reply.raw.destroyed) streams.set(stream, callerOf(request));
      });
      return;
    }
    const answerIt = async (
      request: FastifyRequest,
    ): Promise<Answer & Partial<Pick<McpAnswer, 'headers' | 'stream'>>> => {
      if (route.id === 'mcp.instructions') return { status: 200, body: { instructions: await mcp.instructions() } };
      if (route.id === 'mcp.status') return { status: 200, body: await mcp.status() };
      const arrived = isHere(request);
      if (route.id === 'mcp.post') {
        const answered = await mcp.answer(typeof request.body === 'string' ? request.body : '', arrived);
        return { ...answered, body: answered.body };
      }
      const status = mcp.end(arrived);
      if (status === 401) throw new AppError('mcp_session_required');
      if (status === 404) throw new AppError('not_found', { what: 'MCP session' });
      return { status, body: { ok: true } };
    };
    app.route({
      ...shape,
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        if (!reply.raw.destroyed) running.add(reply.raw);
        const work = answerIt(request);
        const { status, body } = await answer(request, work);
        const { headers = {}, stream } = await work;
        void reply.code(status).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
        void reply.headers(headers);
        if (stream !== undefined) {
          // Open as long as the client listens; a server that ends cuts it.
          running.delete(reply.raw);
          const events = Readable.fromWeb(stream);
          const following = { end: () => reply.raw.end() };
          streams.set(following, callerOf(request));
          reply.raw.once('close', () => streams.delete(following));
          return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(events);
        }
        if (body === undefined) return reply.header('content-length', '0').send();
        return reply.header('content-type', 'application/json').send(restoreExactJson(JSON.stringify(body)));
      },
    });
  }

  function installStream(route: Route): void {
    app.route({
      method: 'GET',
      url: route.path,
      config: { route },
      // Answers an unknown session before the upgrade, as plain HTTP.
      preHandler: async (request) => {
        const { id } = request.params as { id: string };
        parseInput(streamQuerySchema, request.query);
        if (sessions.get(id).lifecycle === 'exited') throw new AppError('session_not_found');
      },
      handler: async () => {
        throw new AppError('invalid_input', { detail: 'this path is a WebSocket' });
      },
      wsHandler: (socket, request) => {
        visitOf(request).deadline.dispose();
        const { id } = request.params as { id: string };
        viewers.set(socket, callerOf(request));
        new ViewerSocket({
          socket,
          sessions,
          reference: id,
          query: parseInput(streamQuerySchema, request.query),
          log,
          onInput: () => options.accessLog.record(recorder.ofStream(request)),
        });
      },
    });
  }

  function installApiPage(route: Route): void {
    app.route({
      method: ['GET', 'HEAD'],
      url: route.path,
      config: { route },
      handler: (request, reply) => {
        setCookie(request, reply);
        return serveApiPage(reply, visitOf(request), options.staticDirectory);
      },
    });
  }

  function installMonitor(route: Route): void {
    app.route({
      method: ['GET', 'HEAD'],
      url: route.path,
      config: { route },
      handler: (request, reply) => {
        setCookie(request, reply);
        return serveMonitor(reply, options.monitorPage);
      },
    });
  }

  function installPages(route: Route): void {
    app.route({
      method: ['GET', 'HEAD'],
      url: route.path,
      config: { route },
      handler: (request, reply) => {
        setCookie(request, reply);
        return servePage(request, reply, visitOf(request), options.staticDirectory);
      },
    });
  }

  function installTabFiles(route: Route): void {
    app.route({
      method: ['GET', 'HEAD'],
      url: route.path,
      config: { route },
      handler: (request, reply) => serveTabFile(request, reply, options.tabs),
    });
  }

  for (const route of ROUTES) {
    if (!isServedOn(route, options.listener)) continue;
    if (route.id === 'events') installEvents(route);
    else if (route.id === 'events.socket') installEventSocket(route);
    else if (route.id === 'session.stream') installStream(route);
    else if (route.id === 'process.monitor') installMonitor(route);
    else if (route.id === 'tabs.file') installTabFiles(route);
    else if (route.id === 'docs.page') installApiPage(route);
    else if (route.id === 'page') installPages(route);
    else if (
      route.id === 'mcp.post' ||
      route.id === 'mcp.stream' ||
      route.id === 'mcp.end' ||
      route.id === 'mcp.instructions' ||
      route.id === 'mcp.status'
    )
      installMcp(route);
    else if (route.id === 'login') {
      app.get(route.path, { config: { route } }, (request, reply) =>
        logIn(request, reply, {
          access: options.access,
          listener: options.listener,
          isSecure: visitOf(request).host.scheme === 'https',
          holderOf: () => holderOf({ request, host: visitOf(request).host }),
        }),
      );
    } else installRest(route, route.id);
  }
  await app.ready();

  async function endStreams(isMeant: (caller: Caller) => boolean = () => true): Promise<void> {
    for (const [stream, caller] of streams) if (isMeant(caller)) stream.end();
    const meant = [...app.websocketServer.clients].filter((socket) => {
      const caller = viewers.get(socket);
      return caller === undefined || isMeant(caller);
    });
    if (meant.length === 0) return;
    const allClosed = Promise.all(meant.map((viewer) => new Promise((resolve) => viewer.once('close', resolve))));
    for (const viewer of meant) viewer.close(CLOSE.goingAway);
    const timer = clock.after(DEADLINES.socketClose, () => {
      for (const viewer of meant) viewer.terminate();
    });
    await allClosed;
    timer.dispose();
  }

  /** Requests that are being answered get a moment to finish. */
  async function finishRunning(): Promise<void> {
    if (running.size === 0) return;
    const allDone = Promise.all(
      [...running].map((response) => new Promise((resolve) => response.once('close', resolve))),
    );
    const limit = new AbortController();
    const patience = delay(clock, DEADLINES.shutdownGrace, limit.signal).catch((error: unknown) => {
      if (!limit.signal.aborted) throw error;
    });
    await Promise.race([allDone, patience]);
    limit.abort();
  }

  return {
    createServer(material) {
      const tls = material && createTlsServer && { createServer: createTlsServer, material };
      if (material !== undefined && tls === undefined) throw new Error('TLS is for the remote listener only');
      const server = createHttpListener(
        (request, response) => app.routing(request, response),
        (request, socket, head) => {
          // While closing nobody takes upgrades any more.
          if (!app.server.emit('upgrade', request, socket, head)) socket.destroy();
        },
        tls,
      );
      servers.add(server);
      server.once('close', () => servers.delete(server));
      server.on('connection', (socket) => {
        connections.add(socket);
        socket.once('close', () => connections.delete(socket));
      });
      return server;
    },
    endLogins: () => endStreams(({ isLoggedIn }) => isLoggedIn),
    async disconnect() {
      // Those of now: who comes while the others are waited for, comes by what holds after the change.
      const meant = [...connections];
      await endStreams();
      await finishRunning();
      // What came over an open connection in the meantime.
      await endStreams();
      for (const socket of meant) socket.destroy();
    },
    async close() {
      await endStreams();
      await finishRunning();
      await app.close();
      // What came over an open connection in the meantime.
      await endStreams();
      for (const server of servers) server.closeAllConnections();
    },
  };
}
