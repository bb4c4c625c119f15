import type { ListedTool } from './tool.ts';

/** Names that no native and no upstream tool may take (TRN-18). */
export const META_TOOL_NAMES = ['search_tools', 'get_tool_schema', 'call_tool'] as const;
export type MetaToolName = (typeof META_TOOL_NAMES)[number];

export function isMetaToolName(name: string): name is MetaToolName {
  return META_TOOL_NAMES.some((each) => each === name);
}

const toolName = { type: 'string', description: 'as search_tools names it' };

/** What a collapsed list shows instead of every tool (LAZ-2 to LAZ-5). Its size does not depend on how many tools there are. */
export const META_TOOLS: readonly ListedTool[] = [
  {
    name: 'search_tools',
    description:
      'Finds tools by what they do: terminals, agents and mail between them, tasks, repositories, the screen of the person, and ' +
      'every connected MCP server. Gives {results: [{name, summary}], count}, best first. Search before you say that something cannot be done.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer', description: 'default 10, at most 100' } },
      required: ['query'],
    },
    annotations: { title: 'Find tools', readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'get_tool_schema',
    description: 'The full description and inputSchema of one tool. Read it before its first call.',
    inputSchema: { type: 'object', properties: { tool_name: toolName }, required: ['tool_name'] },
    annotations: { title: 'Schema of a tool', readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool with arguments that fit its schema, and gives its result as it is.',
    inputSchema: {
      type: 'object',
      properties: { tool_name: toolName, arguments: { type: 'object' } },
      required: ['tool_name'],
    },
    annotations: { title: 'Call a tool', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
];
