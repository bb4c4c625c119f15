/** Binds each row of the route table to its action: where the input comes from and how the output looks on the wire. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { describeApi, type OpenApi } from '../../contract/api-description/index.ts';
import type { CreatedSession, RouteId } from '../../contract/index.ts';
import { type Action, type ActionContext, type Actions, runAction } from '../actions.ts';

export interface Answer {
  status: number;
  body: unknown;
  /** Of bytes that are not just bytes. */
  type?: string;
}

export type RestHandler = (request: FastifyRequest, context: ActionContext, reply: FastifyReply) => Promise<Answer>;

/** Rows that are more than one question and one answer; the builder serves them itself. */
export type SpecialRoute =
  | 'mcp.post'
  | 'mcp.stream'
  | 'mcp.end'
  | 'mcp.instructions'
  | 'mcp.status'
  | 'session.stream'
  | 'events'
  | 'events.socket'
  | 'login'
  | 'tabs.file'
  | 'process.monitor'
  | 'docs.page'
  | 'page';

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The path names the object; nothing in a body or query may name another. */
function inputOf(request: FastifyRequest): Record<string, unknown> {
  const rest = request.method === 'GET' || request.method === 'DELETE' ? request.query : request.body;
  return { ...record(rest), ...record(request.params) };
}

export function createRestHandlers(
  actions: Actions,
  requestShutdown: () => void,
): Record<Exclude<RouteId, SpecialRoute>, RestHandler> {
  function plain<Schema extends z.ZodType, Output>(action: Action<Schema, Output>, status = 200): RestHandler {
    return async (request, context) => ({ status, body: await runAction(action, inputOf(request), context) });
  }

  /** The access log names the session. */
  function created<Schema extends z.ZodType>(action: Action<Schema, CreatedSession>): RestHandler {
    return async (request, context) => {
      const body = await runAction(action, inputOf(request), context);
      if (request.visit !== null) request.visit.sessionId = body.session_id;
      return { status: 201, body };
    };
  }

  /** Made when somebody asks for it first; it does not change. */
  let api: OpenApi | undefined;

  const rotate: RestHandler = async (request, context) => {
    const body = await runAction(actions['auth.rotate-token'], inputOf(request), context);
    // Whoever asked stays logged in; everybody else has to log in again.
    if (request.visit?.login !== undefined) request.visit.login.isNew = true;
    return { status: 200, body };
  };

  return {
    health: plain(actions['server.health']),
    stats: plain(actions['server.stats']),
    metrics: plain(actions['server.metrics']),
    version: plain(actions['server.version']),
    'session.list': plain(actions['session.list']),
    'session.create': created(actions['session.create']),
    'session.create-agent': created(actions['session.create-agent']),
    'session.resume-agent': created(actions['session.resume-agent']),
    'session.close': plain(actions['session.close']),
    'session.write': plain(actions['session.write']),
    'session.submit': plain(actions['session.submit']),
    'session.wait': plain(actions['session.wait']),
    'session.resize': plain(actions['session.resize']),
    'session.pause': plain(actions['session.pause']),
    'session.resume': plain(actions['session.resume']),
    'session.rename': plain(actions['session.rename']),
    'session.output': plain(actions['session.output']),
    'session.shell-family': plain(actions['session.shell-family']),
    'session.foreground': plain(actions['session.foreground']),
    'session.has-foreground': plain(actions['session.has-foreground']),
    'session.leaf-pid': plain(actions['session.leaf-pid']),
    'session.raw-ring': plain(actions['session.raw-ring']),
    'clients.list': plain(actions['clients.list']),
    'confirms.list': plain(actions['ui.confirms']),
    'confirms.answer': plain(actions['ui.answer']),
    'tabs.list': plain(actions['ui.tabs']),
    'tabs.close': plain(actions['ui.close-tab']),
    'clients.focus': plain(actions['clients.focus']),
    'login.ticket': async (request, context) => {
      const { ticket, isLogin, port } = await runAction(actions['login.ticket'], inputOf(request), context);
      const host = request.visit?.host;
      const local = port === undefined ? undefined : `http://127.0.0.1:${port}`;
      // From elsewhere the link leads back to where the question came in; the name was checked.
      const base = context.caller.isRemote && host !== undefined ? `${host.scheme}://${host.host}` : local;
      const url = !isLogin || base === undefined ? {} : { url: `${base}/login?ticket=${ticket}` };
      return { status: 200, body: { ticket, ...url, expires_in_secs: 60 } };
    },
    'config.read': async (request, context, reply) => {
      const { value, etag } = await runAction(actions['config.read'], inputOf(request), context);
      void reply.header('etag', etag);
      return { status: 200, body: value };
    },
    'config.save': async (request, context, reply) => {
      const input = { changes: request.body, ifMatch: request.headers['if-match'] };
      const { etag } = await runAction(actions['config.save'], input, context);
      void reply.header('etag', etag);
      return { status: 200, body: { ok: true } };
    },
    'config.file.read': async (request, context, reply) => {
      const { value, etag } = await runAction(actions['config.file.read'], inputOf(request), context);
      void reply.header('etag', etag);
      return { status: 200, body: value };
    },
    'config.file.write': async (request, context, reply) => {
      const input = { ...record(request.params), value: request.body, ifMatch: request.headers['if-match'] };
      const { etag } = await runAction(actions['config.file.write'], input, context);
      void reply.header('etag', etag);
      return { status: 200, body: { ok: true } };
    },
    'config.hash-password': plain(actions['auth.hash-password']),
    'auth.hash-password': plain(actions['auth.hash-password']),
    'auth.rotate-token': rotate,
    'auth.rotate-session-token': rotate,
    'diagnostics.listeners': plain(actions['diagnostics.listeners']),
    'diagnostics.secrets': plain(actions['diagnostics.secrets']),
    'capture.status': plain(actions['capture.status']),
    'capture.change': plain(actions['capture.change']),
    'logs.list': plain(actions['logs.list']),
    'logs.add': plain(actions['logs.add'], 204),
    'logs.clear': plain(actions['logs.clear'], 204),
    'logs.access': plain(actions['logs.access']),
    'process.stats': plain(actions['process.stats']),
    'process.history': plain(actions['process.history']),
    'process.kill': async (request, context) => {
      const body = await runAction(actions['process.kill'], inputOf(request), context);
      if (request.visit !== null) request.visit.sessionId = body.session_id;
      return { status: 200, body };
    },
    'docs.openapi': async (request, context) => {
      const { version } = await runAction(actions['server.version'], inputOf(request), context);
      api ??= describeApi(version);
      return { status: 200, body: api };
    },
    'repository.info': plain(actions['repository.info']),
    'repository.list': plain(actions['repository.list']),
    'repository.active': plain(actions['repository.active']),
    'progress.list': plain(actions['progress.list']),
    'progress.pause': plain(actions['progress.pause']),
    'progress.clear': plain(actions['progress.clear']),
    'progress.correct': plain(actions['progress.correct']),
    'progress.export': async (request, context) => {
      const { type, text } = await runAction(actions['progress.export'], inputOf(request), context);
      return { status: 200, body: Buffer.from(text), type };
    },
    'folders.list': plain(actions['folders.list']),
    'folders.resolve': plain(actions['folders.resolve']),
    'launch.choices': plain(actions['launch.choices']),
    'agents.list': plain(actions['agent.list']),
    'agents.ides': plain(actions['agent.editors']),
    'agents.detect': plain(actions['agent.detect']),
    'agents.detect-all': plain(actions['agent.detect-all']),
    'agents.open-in-app': plain(actions['agent.open-in-app']),
    'agents.verify-session': plain(actions['agent.verify-session']),
    'screenshots.upload': async (request, context) => {
      const { body } = request;
      const sent = Buffer.isBuffer(body) ? { type: request.headers['content-type'] ?? '', bytes: body } : body;
      const input = { ...record(request.params), body: sent };
      return { status: 200, body: await runAction(actions['ui.screenshot-answer'], input, context) };
    },
    'debug.invoke-js': plain(actions['debug.invoke-js']),
    'debug.script': async (request, context, reply) => {
      const text = await runAction(actions['debug.script'], inputOf(request), context);
      // A page of another origin on this machine may not load it either.
      void reply.header('cross-origin-resource-policy', 'same-origin');
      return { status: 200, body: Buffer.from(text), type: 'text/javascript; charset=utf-8' };
    },
    'debug.script-answer': async (request, context) => {
      const input = { ...record(request.params), outcome: request.body };
      return { status: 200, body: await runAction(actions['debug.script-answer'], input, context) };
    },
    'plugins.docs': plain(actions['plugins.docs']),
    'upstreams.read': plain(actions['upstreams.read']),
    'upstreams.save': plain(actions['upstreams.save']),
    'upstreams.status': plain(actions['upstreams.status']),
    'upstreams.test': plain(actions['upstreams.test']),
    'upstreams.reconnect': plain(actions['upstreams.reconnect']),
    'upstreams.credential': plain(actions['upstreams.credential']),
    // The contract has the name in the body of the DELETE; a query is what other clients can send.
    'upstreams.forget-credential': async (request, context) => ({
      status: 200,
      body: await runAction(
        actions['upstreams.forget-credential'],
        { ...record(request.query), ...record(request.body) },
        context,
      ),
    }),
    'diagnostics.storage': plain(actions['diagnostics.storage']),
    'host.status': plain(actions['host.status']),
    'host.stop': plain(actions['host.stop']),
    shutdown: async (request, context, reply) => {
      const body = await runAction(actions['server.shutdown'], inputOf(request), context);
      // Answered first: the connection this came by ends with the server.
      reply.raw.once('close', requestShutdown);
      void reply.header('connection', 'close');
      return { status: 200, body };
    },
  };
}
