/** Coding agents and editors of the server's machine. */
import type { MachineAgents } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface AgentRoutes {
  /** Every known agent, here or not, and the editors that are here. May take some seconds the first time. */
  detect(): Promise<MachineAgents>;
}

type Send = (method: string, path: string) => RequestOptions & { path: string };

export function createAgentRoutes(transport: Transport, send: Send): { agents: AgentRoutes } {
  return {
    agents: {
      detect: () => {
        const { path, ...options } = send('GET', '/agents/detect');
        return requestJson<MachineAgents>(transport, path, options);
      },
    },
  };
}
