/**
 * The era-neutral dispatcher (DESIGN D7): what tools there are, and what a call of one answers. Knows nothing of HTTP nor of protocol
 * sessions. Order of a call (TRN-27, TRN-30): switched off, unknown tool, action, guard, names of the arguments, then the projection.
 * Whatever goes wrong is a tool error, never a dropped request (TRN-29).
 */
import {
  AppError,
  isVisible,
  type ListedTool,
  listTool,
  NATIVE_TOOLS,
  type NativeTool,
  visibleActions,
} from '../../contract/index.ts';
import type { Projection, ToolContext } from './projections.ts';

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError: boolean;
}

export interface DispatcherOptions {
  projections: Readonly<Record<string, Readonly<Record<string, Projection>>>>;
  disabledTools: () => readonly string[];
  log: { error(fields: object, message: string): void };
}

/** TRN-19: compact JSON in a text block; an `error` member at the top makes it an error. */
export function toToolResult(value: unknown): ToolResult {
  const isError = typeof value === 'object' && value !== null && Object.hasOwn(value, 'error');
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError };
}

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  #tools(): NativeTool[] {
    const disabled = this.#options.disabledTools();
    return NATIVE_TOOLS.filter((tool) => isVisible(tool) && !disabled.includes(tool.name));
  }

  listTools(): ListedTool[] {
    return this.#tools().map((tool) => listTool(tool));
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

  async #run(name: string, input: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    if (this.#options.disabledTools().includes(name)) {
      throw new AppError('invalid_input', { detail: `the tool ${name} is switched off (disabled_native_tools)` });
    }
    const tools = this.#tools();
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) {
      const known = tools.map((each) => each.name).join(', ');
      throw new AppError('invalid_input', { detail: `there is no tool ${JSON.stringify(name)}. There are: ${known}` });
    }
    const actions = visibleActions(tool);
    const { action, ...rest } = input;
    if (typeof action !== 'string' || !actions.includes(action)) {
      const problem =
        action === undefined ? `${name} needs an action` : `${name} has no action ${JSON.stringify(action)}`;
      throw new AppError('invalid_input', { detail: `${problem}. There are: ${actions.join(', ')}` });
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
