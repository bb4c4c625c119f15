/** Which wire markers a client is asked to print (INS-4): the switch for all, and one an agent in agents.json, which is on by default. */
import { isJsonObject } from '../../base/index.ts';

const AGENTS = ['claude', 'codex', 'cursor', 'gemini', 'aider', 'amp', 'goose', 'opencode', 'grok', 'copilot'] as const;

/** As the client calls itself; the bridge alone says nothing (TRN-9). */
export function agentOfClient(clientName: string): string | undefined {
  const name = clientName.toLowerCase();
  return AGENTS.find((agent) => name.includes(agent));
}

export function markersFor(
  clientName: string,
  settings: { readonly intent_tab_title: boolean; readonly suggest_followups: boolean },
  agentsFile: unknown,
): { intent: boolean; suggest: boolean } {
  const agent = agentOfClient(clientName);
  const agents = isJsonObject(agentsFile) && isJsonObject(agentsFile.agents) ? agentsFile.agents : {};
  const own = agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  const isOn = (name: 'intent_tab_title' | 'suggest_followups') =>
    settings[name] && !(isJsonObject(own) && own[name] === false);
  return { intent: isOn('intent_tab_title'), suggest: isOn('suggest_followups') };
}
