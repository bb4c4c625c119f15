/**
 * Resources and prompts of upstream servers together. Prompts are named as tools are (UPX-9). The address of a resource stays as its server
 * wrote it, since texts and results speak of it (`ui://` too); it is read from the server that lists it, never from one that merely answers.
 * Owns what each server listed last, by which a later request finds its server.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { AppError, DEADLINES, LIMITS, type UpstreamServer, type UpstreamState } from '../../contract/index.ts';
import { buildNameTable } from './tool-names.ts';
import type { CallOptions } from './upstream.ts';

export type ContentKind = 'resources' | 'prompts' | 'completions';

/** A server, as far as this part needs it. */
export interface ContentSource {
  readonly server: Pick<UpstreamServer, 'name' | 'bare' | 'enabled'>;
  readonly status: UpstreamState;
  readonly capabilities: JsonObject | undefined;
  readonly tools: readonly JsonObject[];
  readonly timeout: number;
  read(method: string, params: JsonObject, options: CallOptions): Promise<unknown>;
}

export interface ContentOptions {
  /** In the order of the configuration. */
  upstreams: () => readonly ContentSource[];
  /** Resolves when nobody connects for the first time any more, or after a while (TRN-12). */
  settled: () => Promise<void>;
  /** Of a name. */
  longest: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Undefined: all servers. */
type Scope = ReadonlySet<string> | undefined;
type Prompt = JsonObject & { readonly name: string };

interface Listed {
  resources: readonly JsonObject[];
  resourceTemplates: readonly JsonObject[];
  prompts: readonly JsonObject[];
}

const METHODS = {
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const;
/** The member that tells two entries of one list apart. */
const KEYS = { resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const;

export class UpstreamContent {
  readonly #options: ContentOptions;
  readonly #listed = new WeakMap<ContentSource, Listed>();

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Also while a server connects for the first time: nobody knows yet that it has none, and a client asks once only. */
  mayOffer(kind: ContentKind): boolean {
    return this.#options
      .upstreams()
      .some(({ capabilities, status }) =>
        capabilities === undefined ? status === 'connecting' : capabilities[kind] !== undefined,
      );
  }

  /** Of two servers that list the same address the first has it. */
  async resources(list: 'resources' | 'resourceTemplates', scope: Scope, signal: AbortSignal): Promise<JsonObject[]> {
    const seen = new Set<unknown>();
    return (await this.#listAll(list, scope, signal))
      .flatMap(({ entries }) => entries)
      .filter((entry) => {
        const address = entry[KEYS[list]];
        return !seen.has(address) && seen.add(address);
      });
  }

  async prompts(scope: Scope, signal: AbortSignal): Promise<JsonObject[]> {
    const fresh = new Set((await this.#listAll('prompts', scope, signal)).map(({ source }) => source.server.name));
    return [...this.#promptTable()]
      .filter(([, { upstream }]) => fresh.has(upstream))
      .map(([name, { tool }]) => ({ ...tool, name }));
  }

  async readResource(uri: string, params: JsonObject, scope: Scope, options: CallOptions): Promise<unknown> {
    const source = await this.#ownerOf(uri, scope, options.signal);
    return source.read('resources/read', { ...params, uri }, options);
  }

  async getPrompt(name: string, params: JsonObject, scope: Scope, options: CallOptions): Promise<unknown> {
    const { source, own } = await this.#findPrompt(name, scope, options.signal);
    return source.read('prompts/get', { ...params, name: own }, options);
  }

  /** A server that completes nothing has no proposals; that is no failure. */
  async complete(reference: JsonObject, params: JsonObject, scope: Scope, options: CallOptions): Promise<unknown> {
    let { name } = reference;
    let source: ContentSource;
    if (reference.type === 'ref/prompt') {
      const found = await this.#findPrompt(String(name), scope, options.signal);
      source = found.source;
      name = found.own;
    } else source = await this.#ownerOf(String(reference.uri), scope, options.signal);
    if (source.capabilities?.completions === undefined) return { completion: { values: [] } };
    const ref = reference.type === 'ref/prompt' ? { ...reference, name } : reference;
    return source.read('completion/complete', { ...params, ref }, options);
  }

  #sources(kind: ContentKind, scope: Scope): ContentSource[] {
    return this.#options
      .upstreams()
      .filter(
        ({ server, capabilities }) =>
          server.enabled && capabilities?.[kind] !== undefined && scope?.has(server.name) !== false,
      );
  }

  /** Those that are ready and answer; one that fails keeps nothing from the others (M08). */
  async #listAll(list: keyof Listed, scope: Scope, signal: AbortSignal) {
    await this.#options.settled();
    const ready = this.#sources(list === 'prompts' ? 'prompts' : 'resources', scope).filter(
      ({ status }) => status === 'ready',
    );
    const answers = await Promise.all(
      ready.map(async (source) => {
        try {
          const entries = await listPages(source, list, signal);
          const before = this.#listed.get(source) ?? { resources: [], resourceTemplates: [], prompts: [] };
          this.#listed.set(source, { ...before, [list]: entries });
          return { source, entries };
        } catch (error) {
          // Many servers that have resources know no templates.
          if (list !== 'resourceTemplates')
            this.#options.log.warn(
              { err: error, upstream: source.server.name, list },
              'a server did not tell its list',
            );
          return undefined;
        }
      }),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  async #ownerOf(uri: string, scope: Scope, signal: AbortSignal): Promise<ContentSource> {
    const sources = this.#sources('resources', scope);
    const known = () => this.#exactOwner(uri, sources);
    const before = known();
    if (before !== undefined) return before;
    await Promise.all([this.#listAll('resources', scope, signal), this.#listAll('resourceTemplates', scope, signal)]);
    const found = known() ?? this.#templateOwner(uri, sources);
    if (found !== undefined) return found;
    // A result may speak of what no list holds; with one server there is no doubt whose it is.
    const [only, ...others] = sources;
    if (only !== undefined && others.length === 0) return only;
    throw new AppError('invalid_input', { detail: `no MCP server lists the resource ${uri}` });
  }

  #exactOwner(uri: string, sources: readonly ContentSource[]): ContentSource | undefined {
    return (
      sources.find((source) => {
        const listed = this.#listed.get(source);
        return (
          listed?.resources.some((resource) => resource.uri === uri) === true ||
          listed?.resourceTemplates.some((template) => template.uriTemplate === uri) === true
        );
      }) ?? sources.find(({ tools }) => tools.some((tool) => viewOf(tool) === uri))
    );
  }

  /** The one whose template says most of the address before its first variable. */
  #templateOwner(uri: string, sources: readonly ContentSource[]): ContentSource | undefined {
    let longest = 0;
    let owner: ContentSource | undefined;
    for (const source of sources) {
      for (const { uriTemplate } of this.#listed.get(source)?.resourceTemplates ?? []) {
        const fixed = String(uriTemplate).split('{', 1)[0] ?? '';
        if (fixed.length <= longest || !uri.startsWith(fixed)) continue;
        longest = fixed.length;
        owner = source;
      }
    }
    return owner;
  }

  async #findPrompt(name: string, scope: Scope, signal: AbortSignal) {
    let found = this.#promptTable().get(name);
    if (found === undefined) {
      await this.#listAll('prompts', scope, signal);
      found = this.#promptTable().get(name);
    }
    const source = this.#sources('prompts', scope).find(({ server }) => server.name === found?.upstream);
    if (found === undefined || source === undefined) {
      throw new AppError('invalid_input', { detail: `there is no prompt ${JSON.stringify(name)}` });
    }
    return { source, own: found.tool.name };
  }

  /** Of all servers whoever asks, so that a name is the same for everybody. No name of ours is in the way: we have no prompts. */
  #promptTable() {
    const upstreams = this.#sources('prompts', undefined).map((source) => ({
      name: source.server.name,
      bare: source.server.bare,
      tools: (this.#listed.get(source)?.prompts ?? []).filter((each): each is Prompt => typeof each.name === 'string'),
    }));
    return buildNameTable({ upstreams, longest: this.#options.longest(), isReserved: () => false }).byName;
  }
}

async function listPages(source: ContentSource, list: keyof Listed, signal: AbortSignal): Promise<JsonObject[]> {
  const timeout = Math.min(source.timeout, DEADLINES.upstreamLists);
  const entries: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < LIMITS.upstreamPages; page++) {
    const answer = await source.read(METHODS[list], cursor === undefined ? {} : { cursor }, { signal, timeout });
    if (!isJsonObject(answer) || !Array.isArray(answer[list])) break;
    for (const entry of answer[list] as unknown[]) {
      if (entries.length < LIMITS.upstreamTools && isJsonObject(entry) && typeof entry[KEYS[list]] === 'string')
        entries.push(entry);
    }
    if (typeof answer.nextCursor !== 'string' || answer.nextCursor === cursor) break;
    cursor = answer.nextCursor;
  }
  return entries;
}

/** The `ui://` resource of a tool (MCP Apps); in many servers no list holds it. */
function viewOf({ _meta: meta }: JsonObject): unknown {
  if (!isJsonObject(meta)) return undefined;
  return isJsonObject(meta.ui) ? meta.ui.resourceUri : meta['ui/resourceUri'];
}
