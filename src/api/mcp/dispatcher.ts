/**
 * The era-neutral dispatcher (DESIGN D7): what tools there are, and what a call of one answers. Knows nothing of HTTP nor of protocol
 * sessions. Owns the search index; it holds what a call may reach, whatever list a client sees (LAZ-8). Order of a call (TRN-27, TRN-30): switched off, unknown tool, action, guard, names of the arguments, then the projection.
 * Whatever goes wrong is a tool error, never a dropped request (TRN-29).
 */
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
import { type CollapseSettings, isCollapsed } from './collapse.ts';
import type { Projection, ToolContext } from './projections.ts';

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError: boolean;
}

export interface DispatcherOptions {
  projections: Readonly<Record<string, Readonly<Record<string, Projection>>>>;
  settings: () => CollapseSettings & { readonly disabled_native_tools: readonly string[] };
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
/** Group of the index. */
const NATIVE = 'native';
/** Stands in the collapsed list too: it reports to the person, and nobody would search for that (PRJ-6). */
const ALWAYS_LISTED = 'progress';

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #index = new ToolIndex();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.refresh();
  }

  #tools(): NativeTool[] {
    const disabled = this.#options.settings().disabled_native_tools;
    return VISIBLE.filter((tool) => !disabled.includes(tool.name));
  }

  /** LAZ-8: on every signal that the tools changed. */
  refresh(): void {
    this.#index.replace(NATIVE, this.#classic());
  }

  #classic(): ListedTool[] {
    return this.#tools().map((tool) => listTool(tool));
  }

  /** Also says which of the two instructions a client gets. */
  isCollapsed(clientName: string): boolean {
    const bytes = () => Buffer.byteLength(JSON.stringify(this.#classic()));
    return isCollapsed(clientName, this.#options.settings(), bytes);
  }

  listTools(clientName: string): ListedTool[] {
    const classic = this.#classic();
    if (!this.isCollapsed(clientName)) return classic;
    return [...META_TOOLS, ...classic.filter(({ name }) => name === ALWAYS_LISTED)];
  }

  hasAction(name: string, action: string): boolean {
    const tool = this.#tools().find((each) => each.name === name);
    return tool !== undefined && visibleActions(tool).includes(action);
  }

  async callTool(name: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    try {
      return toToolResult(await this.#run(name, input, context));
    } catch (error) {
      if (error instanceof AppError) {
        const reason = error.code === 'session_not_found' ? { reason: 'session_not_found_or_reaped' } : {};
        return toToolResult({ error: error.message, ...reason });
      }
      this.#options.log.error({ err: error, tool: name }, 'a tool failed');
      return toToolResult({ error: new AppError('internal').message });
    }
  }

  /** TRN-27: the filter comes first, on every path. */
  #find(name: string): NativeTool {
    if (this.#options.settings().disabled_native_tools.includes(name)) {
      throw new AppError('invalid_input', { detail: `the tool ${name} is switched off (disabled_native_tools)` });
    }
    const tool = VISIBLE.find((each) => each.name === name);
    if (tool !== undefined) return tool;
    const known = this.#tools()
      .map((each) => each.name)
      .join(', ');
    throw new AppError('invalid_input', { detail: `there is no tool ${JSON.stringify(name)}. There are: ${known}` });
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
      const { annotations: _, ...schema } = listTool(this.#find(tool_name));
      return schema;
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new AppError('invalid_input', { detail: 'arguments must be an object' });
    }
    return this.#run(tool_name, given as Record<string, unknown>, context);
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
