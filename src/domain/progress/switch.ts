/** Whether the journal is on (PRJ-4): the switch for all in config.json, and one an agent in agents.json. */
import { isJsonObject } from '../../base/index.ts';

export interface ProgressSwitchOptions {
  isOn: () => boolean;
  /** The content of agents.json. Rejects when it cannot be read. */
  read: () => Promise<unknown>;
}

export function createProgressSwitch({ isOn, read }: ProgressSwitchOptions) {
  return async (agentType: string | undefined): Promise<boolean> => {
    if (!isOn()) return false;
    if (agentType === undefined) return true;
    const document = await read();
    const agents = isJsonObject(document) && isJsonObject(document.agents) ? document.agents : {};
    const own = Object.hasOwn(agents, agentType) ? agents[agentType] : undefined;
    return !(isJsonObject(own) && own.progress_tracking === false);
  };
}
