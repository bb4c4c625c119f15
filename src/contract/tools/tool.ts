/**
 * How a native MCP tool is declared: once, as data. Schema, description and the reference are rendered from it, so the action enum,
 * the description's lines and the parameters cannot drift apart (TOOL-1). Every byte here is paid for by every agent (P5).
 */

/** A parameter of a tool's flat schema: plain JSON Schema members. */
export interface ToolParameter {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: { readonly type: string };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly description?: string;
}

export interface ToolAction {
  /** What it does and answers, as the description's line tells it. */
  readonly text: string;
  /** Names of its parameters; `?` marks an optional one. */
  readonly parameters: readonly string[];
  /** Works today. Others are final in text and schema, and stay out of what clients see. */
  readonly isReady: boolean;
  /** Refused on the remote listener (mcp.md 1.8). */
  readonly isLocal?: true;
}

/** D12: hints for agents that run unattended. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A plain one always holds; the other only where that action works. */
export type ToolRule = string | { readonly needs: string; readonly text: string };

export interface NativeTool {
  readonly name: string;
  readonly summary: string;
  /** Its summary while this action does not work yet. */
  readonly earlySummary?: { readonly until: string; readonly text: string };
  /** What holds for several actions, after their lines. */
  readonly rules?: readonly ToolRule[];
  /** Empty for a tool without actions. */
  readonly actions: Readonly<Record<string, ToolAction>>;
  readonly parameters: Readonly<Record<string, ToolParameter>>;
  /** Of a tool without actions: names of its required parameters. */
  readonly required?: readonly string[];
  /** Of a tool without actions; with actions their own flags decide. */
  readonly isReady?: boolean;
  /** Actions are told by one of them (`debug action=help`) instead of a line each. */
  readonly hasNoLines?: true;
  readonly annotations: ToolAnnotations;
}

/** A tool as clients see it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
}

export function visibleActions(tool: NativeTool, all = false): string[] {
  return Object.entries(tool.actions)
    .filter(([, action]) => all || action.isReady)
    .map(([name]) => name);
}

export function isVisible(tool: NativeTool, all = false): boolean {
  return all || tool.isReady === true || visibleActions(tool).length > 0;
}

export function parameterName(parameter: string): string {
  return parameter.replace('?', '');
}

/** The tool with the actions that work; `all` adds the others, for the pins of the final size. */
export function listTool(tool: NativeTool, all = false): ListedTool {
  const actions = visibleActions(tool, all);
  const used = new Set(actions.flatMap((name) => tool.actions[name]?.parameters.map(parameterName) ?? []));
  const hasActions = Object.keys(tool.actions).length > 0;
  const parameters = Object.entries(tool.parameters).filter(([name]) => !hasActions || used.has(name));
  const lines = tool.hasNoLines
    ? []
    : actions.map((name) => {
        const action = tool.actions[name];
        return `- ${name}(${action?.parameters.join(', ')}): ${action?.text}`;
      });
  const { earlySummary } = tool;
  const isEarly = earlySummary !== undefined && !actions.includes(earlySummary.until);
  const summary = isEarly ? earlySummary.text : tool.summary;
  const rules = (tool.rules ?? []).flatMap((rule) => {
    if (typeof rule === 'string') return [rule];
    return actions.includes(rule.needs) ? [rule.text] : [];
  });
  return {
    name: tool.name,
    description: [summary, ...lines, ...rules].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        ...(hasActions ? { action: { type: 'string', enum: actions } } : {}),
        ...Object.fromEntries(parameters),
      },
      ...(hasActions ? { required: ['action'] } : tool.required === undefined ? {} : { required: tool.required }),
    },
    annotations: tool.annotations,
  };
}
