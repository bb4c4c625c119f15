/**
 * One action, many fronts (DESIGN 5): what REST and MCP both offer is the same action with the same input, has the same domain call,
 * value and refusal. And what only one of them offers has a reason, here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../test/kit/cleanup.ts';
import { startFront, type TestFront } from '../../test/kit/front.ts';
import { AppError, findNativeTool, ROUTES } from '../contract/index.ts';
import { type Action, type ActionContext, type Actions, createActions } from './actions.ts';
import type { HttpServerOptions } from './http/index.ts';
import { createRestHandlers } from './http/rest.ts';
import { createProjections } from './mcp/projections.ts';

type ActionName = keyof Actions;
type Fields = Record<string, unknown>;

interface Twin {
  route: keyof ReturnType<typeof createRestHandlers>;
  params?: Fields;
  /** As text, like in a URL. */
  query?: Record<string, string>;
  body?: Fields;
  tool: string;
  toolAction: string;
  input: Fields;
  /** How the tool's value follows from that of REST, where mcp.md fixes another shape. */
  project?: (body: never) => unknown;
  /** What the tool says of an unknown session, where mcp.md fixes other words. */
  unknown?: { code: string; message: unknown } | 'receipt';
  /** Both refuse it here, with this code. */
  refused?: string;
}

const known = { id: 'known' };
const session_id = 'known';

const TWINS: Partial<Record<ActionName, readonly Twin[]>> = {
  'session.list': [
    {
      route: 'session.list',
      tool: 'session',
      toolAction: 'list',
      input: {},
      project: (list: Fields[]) =>
        list.map(({ session_id: id, alias, cwd }) => ({ session_id: id, is_caller: false, alias, cwd })),
    },
    {
      route: 'session.list',
      query: { lifecycle: 'all' },
      tool: 'debug',
      toolAction: 'sessions',
      input: {},
      project: (sessions: Fields[]) => ({ sessions }),
    },
  ],
  'session.create': [
    {
      route: 'session.create',
      body: { cwd: '/tmp', shell: '/bin/sh', rows: 5, cols: 50 },
      tool: 'session',
      toolAction: 'create',
      input: { cwd: '/tmp', shell: '/bin/sh', rows: 5, cols: 50 },
      project: ({ session_id: id }: Fields) => ({ session_id: id }),
    },
  ],
  'session.write': [
    {
      route: 'session.write',
      params: known,
      body: { data: 'ls\r' },
      tool: 'session',
      toolAction: 'input',
      input: { session_id, input: 'ls', special_key: 'enter' },
    },
  ],
  'session.output': [
    {
      route: 'session.output',
      params: known,
      query: { format: 'raw', limit: '100' },
      tool: 'session',
      toolAction: 'output',
      input: { session_id, format: 'raw', limit: 100 },
      project: (body: Fields) => ({ ...body, exited: false }),
    },
  ],
  'session.submit': [
    {
      route: 'session.submit',
      params: known,
      body: { input: 'do it', timeout_ms: 500, pty_description: 'doing it' },
      tool: 'session',
      toolAction: 'submit',
      input: { session_id, input: 'do it', timeout_ms: 500, pty_description: 'doing it' },
      // SUB-7: a receipt says it.
      unknown: 'receipt',
    },
  ],
  'session.wait': [
    {
      route: 'session.wait',
      params: known,
      query: { until: 'idle', timeout_ms: '1000' },
      tool: 'session',
      toolAction: 'wait',
      input: { session_id, until: 'idle', timeout_ms: 1_000 },
      unknown: { code: 'unknown_session', message: expect.stringContaining('Unknown session: nobody') },
    },
  ],
  'session.resize': [
    {
      route: 'session.resize',
      params: known,
      body: { rows: 7, cols: 70 },
      tool: 'session',
      toolAction: 'resize',
      input: { session_id, rows: 7, cols: 70 },
    },
  ],
  'session.close': [
    { route: 'session.close', params: known, tool: 'session', toolAction: 'close', input: { session_id } },
    {
      route: 'session.close',
      params: known,
      query: { mode: 'kill' },
      tool: 'session',
      toolAction: 'kill',
      input: { session_id },
    },
  ],
  'session.pause': [
    { route: 'session.pause', params: known, tool: 'session', toolAction: 'pause', input: { session_id } },
  ],
  'session.resume': [
    { route: 'session.resume', params: known, tool: 'session', toolAction: 'resume', input: { session_id } },
  ],
  'server.stats': [{ route: 'stats', tool: 'agent', toolAction: 'stats', input: {} }],
  'server.metrics': [{ route: 'metrics', tool: 'agent', toolAction: 'metrics', input: {} }],
  'agent.list': [
    {
      route: 'agents.list',
      tool: 'agent',
      toolAction: 'detect',
      input: {},
      // AGT-13: what is found, and four names whether found or not.
      project: (agents: Fields[]) =>
        agents
          .filter(({ name, path }) => path !== null || ['claude', 'codex', 'aider', 'goose'].includes(String(name)))
          .map(({ name, path, version }) => ({ name, path: path ?? undefined, version: version ?? undefined })),
    },
  ],
  'repository.list': [{ route: 'repository.list', tool: 'repo', toolAction: 'list', input: {} }],
  'repository.active': [{ route: 'repository.active', tool: 'repo', toolAction: 'active', input: {} }],
  'progress.list': [
    {
      route: 'progress.list',
      query: { path: '/', limit: '5', since: '7', kind: 'done' },
      tool: 'repo',
      toolAction: 'progress_list',
      input: { path: '/', limit: 5, since: 7, kind: 'done' },
    },
  ],
  'process.stats': [
    {
      route: 'process.stats',
      tool: 'session',
      toolAction: 'process_stats',
      input: {},
      project: (list: Fields[]) => ({
        processes: list.map(({ session_id: id, name, pid, rss_kb, cpu_pct }) => ({
          session_id: id,
          name,
          pid,
          rss_kb,
          cpu_pct,
        })),
      }),
    },
  ],
  'config.read': [{ route: 'config.read', tool: 'config', toolAction: 'get', input: {} }],
  'config.save': [
    {
      route: 'config.save',
      body: { theme: 'twin' },
      tool: 'config',
      toolAction: 'save',
      input: { config: { theme: 'twin' } },
    },
  ],
  'logs.list': [
    {
      route: 'logs.list',
      query: { source: 'twins' },
      tool: 'debug',
      toolAction: 'logs',
      input: { source: 'twins' },
      project: (entries: Fields[]) => ({ entries }),
    },
  ],
  'debug.invoke-js': [
    {
      route: 'debug.invoke-js',
      body: { script: 'return 1' },
      tool: 'debug',
      toolAction: 'invoke_js',
      input: { script: 'return 1' },
      // No workspace is open here.
      refused: 'window_missing',
    },
  ],
  'plugins.docs': [{ route: 'plugins.docs', tool: 'plugin_dev_guide', toolAction: '', input: {} }],
};

const OF_THE_PROGRAM = 'about the server as a program: for its person, the command line and monitors';
const OF_A_WINDOW = 'part of how a window works';
const OF_THE_LOGIN = 'about logins and secrets, which are no business of an agent';
const OF_THE_PERSON = 'a person decides or looks, in the workspace';
const OF_AGENTS = 'for agents; a person has another way in the workspace';

/** What one front offers alone, and why. */
const ONE_FRONT: Partial<Record<ActionName, string>> = {
  'server.health': OF_THE_PROGRAM,
  'server.version': OF_THE_PROGRAM,
  'server.shutdown': OF_THE_PROGRAM,
  'host.status': OF_THE_PROGRAM,
  'host.stop': OF_THE_PROGRAM,
  'diagnostics.listeners': OF_THE_PROGRAM,
  'diagnostics.secrets': OF_THE_PROGRAM,
  'diagnostics.storage': OF_THE_PROGRAM,
  'capture.status': OF_THE_PROGRAM,
  'capture.change': OF_THE_PROGRAM,
  'process.history': OF_THE_PERSON,
  'process.kill': OF_THE_PERSON,
  'logs.add': OF_A_WINDOW,
  'logs.clear': OF_THE_PERSON,
  'logs.access': OF_THE_PERSON,
  'session.rename': OF_THE_PERSON,
  'session.plain-output': 'SES-6: text by lines of the log, as agents read it; REST has the formats raw, text and log',
  'session.enter-line': 'SES-5: what session input does for agents that take a prompt only as a line',
  'session.evidence': 'DBG-1: for whoever looks into TUICommander itself; the state it explains is in every list',
  'session.shell-family': OF_A_WINDOW,
  'session.foreground': OF_A_WINDOW,
  'session.has-foreground': OF_A_WINDOW,
  'session.leaf-pid': OF_A_WINDOW,
  'session.raw-ring': OF_A_WINDOW,
  'clients.list': OF_A_WINDOW,
  'clients.focus': OF_A_WINDOW,
  'ui.confirms': OF_THE_PERSON,
  'ui.answer': 'UI-6: the answer is a person’s, never that of an agent',
  'ui.confirm': OF_AGENTS,
  'ui.toast': OF_AGENTS,
  'ui.screenshot': OF_AGENTS,
  'ui.screenshot-answer': OF_A_WINDOW,
  'ui.tab': OF_AGENTS,
  'ui.tabs': OF_THE_PERSON,
  'upstreams.read': OF_THE_PERSON,
  'upstreams.save': OF_THE_PERSON,
  'upstreams.status': OF_THE_PERSON,
  'upstreams.test': OF_THE_PERSON,
  'upstreams.reconnect': OF_THE_PERSON,
  'upstreams.credential': OF_THE_LOGIN,
  'upstreams.forget-credential': OF_THE_LOGIN,
  'ui.close-tab': 'UI-1: a person closes a tab; that of an agent goes with its session',
  'login.ticket': OF_THE_LOGIN,
  'auth.hash-password': OF_THE_LOGIN,
  'auth.rotate-token': OF_THE_LOGIN,
  'config.file.read': OF_A_WINDOW,
  'config.file.write': OF_A_WINDOW,
  'ai-prompt.list': OF_AGENTS,
  'ai-prompt.load': OF_AGENTS,
  'ai-prompt.save': OF_AGENTS,
  'prompt.list': OF_AGENTS,
  'prompt.load': OF_AGENTS,
  'prompt.save': OF_AGENTS,
  'mail.register': OF_AGENTS,
  'mail.peers': OF_AGENTS,
  'mail.send': OF_AGENTS,
  'mail.inbox': OF_AGENTS,
  'mail.search': OF_AGENTS,
  'mail.status': OF_AGENTS,
  'mail.wait': OF_AGENTS,
  'task.get': OF_AGENTS,
  'task.cancel': OF_AGENTS,
  'session.create-agent':
    'agent spawn is more: the agent is a child, with a task and a way to write to its parent (AGT-8)',
  'agent.spawn': OF_AGENTS,
  'agent.editors': OF_A_WINDOW,
  'agent.detect': OF_A_WINDOW,
  'agent.detect-all': OF_A_WINDOW,
  'agent.open-in-app': OF_A_WINDOW,
  'session.resume-agent': OF_THE_PERSON,
  'agent.verify-session': OF_A_WINDOW,
  'debug.script': OF_A_WINDOW,
  'debug.script-answer': OF_A_WINDOW,
  'repository.info': 'of any folder, for windows; an agent there has git itself',
  'progress.record': OF_AGENTS,
  'progress.pause': 'PRJ-7: a person decides',
  'progress.clear': 'PRJ-7: a person decides',
  'progress.correct': 'PRJ-7: a person decides',
  'progress.export': 'PRJ-7: a person decides',
  'folders.list': OF_A_WINDOW,
  'folders.resolve': OF_A_WINDOW,
  'launch.choices': OF_A_WINDOW,
};

const cleanup = cleanupAfterAll();
const context: ActionContext & { identity: undefined; root: undefined } = {
  caller: { credential: 'ipc', isLoggedIn: false, isRemote: false },
  signal: new AbortController().signal,
  identity: undefined,
  root: undefined,
};
let front: TestFront;
let actions: Actions;
/** Which actions ran, and with what. */
let ran: [string, unknown][];
let rest: ReturnType<typeof createRestHandlers>;
let projections: ReturnType<typeof createProjections>;

beforeAll(async () => {
  let options: HttpServerOptions | undefined;
  front = await startFront(cleanup, {
    change: (own) => {
      options = own;
      return {};
    },
  });
  if (options === undefined) throw new Error('the front was built without options');
  actions = createActions(options);
  ran = [];
  for (const [name, action] of Object.entries(actions) as [string, Action<never, unknown>][]) {
    const recorded = {
      input: action.input,
      run: (input: never, given: ActionContext) => {
        ran.push([name, input]);
        return action.run(input, given);
      },
    };
    Object.assign(actions, { [name]: recorded });
  }
  const debugTool = findNativeTool('debug');
  if (debugTool === undefined) throw new Error('there is no debug tool');
  rest = createRestHandlers(actions, () => {});
  projections = createProjections({
    actions,
    sessions: front.sessions,
    repositories: options.repositories,
    peers: { get: () => undefined },
    mail: { ensurePeer: () => {} },
    debugTool,
  });
  front.applicationLog.add({ level: 'info', source: 'twins', message: 'something to list', audience: 'diagnostic' });
});

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What happened: the actions with their input, the calls of the domain, and the value or the code of the refusal. */
async function observe(work: () => Promise<unknown>) {
  ran.length = 0;
  const before = front.sessions.calls.length;
  const outcome = await work().then(
    (value) => ({ value: asJson(value) as unknown }),
    (error: unknown) => {
      if (error instanceof AppError) return { refused: error.code, message: error.message };
      throw error;
    },
  );
  return { ran: asJson(ran), domain: asJson(front.sessions.calls.slice(before)), ...outcome };
}

function byRest({ route, params = {}, query = {}, body = {} }: Twin) {
  const method = ROUTES.find(({ id }) => id === route)?.method;
  const request = { method, params, query, body, headers: {}, visit: null } as unknown as FastifyRequest;
  const reply = { header: () => reply } as unknown as FastifyReply;
  return observe(async () => (await rest[route](request, context, reply)).body);
}

function byTool({ tool, toolAction, input }: Twin) {
  const run = projections[tool]?.[toolAction];
  if (run === undefined) throw new Error(`there is no projection ${tool} ${toolAction}`);
  return observe(() => run(input, context));
}

const rows = Object.entries(TWINS).flatMap(([name, twins]) => twins.map((twin) => ({ name, twin })));

describe('twins', () => {
  it.each(rows)(
    '$name: $twin.route and $twin.tool $twin.toolAction are one call with one value',
    async ({ name, twin }) => {
      const overRest = await byRest(twin);
      const overMcp = await byTool(twin);
      expect(overMcp.ran).toEqual(overRest.ran);
      expect(ran.map(([each]) => each)).toEqual([name]);
      expect(overMcp.domain).toEqual(overRest.domain);
      if (twin.refused !== undefined) {
        expect(overRest).toMatchObject({ refused: twin.refused });
        expect(overMcp).toEqual(overRest);
        return;
      }
      if (!('value' in overRest)) throw new Error(`REST refused: ${overRest.message}`);
      const expected = twin.project === undefined ? overRest.value : asJson(twin.project(overRest.value as never));
      expect(overMcp).toMatchObject({ value: expected });
      expect(asJson('value' in overMcp ? overMcp.value : undefined)).toEqual(expected);
    },
  );

  const ofSessions = rows.filter(({ twin }) => twin.params !== undefined);
  it.each(ofSessions)(
    '$name: $twin.tool $twin.toolAction refuses an unknown session as REST does',
    async ({ twin }) => {
      const overRest = await byRest({ ...twin, params: { id: 'nobody' } });
      const overMcp = await byTool({ ...twin, input: { ...twin.input, session_id: 'nobody' } });
      const refusal = { refused: 'session_not_found', message: expect.any(String) };
      const { unknown } = twin;
      if (unknown === 'receipt') {
        expect(overRest).toMatchObject(refusal);
        expect(overMcp).toMatchObject({ value: { submitted: false, reason: 'unknown_session', retry_safe: true } });
        expect([overRest.domain, overMcp.domain]).toEqual([[], []]);
        return;
      }
      const words = unknown === undefined ? refusal : { refused: unknown.code, message: unknown.message };
      expect([overRest, overMcp]).toMatchObject([refusal, words]);
      if (unknown === undefined) {
        expect('message' in overMcp && overMcp.message).toBe('message' in overRest && overRest.message);
      }
      expect([overRest.domain, overMcp.domain]).toEqual([[], []]);
    },
  );
});

describe('every action of the registry', () => {
  /** Which actions the sources of a front name. */
  function namedBy(folder: string): Set<string> {
    const directory = fileURLToPath(new URL(`${folder}/`, import.meta.url));
    const files = readdirSync(directory).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const text = files.map((file) => readFileSync(`${directory}${file}`, 'utf8')).join('\n');
    return new Set([...text.matchAll(/actions\[['"]([\w.-]+)['"]\]/g)].map(([, name]) => name ?? ''));
  }

  it('is offered by both fronts and proven here, or by one for a reason', () => {
    const [http, mcp] = [namedBy('http'), namedBy('mcp')];
    const faults = Object.keys(actions).flatMap((name) => {
      const [twins, reason] = [TWINS[name as ActionName], ONE_FRONT[name as ActionName]];
      const isTwin = http.has(name) && mcp.has(name);
      if (isTwin && twins === undefined) return [`${name}: REST and MCP offer it; add a row to TWINS`];
      if (isTwin && reason !== undefined) return [`${name}: REST and MCP offer it; take it out of ONE_FRONT`];
      if (isTwin) return [];
      if (!http.has(name) && !mcp.has(name)) return [`${name}: no front offers it`];
      const only = http.has(name) ? 'REST' : 'MCP';
      if (twins !== undefined) return [`${name}: only ${only} offers it, but it stands in TWINS`];
      if (reason === undefined) return [`${name}: only ${only} offers it; build its twin, or give ONE_FRONT a reason`];
      return [];
    });
    expect(faults).toEqual([]);
    const gone = [...Object.keys(TWINS), ...Object.keys(ONE_FRONT)].filter((name) => !Object.hasOwn(actions, name));
    expect(gone).toEqual([]);
  });
});
