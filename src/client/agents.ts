/** Coding agents and editors of the server's machine, and terminals with an agent. */
import type { CreateAgentSession, CreatedAgentSession, MachineAgents, ResumedAgent } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface AgentRoutes {
  /** Every known agent, here or not, and the editors that are here. May take some seconds the first time. */
  detect(): Promise<MachineAgents>;
  /** Opens a terminal with an agent that has its task. */
  start(input: CreateAgentSession): Promise<CreatedAgentSession>;
  /** Takes up the conversation of a session that has ended or is lost, in a new one. */
  resume(id: string, agentSession?: string): Promise<ResumedAgent>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createAgentRoutes(transport: Transport, send: Send): { agents: AgentRoutes } {
  const json = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  return {
    agents: {
      detect: () => json(send('GET', '/agents/detect')),
      start: (input) => json(send('POST', '/sessions/agent', input)),
      resume: (id, agentSession) =>
        json(
          send(
            'POST',
            `/sessions/${encodeURIComponent(id)}/resume-agent`,
            agentSession === undefined ? {} : { agent_session: agentSession },
          ),
        ),
    },
  };
}
