/**
 * The route table: everything HTTP serves, in one place. The builder registers exactly these rows, the door tests run over
 * all of them, and the reference is generated from them. A row missing here cannot be served; one without a handler does
 * not compile.
 */

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** json: one JSON answer; bytes: one binary answer; upgrade: WebSocket; stream: event stream; page: html and its files. */
export type RouteKind = 'json' | 'bytes' | 'upgrade' | 'stream' | 'page';

/** `everywhere`, or absent from the remote listener (http.md 1.7). */
export type RouteExposure = 'everywhere' | 'local';

/** http.md 1.6. `none`: any caller that passed the door. */
export type RouteGuard = 'none' | 'local' | 'localOrAuth';

export interface Route {
  readonly id: string;
  readonly method: RouteMethod;
  /** Parameters as `:name`; a trailing `*` takes the rest. */
  readonly path: string;
  readonly kind: RouteKind;
  readonly exposure: RouteExposure;
  readonly guard: RouteGuard;
  /** Purpose of the ticket that is a credential here, besides those that are valid on every route. That of a file lives as long as its tab. */
  readonly ticket?: 'login' | 'stream' | 'file';
}

export const ROUTES = [
  { id: 'health', method: 'GET', path: '/health', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'stats', method: 'GET', path: '/stats', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'metrics', method: 'GET', path: '/metrics', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'version', method: 'GET', path: '/api/version', kind: 'json', exposure: 'everywhere', guard: 'none' },

  { id: 'session.list', method: 'GET', path: '/sessions', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'session.create', method: 'POST', path: '/sessions', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'session.create-agent',
    method: 'POST',
    path: '/sessions/agent',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'session.close',
    method: 'DELETE',
    path: '/sessions/:id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.write',
    method: 'POST',
    path: '/sessions/:id/write',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.resize',
    method: 'POST',
    path: '/sessions/:id/resize',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.pause',
    method: 'POST',
    path: '/sessions/:id/pause',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.resume',
    method: 'POST',
    path: '/sessions/:id/resume',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.rename',
    method: 'PUT',
    path: '/sessions/:id/name',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.output',
    method: 'GET',
    path: '/sessions/:id/output',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.shell-family',
    method: 'GET',
    path: '/sessions/:id/shell-family',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.foreground',
    method: 'GET',
    path: '/sessions/:id/foreground',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.has-foreground',
    method: 'GET',
    path: '/sessions/:id/has-foreground',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.leaf-pid',
    method: 'GET',
    path: '/sessions/:id/leaf-pid',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.raw-ring',
    method: 'GET',
    path: '/sessions/:id/raw-ring',
    kind: 'bytes',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'session.stream',
    method: 'GET',
    path: '/sessions/:id/stream',
    kind: 'upgrade',
    exposure: 'everywhere',
    guard: 'none',
    ticket: 'stream',
  },

  {
    id: 'events',
    method: 'GET',
    path: '/events',
    kind: 'stream',
    exposure: 'everywhere',
    guard: 'none',
    ticket: 'stream',
  },
  {
    id: 'events.socket',
    method: 'GET',
    path: '/events/socket',
    kind: 'upgrade',
    exposure: 'everywhere',
    guard: 'none',
    ticket: 'stream',
  },
  { id: 'clients.list', method: 'GET', path: '/ui/clients', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'confirms.list',
    method: 'GET',
    path: '/ui/confirms',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'confirms.answer',
    method: 'POST',
    path: '/ui/confirms/:request_id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'clients.focus',
    method: 'POST',
    path: '/ui/clients/:client_id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  { id: 'tabs.list', method: 'GET', path: '/ui/tabs', kind: 'json', exposure: 'everywhere', guard: 'localOrAuth' },
  {
    id: 'tabs.close',
    method: 'DELETE',
    path: '/ui/tabs/:tab_id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'tabs.file',
    method: 'GET',
    path: '/ui/files/:ticket/*',
    kind: 'bytes',
    exposure: 'everywhere',
    guard: 'none',
    ticket: 'file',
  },

  {
    id: 'login.ticket',
    method: 'POST',
    path: '/login/ticket',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  { id: 'login', method: 'GET', path: '/login', kind: 'page', exposure: 'everywhere', guard: 'none', ticket: 'login' },

  { id: 'config.read', method: 'GET', path: '/config', kind: 'json', exposure: 'everywhere', guard: 'localOrAuth' },
  { id: 'config.save', method: 'PUT', path: '/config', kind: 'json', exposure: 'everywhere', guard: 'localOrAuth' },
  {
    id: 'config.file.read',
    method: 'GET',
    path: '/config/:file',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'config.file.write',
    method: 'PUT',
    path: '/config/:file',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'config.hash-password',
    method: 'POST',
    path: '/config/hash-password',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'auth.hash-password',
    method: 'POST',
    path: '/auth/hash-password',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'auth.rotate-token',
    method: 'POST',
    path: '/api/auth/rotate-token',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'auth.rotate-session-token',
    method: 'POST',
    path: '/auth/rotate-session-token',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'diagnostics.listeners',
    method: 'GET',
    path: '/diagnostics/listeners',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'diagnostics.secrets',
    method: 'GET',
    path: '/diagnostics/secrets',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },

  {
    id: 'capture.status',
    method: 'GET',
    path: '/diagnostics/capture',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'capture.change',
    method: 'POST',
    path: '/diagnostics/capture',
    kind: 'json',
    exposure: 'local',
    guard: 'localOrAuth',
  },
  { id: 'logs.list', method: 'GET', path: '/logs', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'logs.add', method: 'POST', path: '/logs', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'logs.clear', method: 'DELETE', path: '/logs', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'logs.access',
    method: 'GET',
    path: '/logs/access',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },

  { id: 'process.stats', method: 'GET', path: '/process/stats', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'process.history',
    method: 'GET',
    path: '/process/history',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'process.kill',
    method: 'POST',
    path: '/process/kill',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'process.monitor',
    method: 'GET',
    path: '/process/monitor',
    kind: 'page',
    exposure: 'everywhere',
    guard: 'none',
  },

  {
    id: 'repository.info',
    method: 'GET',
    path: '/repo/info',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'repository.list',
    method: 'GET',
    path: '/repo/list',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'repository.active',
    method: 'GET',
    path: '/repo/active',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },

  {
    id: 'folders.list',
    method: 'GET',
    path: '/fs/directories',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'folders.resolve',
    method: 'GET',
    path: '/fs/resolve-terminal-path',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'launch.choices',
    method: 'GET',
    path: '/api/launch',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'diagnostics.storage',
    method: 'GET',
    path: '/diagnostics/storage',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  { id: 'agents.list', method: 'GET', path: '/agents', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'agents.ides', method: 'GET', path: '/agents/ides', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'agents.detect', method: 'GET', path: '/agents/detect', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'agents.detect-all',
    method: 'POST',
    path: '/agents/detect-all',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  {
    id: 'screenshots.upload',
    method: 'POST',
    path: '/ui/screenshots/:request_id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  { id: 'debug.invoke-js', method: 'POST', path: '/debug/invoke_js', kind: 'json', exposure: 'local', guard: 'local' },
  {
    id: 'debug.script',
    method: 'GET',
    path: '/debug/scripts/:request_id',
    kind: 'bytes',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  {
    id: 'debug.script-answer',
    method: 'POST',
    path: '/debug/scripts/:request_id',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'localOrAuth',
  },
  { id: 'plugins.docs', method: 'GET', path: '/plugins/docs', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'mcp.post', method: 'POST', path: '/mcp', kind: 'json', exposure: 'everywhere', guard: 'none' },
  { id: 'mcp.stream', method: 'GET', path: '/mcp', kind: 'stream', exposure: 'everywhere', guard: 'none' },
  { id: 'mcp.end', method: 'DELETE', path: '/mcp', kind: 'json', exposure: 'everywhere', guard: 'none' },
  {
    id: 'mcp.instructions',
    method: 'GET',
    path: '/mcp/instructions',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },
  { id: 'mcp.status', method: 'GET', path: '/mcp/status', kind: 'json', exposure: 'everywhere', guard: 'none' },

  { id: 'host.status', method: 'GET', path: '/host', kind: 'json', exposure: 'local', guard: 'local' },
  { id: 'host.stop', method: 'POST', path: '/host/stop', kind: 'json', exposure: 'local', guard: 'local' },
  { id: 'shutdown', method: 'POST', path: '/shutdown', kind: 'json', exposure: 'local', guard: 'local' },

  { id: 'docs.page', method: 'GET', path: '/docs/api', kind: 'page', exposure: 'everywhere', guard: 'none' },
  {
    id: 'docs.openapi',
    method: 'GET',
    path: '/docs/api/openapi.json',
    kind: 'json',
    exposure: 'everywhere',
    guard: 'none',
  },

  { id: 'page', method: 'GET', path: '/*', kind: 'page', exposure: 'everywhere', guard: 'none' },
] as const satisfies readonly Route[];

export type RouteId = (typeof ROUTES)[number]['id'];
