import { describe, expect, it } from 'vitest';
import { ROUTES, type Route } from './routes.ts';

describe('route table', () => {
  it('is pinned: what is served, to whom, with which credential', () => {
    expect(
      ROUTES.map(
        ({ id, method, path, kind, exposure, guard, ticket }: Route) =>
          `${method} ${path} = ${id}, ${kind}, ${exposure}, guard ${guard}${ticket === undefined ? '' : `, ticket ${ticket}`}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "GET /health = health, json, everywhere, guard none",
        "GET /stats = stats, json, everywhere, guard none",
        "GET /metrics = metrics, json, everywhere, guard none",
        "GET /api/version = version, json, everywhere, guard none",
        "GET /sessions = session.list, json, everywhere, guard none",
        "POST /sessions = session.create, json, everywhere, guard none",
        "DELETE /sessions/:id = session.close, json, everywhere, guard none",
        "POST /sessions/:id/write = session.write, json, everywhere, guard none",
        "POST /sessions/:id/resize = session.resize, json, everywhere, guard none",
        "POST /sessions/:id/pause = session.pause, json, everywhere, guard none",
        "POST /sessions/:id/resume = session.resume, json, everywhere, guard none",
        "PUT /sessions/:id/name = session.rename, json, everywhere, guard none",
        "GET /sessions/:id/output = session.output, json, everywhere, guard none",
        "GET /sessions/:id/shell-family = session.shell-family, json, everywhere, guard none",
        "GET /sessions/:id/foreground = session.foreground, json, everywhere, guard none",
        "GET /sessions/:id/has-foreground = session.has-foreground, json, everywhere, guard none",
        "GET /sessions/:id/leaf-pid = session.leaf-pid, json, everywhere, guard none",
        "GET /sessions/:id/raw-ring = session.raw-ring, bytes, everywhere, guard none",
        "GET /sessions/:id/stream = session.stream, upgrade, everywhere, guard none, ticket stream",
        "GET /events = events, stream, everywhere, guard none, ticket stream",
        "GET /events/socket = events.socket, upgrade, everywhere, guard none, ticket stream",
        "GET /ui/clients = clients.list, json, everywhere, guard none",
        "GET /ui/confirms = confirms.list, json, everywhere, guard none",
        "POST /ui/confirms/:request_id = confirms.answer, json, everywhere, guard localOrAuth",
        "POST /ui/clients/:client_id = clients.focus, json, everywhere, guard none",
        "POST /login/ticket = login.ticket, json, everywhere, guard localOrAuth",
        "GET /login = login, page, everywhere, guard none, ticket login",
        "GET /config = config.read, json, everywhere, guard localOrAuth",
        "PUT /config = config.save, json, everywhere, guard localOrAuth",
        "GET /config/:file = config.file.read, json, everywhere, guard localOrAuth",
        "PUT /config/:file = config.file.write, json, everywhere, guard localOrAuth",
        "POST /config/hash-password = config.hash-password, json, everywhere, guard localOrAuth",
        "POST /auth/hash-password = auth.hash-password, json, everywhere, guard localOrAuth",
        "POST /api/auth/rotate-token = auth.rotate-token, json, everywhere, guard localOrAuth",
        "POST /auth/rotate-session-token = auth.rotate-session-token, json, everywhere, guard localOrAuth",
        "GET /diagnostics/listeners = diagnostics.listeners, json, everywhere, guard localOrAuth",
        "GET /diagnostics/secrets = diagnostics.secrets, json, everywhere, guard localOrAuth",
        "GET /diagnostics/capture = capture.status, json, everywhere, guard localOrAuth",
        "POST /diagnostics/capture = capture.change, json, local, guard localOrAuth",
        "GET /logs = logs.list, json, everywhere, guard none",
        "POST /logs = logs.add, json, everywhere, guard none",
        "DELETE /logs = logs.clear, json, everywhere, guard none",
        "GET /logs/access = logs.access, json, everywhere, guard localOrAuth",
        "GET /process/stats = process.stats, json, everywhere, guard none",
        "GET /process/history = process.history, json, everywhere, guard none",
        "POST /process/kill = process.kill, json, everywhere, guard localOrAuth",
        "GET /process/monitor = process.monitor, page, everywhere, guard none",
        "GET /fs/directories = folders.list, json, everywhere, guard localOrAuth",
        "GET /fs/resolve-terminal-path = folders.resolve, json, everywhere, guard localOrAuth",
        "GET /api/launch = launch.choices, json, everywhere, guard localOrAuth",
        "GET /diagnostics/storage = diagnostics.storage, json, everywhere, guard localOrAuth",
        "GET /agents = agents.list, json, everywhere, guard none",
        "GET /agents/ides = agents.ides, json, everywhere, guard none",
        "GET /agents/detect = agents.detect, json, everywhere, guard none",
        "POST /agents/detect-all = agents.detect-all, json, everywhere, guard none",
        "GET /plugins/docs = plugins.docs, json, everywhere, guard none",
        "POST /mcp = mcp.post, json, everywhere, guard none",
        "GET /mcp = mcp.stream, stream, everywhere, guard none",
        "DELETE /mcp = mcp.end, json, everywhere, guard none",
        "GET /mcp/instructions = mcp.instructions, json, everywhere, guard none",
        "GET /mcp/status = mcp.status, json, everywhere, guard none",
        "GET /host = host.status, json, local, guard local",
        "POST /host/stop = host.stop, json, local, guard local",
        "POST /shutdown = shutdown, json, local, guard local",
        "GET /docs/api = docs.page, page, everywhere, guard none",
        "GET /docs/api/openapi.json = docs.openapi, json, everywhere, guard none",
        "GET /* = page, page, everywhere, guard none",
      ]
    `);
  });

  it('names each row and each path once', () => {
    expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length);
    expect(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)).size).toBe(ROUTES.length);
  });

  it('has no GET that changes anything, except that a login link is used up', () => {
    // Whatever changes something is a POST, PUT or DELETE; these are all the GETs, each looked at for its effects.
    const reads = ROUTES.filter(({ method }) => method === 'GET').map(({ id }) => id);
    expect(reads).toEqual([
      'health',
      'stats',
      'metrics',
      'version',
      'session.list',
      'session.output',
      'session.shell-family',
      'session.foreground',
      'session.has-foreground',
      'session.leaf-pid',
      'session.raw-ring',
      'session.stream',
      'events',
      'events.socket',
      'clients.list',
      'confirms.list',
      'login',
      'config.read',
      'config.file.read',
      'diagnostics.listeners',
      'diagnostics.secrets',
      'capture.status',
      'logs.list',
      'logs.access',
      'process.stats',
      'process.history',
      'process.monitor',
      'folders.list',
      'folders.resolve',
      'launch.choices',
      'diagnostics.storage',
      'agents.list',
      'agents.ides',
      'agents.detect',
      'plugins.docs',
      'mcp.stream',
      'mcp.instructions',
      'mcp.status',
      'host.status',
      'docs.page',
      'docs.openapi',
      'page',
    ]);
    expect(ROUTES.filter((route: Route) => route.ticket === 'login').map(({ id }) => id)).toEqual(['login']);
  });
});
