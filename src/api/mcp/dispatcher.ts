/**
 * The era-neutral dispatcher (DESIGN D7): what tools there are, ours and those of upstream servers, and what a call of one answers. Knows
 * nothing of HTTP nor of protocol sessions. A result of an upstream server passes through as it is (TRN-20, P6). Owns the search index; it holds what a call may reach, whatever list a client sees (LAZ-8). Order of a call (TRN-27, TRN-30): switched off, unknown tool, action, guard, names of the arguments, then the projection.
 * Whatever goes wrong is a tool error, never a dropped request (TRN-29).
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import {
  AppError,
  isMetaToolName,
  isVisible,
  type ListedTool,
  listTool,
  META_TOOLS,
  type MetaToolName,
  NATIVE_TOOLS,
  type NativeTool,
  visibleActions,
} from '../../contract/index.ts';
import { ToolIndex } from '../../domain/tools/index.ts';
import { UpstreamNeedsLogin } from '../../domain/upstreams/index.ts';
import { RemoteError } from '../../platform/mcp-links/index.ts';
import { type CollapseSettings, isCollapsed } from './collapse.ts';
import { forwardedParams } from './message.ts';
import type { ScopedCaller, ServiceScope } from './service-scope.ts';
import type { Projection, ToolContext } from './tool-context.ts';

export type ToolResult = JsonObject;

/** Tools of other servers, as far as they concern whoever calls one. */
export interface UpstreamTools {
  /** Waits while the servers are connected for the first time (TRN-12). */
  settled(): Promise<void>;
  /** Another number: the tools may be others. */
  readonly version: number;
  /** By server. */
  groups(): readonly {
    readonly server: string;
    readonly tools: readonly (JsonObject & { readonly name: string })[];
    readonly ownNames: readonly string[];
  }[];
  /** Servers whose tools may be missing from the list. */
  unready(): readonly { readonly name: string; readonly status: string }[];
  find(name: string): { readonly server: string; readonly tool: JsonObject & { readonly name: string } } | undefined;
  call(
    name: string,
    params: JsonObject,
    options: { signal: AbortSignal; onProgress?: ((params: JsonObject) => void) | undefined },
  ): Promise<unknown>;
}

/** A value of an upstream server, kept apart from ours: a native value that happens to look like a result is wrapped all the same. */
class Foreign {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

export interface DispatcherOptions {
  projections: Readonly<Record<string, Readonly<Record<string, Projection>>>>;
  upstreams: UpstreamTools;
  scope: ServiceScope;
  settings: () => CollapseSettings & {
    readonly disabled_native_tools: readonly string[];
    readonly progress_tracking: boolean;
  };
  log: { error(fields: object, message: string): void };
}

/** TRN-19: compact JSON in a text block; an `error` member at the top makes it an error. */
export function toToolResult(value: unknown): ToolResult {
  const isError = typeof value === 'object' && value !== null && Object.hasOwn(value, 'error');
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError };
}

/** What is ready does not change while the server runs; what is switched off does. */
const VISIBLE: readonly NativeTool[] = NATIVE_TOOLS.filter((tool) => isVisible(tool));

const FOUND_BY_DEFAULT = 10;
const FOUND_AT_MOST = 100;
/** A refusal is read by a model; the rest of a long list is not worth its price. */
const NAMES_IN_REFUSAL = 40;
/** Group of the index; no server can have this name. */
const NATIVE = 'NATIVE';
/** Stands in the collapsed list too: it reports to the person, and nobody would search for that (PRJ-6). */
const ALWAYS_LISTED = 'progress';

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #index = new ToolIndex();
  #indexedVersion = -1;
  readonly #indexed = new Map<string, string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.refresh();
  }

  #tools(): NativeTool[] {
    return VISIBLE.filter((tool) => !this.#isSwitchedOff(tool.name));
  }

  /** PRJ-4: the journal has a switch of its own. */
  #isSwitchedOff(name: string): boolean {
    const { disabled_native_tools, progress_tracking } = this.#options.settings();
    return disabled_native_tools.includes(name) || (name === ALWAYS_LISTED && !progress_tracking);
  }

  /** LAZ-8: on every signal that the tools changed. */
  refresh(): void {
    this.#indexedVersion = this.#options.upstreams.version;
    const native = this.#tools().map((tool) => listTool(tool));
    const groups = [{ server: NATIVE, tools: native, ownNames: [] }, ...this.#options.upstreams.groups()];
    for (const server of this.#indexed.keys()) {
      if (groups.some((group) => group.server === server)) continue;
      this.#index.replace(server, []);
      this.#indexed.delete(server);
    }
    for (const { server, tools, ownNames } of groups) {
      const searchable = tools.map(({ name, description }, place) => ({
        name,
        description: typeof description === 'string' ? description : '',
        ...(ownNames[place] === undefined ? {} : { keywords: ownNames[place] }),
      }));
      // One server that changed costs nothing for the others.
      const stamp = JSON.stringify(searchable);
      if (this.#indexed.get(server) === stamp) continue;
      this.#index.replace(server, searchable);
      this.#indexed.set(server, stamp);
    }
  }

  #classic(scope?: ReadonlySet<string>): (ListedTool | JsonObject)[] {
    const groups = this.#options.upstreams.groups().filter(({ server }) => scope?.has(server) !== false);
    const foreign = groups.flatMap(({ tools }) => tools);
    return [...this.#tools().map((tool) => listTool(tool)), ...foreign];
  }

  /** Also says which of the two instructions a client gets. */
  isCollapsed(clientName: string): boolean {
    const bytes = () => Buffer.byteLength(JSON.stringify(this.#classic()));
    return isCollapsed(clientName, this.#options.settings(), bytes);
  }

  /** What this caller may call; `caller` decides which servers, its name in which form. */
  async listTools(clientName: string, caller: ScopedCaller): Promise<(ListedTool | JsonObject)[]> {
    await this.#options.upstreams.settled();
    const scope = await this.#options.scope(caller);
    const classic = this.#classic(scope);
    if (!this.isCollapsed(clientName)) return classic;
    return [...META_TOOLS, ...classic.filter(({ name }) => name === ALWAYS_LISTED)];
  }

  hasAction(name: string, action: string): boolean {
    const tool = this.#tools().find((each) => each.name === name);
    return tool !== undefined && visibleActions(tool).includes(action);
  }

  async callTool(name: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    try {
      const value = await this.#run(name, input, context);
      if (!(value instanceof Foreign)) return toToolResult(value);
      const result = value.value;
      return isJsonObject(result) && Array.isArray(result.content) ? result : toToolResult(result ?? null);
    } catch (error) {
      if (error instanceof RemoteError) {
        const data = error.data === undefined ? {} : { data: error.data };
        return toToolResult({ error: error.message, code: error.code, ...data });
      }
      if (error instanceof UpstreamNeedsLogin) return toToolResult({ error: error.message });
      if (error instanceof AppError) {
        const reason = error.code === 'session_not_found' ? { reason: 'session_not_found_or_reaped' } : {};
        return toToolResult({ error: error.message, ...reason });
      }
      this.#options.log.error({ err: error, tool: name }, 'a tool failed');
      return toToolResult({ error: new AppError('internal').message });
    }
  }

  #refuseDisabled(name: string): void {
    if (this.#isSwitchedOff(name)) {
      const setting = name === ALWAYS_LISTED ? 'disabled_native_tools or progress_tracking' : 'disabled_native_tools';
      throw new AppError('invalid_input', { detail: `the tool ${name} is switched off (${setting})` });
    }
  }

  /** TRN-27: the filter comes first, on every path. */
  #find(name: string): NativeTool {
    this.#refuseDisabled(name);
    const tool = VISIBLE.find((each) => each.name === name);
    if (tool !== undefined) return tool;
    const foreign = this.#options.upstreams.groups().flatMap(({ tools }) => tools);
    const names = [...this.#tools(), ...foreign].map((each) => each.name);
    const more =
      names.length > NAMES_IN_REFUSAL ? ` and ${names.length - NAMES_IN_REFUSAL} more; search_tools finds them` : '';
    const known = `${names.slice(0, NAMES_IN_REFUSAL).join(', ')}${more}`;
    // M36: one that is just being started is not told as one that does not exist.
    const unready = this.#options.upstreams.unready().map((each) => `${each.name} (${each.status})`);
    const away = unready.length === 0 ? '' : `. Not ready now: ${unready.join(', ')}`;
    throw new AppError('invalid_input', {
      detail: `there is no tool ${JSON.stringify(name)}. There are: ${known}${away}`,
    });
  }

  /** LAZ-3 to LAZ-7. Works whatever list the client sees. */
  async #runMeta(name: MetaToolName, input: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    if (name === 'search_tools') {
      const { query, limit = FOUND_BY_DEFAULT } = input;
      if (typeof query !== 'string' || query.trim() === '') {
        throw new AppError('invalid_input', { detail: 'search_tools needs query, words of what the tool should do' });
      }
      if (typeof limit !== 'number' || !Number.isInteger(limit)) {
        throw new AppError('invalid_input', { detail: 'limit must be a whole number from 1 to 100' });
      }
      await this.#options.upstreams.settled();
      if (this.#indexedVersion !== this.#options.upstreams.version) this.refresh();
      const results = this.#index.search(query, Math.min(Math.max(limit, 1), FOUND_AT_MOST));
      return { results, count: results.length };
    }
    const { tool_name, arguments: given = {} } = input;
    if (typeof tool_name !== 'string' || tool_name === '') {
      throw new AppError('invalid_input', { detail: `${name} needs tool_name. search_tools finds it` });
    }
    if (isMetaToolName(tool_name)) {
      throw new AppError('invalid_input', { detail: `${tool_name} is called directly, not by ${name}` });
    }
    if (name === 'get_tool_schema') {
      this.#refuseDisabled(tool_name);
      const foreign = this.#findForeign(tool_name);
      if (foreign !== undefined) return foreign.tool;
      const { annotations: _, ...schema } = listTool(this.#find(tool_name));
      return schema;
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new AppError('invalid_input', { detail: 'arguments must be an object' });
    }
    return this.#run(tool_name, given as Record<string, unknown>, context);
  }

  /** TRN-18: native names win; the table of names holds none of them. */
  #findForeign(name: string): ReturnType<UpstreamTools['find']> {
    return VISIBLE.some((tool) => tool.name === name) ? undefined : this.#options.upstreams.find(name);
  }

  async #runForeign(
    name: string,
    server: string,
    input: Record<string, unknown>,
    context: ToolContext,
  ): Promise<Foreign> {
    const scope = await this.#options.scope(context);
    if (scope?.has(server) === false) {
      throw new AppError('forbidden', { reason: `the settings of this repository leave out the MCP server ${server}` });
    }
    const { signal, onProgress, meta } = context;
    const params = forwardedParams({ arguments: input, _meta: meta });
    return new Foreign(await this.#options.upstreams.call(name, params, { signal, onProgress }));
  }

  /** A tool without actions. */
  #runOnly(tool: NativeTool, input: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const { name, parameters, required = [] } = tool;
    const missing = required.find((each) => input[each] === undefined);
    if (missing !== undefined) throw new AppError('invalid_input', { detail: `${name} needs ${missing}` });
    const unknown = Object.keys(input).find((each) => !Object.hasOwn(parameters, each));
    if (unknown !== undefined) {
      const known = Object.keys(parameters).join(', ') || 'no parameters';
      throw new AppError('invalid_input', { detail: `${name} does not know ${unknown}. It takes: ${known}` });
    }
    const run = this.#options.projections[name]?.[''];
    if (run === undefined) throw new Error(`${name} is visible and leads nowhere`);
    return run(input, context);
  }

  async #run(name: string, input: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    if (isMetaToolName(name)) return this.#runMeta(name, input, context);
    const foreign = this.#findForeign(name);
    if (foreign !== undefined) return this.#runForeign(name, foreign.server, input, context);
    const tool = this.#find(name);
    if (Object.keys(tool.actions).length === 0) return this.#runOnly(tool, input, context);
    const { action, ...rest } = input;
    const isAction = typeof action === 'string' && Object.hasOwn(tool.actions, action) && tool.actions[action]?.isReady;
    if (!isAction) {
      const problem =
        action === undefined ? `${name} needs an action` : `${name} has no action ${JSON.stringify(action)}`;
      throw new AppError('invalid_input', { detail: `${problem}. There are: ${visibleActions(tool).join(', ')}` });
    }
    const { isLocal, parameters } = tool.actions[action] ?? { parameters: [] };
    if (isLocal === true && context.caller.isRemote) {
      throw new AppError('forbidden', { reason: `${name} ${action} is possible on the machine of the server only` });
    }
    const missing = parameters.find((each) => !each.endsWith('?') && rest[each] === undefined);
    if (missing !== undefined) {
      throw new AppError('invalid_input', { detail: `${name} ${action} needs ${missing}` });
    }
    const unknown = Object.keys(rest).find((each) => !Object.hasOwn(tool.parameters, each));
    if (unknown !== undefined) {
      const known = parameters.join(', ') || 'no parameters';
      throw new AppError('invalid_input', { detail: `${name} ${action} does not know ${unknown}. It takes: ${known}` });
    }
    const run = this.#options.projections[name]?.[action];
    if (run === undefined) throw new Error(`${name} ${action} is visible and leads nowhere`);
    return run(rest, context);
  }
}
