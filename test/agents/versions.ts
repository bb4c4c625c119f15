/** The releases that are tried, by the names we give the agents. */
import type { AgentName } from './agent-home.ts';
import versions from './versions.json' with { type: 'json' };

export const RELEASES: Record<AgentName, string> = {
  claude: versions['@anthropic-ai/claude-code'],
  codex: versions['@openai/codex'],
  opencode: versions['opencode-ai'],
  gemini: versions['@google/gemini-cli'],
};
