/** The nine native tools in their order on the wire (mcp.md 2). */
import { AGENT_TOOL, PROGRESS_TOOL, TASK_TOOL } from './agent.ts';
import { CONFIG_TOOL, DEBUG_TOOL } from './config.ts';
import { REPO_TOOL } from './repo.ts';
import { SESSION_TOOL } from './session.ts';
import type { NativeTool } from './tool.ts';
import { PLUGIN_DEV_GUIDE_TOOL, UI_TOOL } from './ui.ts';

export const NATIVE_TOOLS: readonly NativeTool[] = [
  SESSION_TOOL,
  AGENT_TOOL,
  TASK_TOOL,
  REPO_TOOL,
  PROGRESS_TOOL,
  UI_TOOL,
  PLUGIN_DEV_GUIDE_TOOL,
  CONFIG_TOOL,
  DEBUG_TOOL,
];

export { isMetaToolName, META_TOOL_NAMES, META_TOOLS, type MetaToolName } from './meta.ts';

export function findNativeTool(name: string): NativeTool | undefined {
  return NATIVE_TOOLS.find((tool) => tool.name === name);
}
