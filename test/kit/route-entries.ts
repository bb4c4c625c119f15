/**
 * What a test needs to know about each row of the route table: a request that only the doors can refuse, and its answer. A row
 * without an entry does not compile.
 */
import type { Route, RouteId } from '../../src/contract/index.ts';
import { TEST_LOGIN } from './front.ts';

export interface RouteEntry {
  /** A valid query, where the row needs one. */
  query?: string;
  /** A valid body. */
  body?: string;
  /** Answer to a caller that the door let in, over the scripted sessions of the test front. */
  passes: number;
  /** The same over IPC, where it differs. */
  passesIpc?: number;
}

const plain: RouteEntry = { passes: 200 };

export const ROUTE_ENTRIES: Record<RouteId, RouteEntry> = {
  health: plain,
  stats: plain,
  metrics: plain,
  version: plain,
  'session.list': plain,
  'session.create': { body: '{}', passes: 201 },
  'session.resume-agent': { passes: 409 },
  'session.create-agent': { body: '{"prompt":"x"}', passes: 201 },
  'session.close': plain,
  'session.write': { body: '{"data":"x"}', passes: 200 },
  'session.submit': { body: '{"input":"x"}', passes: 200 },
  'session.wait': plain,
  'session.resize': { body: '{"rows":2,"cols":2}', passes: 200 },
  'session.pause': plain,
  'session.resume': plain,
  'session.rename': { body: '{"name":"x"}', passes: 200 },
  'session.output': plain,
  'session.shell-family': plain,
  'session.foreground': plain,
  'session.has-foreground': plain,
  'session.leaf-pid': plain,
  'session.raw-ring': plain,
  'session.stream': { passes: 101 },
  events: plain,
  'events.socket': { passes: 101 },
  'clients.list': plain,
  'clients.focus': { body: '{"focused":true}', passes: 404 },
  'confirms.list': plain,
  'confirms.answer': { body: '{"confirmed":true}', passes: 404 },
  'tabs.list': plain,
  'tabs.close': { passes: 404 },
  // Judged by its ticket, which is dead here.
  'tabs.file': { passes: 401 },
  'login.ticket': plain,
  login: { passes: 401, passesIpc: 404 },
  'config.read': plain,
  'config.save': { body: '{"theme":"x"}', passes: 200 },
  'config.file.read': plain,
  'config.file.write': { body: '{}', passes: 200 },
  'config.hash-password': { body: '{"password":"x"}', passes: 200 },
  'auth.hash-password': { body: '{"password":"x"}', passes: 200 },
  'auth.rotate-token': plain,
  'auth.rotate-session-token': plain,
  'diagnostics.listeners': plain,
  'diagnostics.secrets': plain,
  'capture.status': plain,
  'capture.change': { body: '{"enabled":false}', passes: 200 },
  'logs.list': plain,
  'logs.add': { body: '{"level":"info","source":"test","message":"x"}', passes: 204 },
  'logs.clear': { passes: 204 },
  'logs.access': plain,
  'process.stats': plain,
  'process.history': plain,
  'process.kill': { body: '{"pid":902,"start_ticks":9020}', passes: 200 },
  'process.monitor': plain,
  'repository.info': { query: 'path=/', passes: 200 },
  'repository.list': plain,
  'repository.active': plain,
  'progress.list': { query: 'path=/', passes: 200 },
  'progress.pause': { body: '{"path":"/","paused":false}', passes: 200 },
  'progress.clear': { body: '{"path":"/"}', passes: 200 },
  'progress.export': { query: 'path=/', passes: 200 },
  'progress.correct': { body: '{"text":"x"}', passes: 404 },
  'folders.list': plain,
  'folders.resolve': { query: 'candidate=x', passes: 200 },
  'launch.choices': plain,
  'diagnostics.storage': plain,
  'agents.list': plain,
  'agents.ides': plain,
  'agents.detect': plain,
  'agents.detect-all': { body: '{"binaries":["x"]}', passes: 200 },
  'agents.open-in-app': { body: '{"path":"/","app":"x"}', passes: 400 },
  'agents.verify-session': { body: '{"agentType":"claude","sessionId":"x","cwd":"/"}', passes: 200 },
  // No workspace is open, and nothing was asked.
  'screenshots.upload': { body: '{"error":"it is not open"}', passes: 404 },
  'debug.invoke-js': { body: '{"script":"1"}', passes: 409 },
  'debug.script': { passes: 404 },
  'debug.script-answer': { body: '{"result":1}', passes: 404 },
  'plugins.docs': plain,
  'mcp.post': { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', passes: 200 },
  // Without its header; the door is what counts here.
  'mcp.stream': { passes: 401 },
  'mcp.end': { passes: 401 },
  'mcp.instructions': plain,
  'mcp.status': plain,
  'upstreams.read': plain,
  'upstreams.save': { body: '{"base":{},"config":{}}', passes: 200 },
  'upstreams.status': plain,
  'upstreams.test': { body: '{"transport":{"type":"stdio","command":"/nothing/here"}}', passes: 200 },
  'upstreams.reconnect': { body: '{"name":"x"}', passes: 404 },
  'upstreams.credential': { body: '{"name":"x","token":"y"}', passes: 404 },
  'upstreams.forget-credential': { query: 'name=x', passes: 404 },
  'host.status': plain,
  'host.stop': plain,
  shutdown: plain,
  'docs.openapi': plain,
  // The test front has no built workspace.
  'docs.page': { passes: 404 },
  page: { passes: 404 },
};

export function entryOf(route: Route): RouteEntry {
  return ROUTE_ENTRIES[route.id as RouteId];
}

/** Rows that let everybody through to their handler, which judges the ticket. */
export function isJudgedByTicket({ ticket }: Route): boolean {
  return ticket === 'login' || ticket === 'file';
}

/** A path of the row whose parameters name something that exists. */
export function pathOf(route: Route): string {
  const { query } = entryOf(route);
  const path = route.path
    .replace(':id', 'known')
    .replace(':client_id', 'x')
    .replace(':request_id', 'x')
    .replace(':file', 'notes')
    .replace(':tab_id', 'x')
    .replace(':ticket', 'x')
    .replace('*', 'any/page');
  return query === undefined ? path : `${path}?${query}`;
}

/** Header lines and body of a valid request, without Host and credentials. */
export function requestOf(route: Route): { lines: string[]; body: string } {
  const { body = '' } = entryOf(route);
  const lines =
    route.kind === 'upgrade'
      ? [
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ]
      : ['Connection: close'];
  if (body !== '') lines.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return { lines, body };
}

export const BASIC = `Authorization: ${TEST_LOGIN.header}`;
