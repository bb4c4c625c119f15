/** Run configurations: other ways to start an agent that the person wrote into `agents.json` (http.md 11.2, mcp.md AGT-3). */
import type { AgentsDocument } from '../../contract/index.ts';
import { findAgent } from './catalogue/index.ts';

export interface RunConfig {
  /** The agent it belongs to, as `agent_type` on the wire. */
  readonly agentType: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** By its name, in upper or lower case, among those of all agents; of two with one name the first. */
export function findRunConfig({ agents }: AgentsDocument, name: string): RunConfig | undefined {
  const wanted = name.trim().toLowerCase();
  for (const [agent, { run_configs }] of Object.entries(agents)) {
    const found = run_configs.find((config) => config.name.trim().toLowerCase() === wanted);
    if (found !== undefined) {
      const { command, args, env } = found;
      return { agentType: findAgent(agent)?.id ?? agent, command, args, env };
    }
  }
  return undefined;
}

/** On unless the person switched it off: an agent that nobody watches would wait for an answer for ever. */
export function skipsCodexApprovals({ agents }: AgentsDocument): boolean {
  return agents.codex?.skip_approvals !== false;
}
