/**
 * Owns the upstream servers and the table of their tools (mcp.md 10.2). Follows the configuration from exactly what was there before and
 * after each save (UPC-6), asks each server now and then whether it is there (UPX-5), and tells once when the tools changed.
 */
import { type Clock, type Disposable, delay, Emitter, type JsonObject } from '../../base/index.ts';
import {
  AppError,
  DEADLINES,
  type EventData,
  type TestUpstream,
  type UpstreamConfig,
  type UpstreamReport,
  type UpstreamServer,
  type UpstreamState,
  type UpstreamTest,
} from '../../contract/index.ts';
import { type LinkEvents, type McpLink, McpSession } from '../../platform/mcp-links/index.ts';
import { isSame } from './config-delta.ts';
import type { ConfigChange, UpstreamConfigStore } from './config-store.ts';
import { UpstreamContent } from './content.ts';
import type { LinkSecrets } from './open-link.ts';
import { buildNameTable, type NamedTool, type NameTable, passesFilter } from './tool-names.ts';
import { type CallOptions, type ListedContent, Upstream, type UpstreamTool } from './upstream.ts';

export interface RegistryOptions {
  store: UpstreamConfigStore;
  openLink: (server: Pick<UpstreamServer, 'transport'>, secrets: LinkSecrets, events: LinkEvents) => Promise<McpLink>;
  clock: Clock;
  version: string;
  settings: () => { readonly max_tool_name: number };
  publish: (name: 'upstream-status-changed', data: EventData['upstream-status-changed']) => void;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

const LISTED: readonly ListedContent[] = ['resources', 'prompts'];

/** A tool as clients see it: the server's own words under the name of the table. */
export interface VisibleTool extends JsonObject {
  readonly name: string;
}

export interface ToolGroup {
  server: string;
  tools: VisibleTool[];
  /** What the server calls them, in the same order. */
  ownNames: string[];
}

export class UpstreamRegistry {
  /** The tools changed. A burst is told once. */
  readonly changes = new Emitter<void>();
  /** Resources or prompts changed, or who has them. A burst is told once. */
  readonly contentChanges = new Emitter<ListedContent>();
  readonly content: UpstreamContent;
  readonly #options: RegistryOptions;
  /** In the order of the configuration. */
  #upstreams: Upstream[] = [];
  #table: NameTable<UpstreamTool> | undefined;
  #version = 0;
  #tableLength = 0;
  #telling: Disposable | undefined;
  #told: ToolGroup[] | undefined = [];
  #health: Disposable | undefined;
  #isSettled = false;
  readonly #changedContent = new Set<ListedContent>();
  #tellingContent: Disposable | undefined;
  #following: Disposable | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.content = new UpstreamContent({
      upstreams: () => this.#upstreams,
      settled: () => this.settled(),
      longest: () => options.settings().max_tool_name,
      log: options.log,
    });
    options.store.findCollisions = (config) => this.#findCollisions(config);
  }

  /** Reads the configuration and connects; nothing waits for it (UPX-8). */
  start(): void {
    const { store, clock, log } = this.#options;
    this.#following = store.changes.on((change) => this.#apply(change));
    this.#loading = store.load().then(
      (config) => this.#apply({ before: { servers: [] }, after: config, changedSecrets: new Set() }),
      (error: unknown) => log.error({ err: error }, 'the configuration of MCP servers cannot be used'),
    );
    this.#health = clock.every(DEADLINES.upstreamHealth, () => {
      for (const upstream of this.#upstreams) this.#watch(upstream.check(), upstream.server.name);
    });
  }

  async stop(): Promise<void> {
    this.#following?.dispose();
    this.#health?.dispose();
    this.#telling?.dispose();
    this.#tellingContent?.dispose();
    await this.#loading;
    const upstreams = this.#upstreams;
    this.#upstreams = [];
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
  }

  /** TRN-12: resolves when nobody is connecting for the first time, or after a while. */
  async settled(): Promise<void> {
    if (this.#isSettled) return;
    const patience = new AbortController();
    const all = this.#loading.then(() => Promise.all(this.#upstreams.map(({ firstAttempt }) => firstAttempt)));
    const isLate = await Promise.race([
      all.then(() => false),
      delay(this.#options.clock, DEADLINES.upstreamBoot, patience.signal).then(() => true),
    ]);
    patience.abort();
    this.#isSettled = true;
    if (isLate) {
      const names = this.#upstreams.filter(({ status }) => status === 'connecting').map(({ server }) => server.name);
      this.#options.log.warn({ upstreams: names }, 'the list of tools does not wait any longer for these servers');
    }
  }

  /** The servers that are ready, in the order of the configuration, with their tools. */
  groups(): ToolGroup[] {
    const ready = this.#upstreams.filter(({ status }) => status === 'ready').map(({ server }) => server.name);
    const groups = new Map(ready.map((server): [string, ToolGroup] => [server, { server, tools: [], ownNames: [] }]));
    for (const [name, { upstream, tool }] of this.#names().byName) {
      groups.get(upstream)?.tools.push({ ...tool, name });
      groups.get(upstream)?.ownNames.push(tool.name);
    }
    return [...groups.values()];
  }

  /** Servers that would have tools, and have none now. */
  unready(): { name: string; status: UpstreamState }[] {
    return this.#upstreams
      .filter(({ status }) => status !== 'ready' && status !== 'disabled')
      .map(({ server, status }) => ({ name: server.name, status }));
  }

  /** Also of a server that is not ready now: a call of it is told why it fails. */
  find(name: string): { server: string; tool: VisibleTool } | undefined {
    const found = this.#names().byName.get(name);
    return found === undefined ? undefined : { server: found.upstream, tool: { ...found.tool, name } };
  }

  call(name: string, params: JsonObject, options: CallOptions): Promise<unknown> {
    const found: NamedTool<UpstreamTool> | undefined = this.#names().byName.get(name);
    if (found === undefined) throw new AppError('not_found', { what: `the tool ${name}` });
    return this.#require(found.upstream).call(found.tool, params, options);
  }

  report(): UpstreamReport[] {
    const { byName, setAside } = this.#names();
    return this.#upstreams.map((upstream) => {
      const { server, status, metrics, lastError, diagnostics } = upstream;
      const tools = [...byName].filter(([, { upstream: owner }]) => owner === server.name).map(([name]) => name);
      const aside = setAside.get(server.name);
      const shown = status === 'ready' ? tools : [];
      return {
        name: server.name,
        status,
        transport: tellTransport(server.transport),
        tool_count: shown.length,
        tools: shown,
        ...(aside === undefined ? {} : { set_aside: [...aside] }),
        metrics: { ...metrics },
        last_error: lastError,
        ...(diagnostics === '' ? {} : { diagnostics }),
      };
    });
  }

  /** What some callers see is other than before, though the tools are not. */
  scopeChanged(): void {
    this.#told = undefined;
    this.#toolsChanged();
  }

  async reconnect(name: string): Promise<void> {
    await this.#require(name).reconnect();
  }

  /** Connects once to what is not saved; nothing of it stays. */
  async test({ token, timeout_secs, ...server }: TestUpstream, signal: AbortSignal): Promise<UpstreamTest> {
    const limits = { timeout: Math.min(timeout_secs * 1_000 || DEADLINES.wait, DEADLINES.wait), signal };
    const env = server.transport.type === 'stdio' ? server.transport.env : {};
    let link: McpLink | undefined;
    try {
      const events = { onNotification: () => {}, onEnd: () => {}, onOddity: () => {} };
      link = await this.#options.openLink(server, { env, token: async () => token }, events);
      const session = await McpSession.open(link, { version: this.#options.version, ...limits });
      const tools = session.hasTools ? ((await session.listTools(limits)) ?? []) : [];
      return {
        ok: true,
        server: session.server,
        tools: tools.map(({ name, description }) => ({
          name: String(name),
          description: typeof description === 'string' ? description : '',
        })),
      };
    } catch (error) {
      const diagnostics = link?.diagnostics ?? '';
      const message = error instanceof Error ? error.message : String(error);
      return { ok: false, error: message, ...(diagnostics === '' ? {} : { diagnostics }) };
    } finally {
      await link?.close();
    }
  }

  #require(name: string): Upstream {
    const upstream = this.#upstreams.find(({ server }) => server.name === name);
    if (upstream === undefined) throw new AppError('not_found', { what: `the MCP server ${name}` });
    return upstream;
  }

  #names(): NameTable<UpstreamTool> {
    const longest = this.#options.settings().max_tool_name;
    if (this.#table === undefined || this.#tableLength !== longest) {
      const upstreams = this.#upstreams
        .filter(({ server }) => server.enabled)
        .map(({ server, tools }) => ({
          name: server.name,
          bare: server.bare,
          tools: tools.filter(({ name }) => passesFilter(name, server.tool_filter)),
        }));
      this.#table = buildNameTable({ upstreams, longest });
      this.#tableLength = longest;
    }
    return this.#table;
  }

  /** UPC-1: with the tools that are known now. What was set aside before is no reason to refuse another change. */
  #findCollisions({ servers }: UpstreamConfig): string[] {
    const toolsOf = (id: string) => this.#upstreams.find(({ server }) => server.id === id)?.tools ?? [];
    const { setAside } = buildNameTable({
      upstreams: servers
        .filter(({ enabled }) => enabled)
        .map(({ id, name, bare, tool_filter }) => ({
          name,
          bare,
          tools: toolsOf(id).filter((tool) => passesFilter(tool.name, tool_filter)),
        })),
      longest: this.#options.settings().max_tool_name,
    });
    const known = this.#names().setAside;
    return [...setAside].flatMap(([name, tools]) =>
      tools
        .filter(({ tool }) => known.get(name)?.some((before) => before.tool === tool) !== true)
        .map(({ tool, reason }) => `${JSON.stringify(name)}: its tool ${tool} cannot be shown, ${reason}`),
    );
  }

  #apply({ before, after, changedSecrets }: ConfigChange): void {
    const { publish } = this.#options;
    const oldServers = new Map(before.servers.map((server) => [server.id, server]));
    const running = new Map(this.#upstreams.map((upstream) => [upstream.server.id, upstream]));
    const started: Upstream[] = [];
    this.#upstreams = after.servers.map((server) => {
      const kept = running.get(server.id);
      if (kept !== undefined && isSame(oldServers.get(server.id), server) && !changedSecrets.has(server.id))
        return kept;
      const upstream = this.#create(server);
      started.push(upstream);
      return upstream;
    });
    for (const [id, upstream] of running) {
      if (this.#upstreams.includes(upstream)) continue;
      this.#watch(upstream.stop(), upstream.server.name);
      for (const kind of LISTED) if (upstream.capabilities?.[kind] !== undefined) this.#contentChanged(kind);
      const now = after.servers.find((server) => server.id === id);
      if (now?.name !== upstream.server.name) {
        publish('upstream-status-changed', { name: upstream.server.name, status: 'disconnected' });
      }
    }
    if (started.some(({ server }) => server.enabled)) this.#isSettled = false;
    this.#toolsChanged();
    for (const upstream of started) upstream.start();
  }

  #create(server: UpstreamServer): Upstream {
    const { openLink, store, clock, version, log, publish } = this.#options;
    const upstream = new Upstream({
      server,
      clock,
      version,
      log,
      openLink: async (_, events) => {
        const env = server.transport.type === 'stdio' ? await store.secrets.env(server.id) : {};
        return openLink(server, { env, token: () => store.secrets.token(server.id) }, events);
      },
      onStatus: (status) => {
        publish('upstream-status-changed', { name: server.name, status });
        // A renewal is no change of the tools: most are over before anybody would have asked.
        if (status === 'connecting') return;
        this.#toolsChanged();
        for (const kind of LISTED) if (upstream.capabilities?.[kind] !== undefined) this.#contentChanged(kind);
      },
      onTools: () => this.#toolsChanged(),
      onContent: (kind) => this.#contentChanged(kind),
    });
    return upstream;
  }

  /** Another number: the tools may be others. Known before `changes` tells of it, which waits for the end of a burst. */
  get version(): number {
    return this.#version;
  }

  #toolsChanged(): void {
    this.#table = undefined;
    this.#version++;
    this.#telling ??= this.#options.clock.after(DEADLINES.upstreamSettle, () => {
      this.#telling = undefined;
      const groups = this.groups();
      if (isSame(groups, this.#told)) return;
      this.#told = groups;
      this.changes.emit();
    });
  }

  #contentChanged(kind: ListedContent): void {
    this.#changedContent.add(kind);
    this.#tellingContent ??= this.#options.clock.after(DEADLINES.upstreamSettle, () => {
      this.#tellingContent = undefined;
      const kinds = [...this.#changedContent];
      this.#changedContent.clear();
      for (const each of kinds) this.contentChanges.emit(each);
    });
  }

  #watch(work: Promise<void>, upstream: string): void {
    work.catch((error: unknown) =>
      this.#options.log.error({ err: error, upstream }, 'an upstream was not looked after'),
    );
  }
}

/** UPX-7: never its environment. */
function tellTransport(transport: UpstreamServer['transport']): UpstreamReport['transport'] {
  if (transport.type === 'http') return { type: 'http', url: transport.url };
  return { type: 'stdio', command: transport.command, args: transport.args, cwd: transport.cwd ?? null };
}
