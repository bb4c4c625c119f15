/**
 * The MCP endpoint: one for all listeners, so that a protocol session is the same wherever it speaks. Owns the protocol sessions, the
 * reaper and the notice that the tools changed. Order of the end: reaper, settings, streams.
 */
import { isJsonObject } from '../../base/index.ts';
import { DEADLINES, findNativeTool, type McpStatus, REVISION_CLAIM } from '../../contract/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { parseExactJson } from '../../platform/mcp-links/index.ts';
import { acceptsConnections } from '../../platform/net/index.ts';
import { type ActionDependencies, createActions } from '../actions.ts';
import { ContentMethods } from './content.ts';
import { Dispatcher } from './dispatcher.ts';
import { renderInstructions } from './instructions.ts';
import { assertIdentity, LegacyLeg, sessionIdOf } from './legacy.ts';
import { markersFor } from './marker-rules.ts';
import { type ClientTraits, failure, headerOf, type McpAnswer, type McpRequest, RPC_ERRORS } from './message.ts';
import { ModernLeg } from './modern.ts';
import { createProjections } from './projections.ts';
import type { NotificationSink, ProtocolSessions } from './protocol-sessions.ts';
import { createServiceScope } from './service-scope.ts';

/** Settings that change what `tools/list` shows (CFG-3). */
const TOOL_SETTINGS = [
  'disabled_native_tools',
  'collapse_tools',
  'collapse_auto_threshold_bytes',
  'collapse_clients',
  'max_tool_name',
  'progress_tracking',
] as const;

const ANYBODY: ClientTraits = { name: '', isClaudeCode: false };

/** No session knows these methods. */
const MODERN_ONLY: readonly unknown[] = ['server/discover', 'subscriptions/listen'];

export interface McpEndpointOptions {
  /** What the registry of actions stands on. */
  parts: ActionDependencies;
  protocolSessions: ProtocolSessions;
  log: Log;
}

export interface McpEndpoint {
  /** False while `mcp_server_enabled` is off: the route does not exist then (TRN-2). */
  readonly isEnabled: boolean;
  answer(text: string, request: McpRequest): Promise<McpAnswer>;
  /** The session a stream is for; undefined without the header (TRN-21). */
  streamSession(request: McpRequest): string | undefined;
  /** Opens it; gives its teardown. */
  openStream(session: string, sink: NotificationSink): () => void;
  /** TRN-25: the status to answer. */
  end(request: McpRequest): 200 | 401 | 404;
  instructions(): Promise<string>;
  status(): Promise<McpStatus>;
  close(): Promise<void>;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { log } = options;
  const { clock, config, repositories, sessions, upstreams } = options.parts;
  const { version } = options.parts.version;
  const actions = createActions(options.parts);
  const { protocolSessions } = options;
  const { peers, mail, isNeeded } = options.parts.mailRoom;
  const debugTool = findNativeTool('debug');
  if (debugTool === undefined) throw new Error('there is no debug tool');
  const scope = createServiceScope({ sessions, peers, repositories }, async () => {
    return (await options.parts.configFiles.read('repo-settings')).value;
  });
  const content = new ContentMethods({ content: upstreams.registry.content, scope, log });
  const dispatcher = new Dispatcher({
    projections: createProjections({ actions, sessions, repositories, peers, mail, debugTool }),
    upstreams: upstreams.registry,
    scope,
    settings: () => config.current,
    log,
  });

  /** A file that cannot be read hinders nobody's connection; its own route says what is wrong with it. */
  async function agentsFile(): Promise<unknown> {
    try {
      return (await options.parts.configFiles.read('agents')).value;
    } catch (error) {
      log.warn({ err: error }, 'the settings of the agents cannot be read');
      return undefined;
    }
  }

  async function instructions(client: ClientTraits = ANYBODY, identity?: string): Promise<string> {
    return renderInstructions({
      version,
      isCollapsed: dispatcher.isCollapsed(client.name),
      isClaudeCode: client.isClaudeCode,
      markers: markersFor(client.name, config.current, await agentsFile()),
      can: {
        submit: dispatcher.hasAction('session', 'submit'),
        worktrees: dispatcher.hasAction('repo', 'worktree_create'),
      },
      repositories: await repositories.roots(),
      sessions: sessions
        .list()
        .map(({ session_id, cwd, worktree_branch }) => ({ id: session_id, cwd, branch: worktree_branch })),
      services: [
        ...upstreams.registry.groups().map(({ server, tools }) => ({ name: server, state: `${tools.length} tools` })),
        ...upstreams.registry.unready().map(({ name, status }) => ({ name, state: status })),
      ],
      peers: peers.list().length,
      unread: identity === undefined ? 0 : mail.unread(identity),
    });
  }

  const legacy = new LegacyLeg({
    clock,
    sessions: protocolSessions,
    peers,
    dispatcher,
    content,
    version,
    instructions,
    log,
  });

  const modern = new ModernLeg({ dispatcher, content, version, instructions, log });

  async function answer(text: string, request: McpRequest): Promise<McpAnswer> {
    let message: unknown;
    try {
      message = parseExactJson(text);
    } catch {
      return failure(400, null, RPC_ERRORS.parse, 'The body is not valid JSON');
    }
    if (Array.isArray(message)) {
      return failure(400, null, RPC_ERRORS.invalidRequest, 'Batches are not supported; send one message a request');
    }
    if (!isJsonObject(message) || message.jsonrpc !== '2.0') {
      return failure(400, null, RPC_ERRORS.invalidRequest, 'The body must be one JSON-RPC 2.0 message');
    }
    // TRN-31: the body alone decides the era.
    const { params } = message;
    const isModern = isJsonObject(params) && isJsonObject(params._meta) && params._meta[REVISION_CLAIM] !== undefined;
    if (isModern) return modern.answer(message, request);
    // Only clients of the modern era send this header. One that forgot its claim is told so; the era stays decided by the body.
    if (MODERN_ONLY.includes(message.method) && headerOf(request, 'mcp-method') !== undefined) {
      const problem = `params._meta must carry ${REVISION_CLAIM}`;
      return failure(400, message.id ?? null, RPC_ERRORS.invalidParameters, problem);
    }
    return legacy.answer(message, request);
  }

  function toolsChanged(): void {
    dispatcher.refresh();
    protocolSessions.broadcast({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    modern.toolsChanged();
  }

  const reaper = clock.every(DEADLINES.mcpReap, () => {
    const before = clock.now() - DEADLINES.mcpIdle;
    for (const id of protocolSessions.reap(before)) {
      const identity = peers.identityOf(id);
      const isKept = identity !== undefined && isNeeded(identity);
      peers.release(id, { keepsPeer: isKept });
      if (isKept) log.info({ tuic_session: identity }, 'an idle MCP session ended; its identity is kept');
    }
    peers.reap(before);
  });
  const following = config.onChange(({ before, after }) => {
    if (!after.mcp_server_enabled) {
      protocolSessions.endStreams();
      modern.close().catch((error: unknown) => log.warn({ err: error }, 'the modern MCP streams were not ended'));
    }
    const isOther = TOOL_SETTINGS.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    if (isOther) toolsChanged();
  });
  const followingUpstreams = upstreams.registry.changes.on(toolsChanged);
  const followingContent = upstreams.registry.contentChanges.on((kind) => {
    protocolSessions.broadcast({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
    modern.contentChanged(kind);
  });

  return {
    get isEnabled() {
      return config.current.mcp_server_enabled;
    },
    answer,
    streamSession(request) {
      const id = sessionIdOf(request);
      if (id === undefined) return undefined;
      protocolSessions.touch(id, headerOf(request, 'user-agent') ?? '');
      assertIdentity(request, id, peers);
      return id;
    },
    openStream: (session, sink) => protocolSessions.openStream(session, sink),
    end(request) {
      const id = sessionIdOf(request);
      if (id === undefined) return 401;
      if (!protocolSessions.end(id)) return 404;
      const identity = peers.identityOf(id);
      // A bridge that is started anew finds the mail of its terminal.
      peers.release(id, { keepsPeer: identity !== undefined && isNeeded(identity) });
      return 200;
    },
    instructions: () => instructions(),
    async status() {
      const { mcp_server_enabled: enabled, max_sessions } = config.current;
      const path = options.parts.socketPath();
      return {
        enabled,
        running: enabled && path !== undefined && (await acceptsConnections(path, clock)),
        active_sessions: sessions.liveCount,
        mcp_clients: protocolSessions.liveCount + modern.listeningCount,
        max_sessions,
      };
    },
    async close() {
      reaper.dispose();
      following.dispose();
      followingUpstreams.dispose();
      followingContent.dispose();
      protocolSessions.endStreams();
      await modern.close();
    },
  };
}
