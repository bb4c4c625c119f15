/**
 * Takes up an agent's conversation again, in a new terminal under the identity of the one that ended: mail and, after the loss of the terminal
 * host, alias and name go on (ADR-9). Which conversation it was is never guessed: the caller says it, the agent told it, it stood in the
 * arguments, or there is only one that began in that folder while the agent ran.
 */
import {
  AppError,
  type CreatedSession,
  type CreateSession,
  type ResumeAgent,
  type ResumedAgent,
  type SessionInfo,
} from '../../contract/index.ts';
import { isProgramFile } from '../../platform/fs/index.ts';
import { type CatalogueAgent, findAgent } from './catalogue/index.ts';
import type { Conversations } from './conversations.ts';
import type { AgentDetection } from './detection.ts';
import { CODEX_BYPASS, isCodexProgram } from './launch-arguments.ts';

export interface AgentResumer {
  resume(input: ResumeAgent & { id: string }, origin: { isRemote: boolean }): Promise<ResumedAgent>;
}

export interface AgentResumerDependencies {
  sessions: {
    get(ref: string): SessionInfo;
    /** As which agent it was started, and which conversation the agent told. */
    agentOf(ref: string): { agent_type: string | null; agent_session: string | null };
    create(input: CreateSession, origin: { isRemote: boolean }): Promise<CreatedSession>;
  };
  conversations: Pick<Conversations, 'begunSince'>;
  detection: Pick<AgentDetection, 'programs' | 'path'>;
}

export function createAgentResumer({ sessions, conversations, detection }: AgentResumerDependencies): AgentResumer {
  const underWay = new Set<string>();

  /** Its program as it was, else where it is now. */
  async function findFile(agent: CatalogueAgent, was: string): Promise<string> {
    if (await isProgramFile(was)) return was;
    for (const path of (await detection.programs(agent.binaries)).values()) if (path !== null) return path;
    throw new AppError('program_not_found', { program: was });
  }

  async function conversationOf(agent: CatalogueAgent, info: SessionInfo, told: string | null): Promise<string> {
    if (told !== null) return told;
    const [before = ''] = agent.resume ?? [];
    const args = info.args ?? [];
    const given = args[args.indexOf(before) + 1];
    if (args.includes(before) && given !== undefined) return given;
    const found = (await conversations.begunSince(agent.id, info.cwd ?? '', info.created_at)) ?? [];
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only.id;
    const detail =
      only === undefined
        ? `${agent.name} told none, and its files show none that began in that folder`
        : `these began in that folder since: ${found.map(({ id }) => id).join(', ')}`;
    throw new AppError('conversation_unknown', { detail });
  }

  async function open(info: SessionInfo, asked: string | undefined, origin: { isRemote: boolean }) {
    const { agent_type, agent_session: told } = sessions.agentOf(info.session_id);
    const agent = agent_type === null ? undefined : findAgent(agent_type);
    if (agent?.resume === undefined) {
      const detail = agent === undefined ? 'no known agent ran in it' : `how ${agent.name} takes one up is not known`;
      throw new AppError('conversation_unknown', { detail });
    }
    const agent_session = asked ?? (await conversationOf(agent, info, told));
    const file = await findFile(agent, info.shell ?? '');
    const keepsBypass = isCodexProgram(file) && info.args?.includes(CODEX_BYPASS) === true;
    const args = agent.resume.map((part) => part.replaceAll('{session}', () => agent_session));
    const session: CreateSession = {
      shell: file,
      args: [...(keepsBypass ? [CODEX_BYPASS] : []), ...args],
      agent_type: agent.id,
      cwd: info.cwd,
      rows: info.rows,
      cols: info.cols,
      env: { PATH: await detection.path() },
    };
    if (info.tuic_session !== undefined) session.tuic_session = info.tuic_session;
    // A lost one hands its alias and name on by itself.
    if (info.lifecycle === 'exited') {
      if (info.alias !== undefined) session.alias = info.alias;
      if (info.display_name !== undefined) session.display_name = info.display_name;
      if (info.display_name_is_custom !== undefined) session.display_name_is_custom = info.display_name_is_custom;
    }
    return { ...(await sessions.create(session, origin)), agent_session };
  }

  return {
    async resume({ id, agent_session }, origin) {
      const info = sessions.get(id);
      if (info.lifecycle === 'live' || underWay.has(info.session_id)) throw new AppError('agent_runs');
      underWay.add(info.session_id);
      try {
        return await open(info, agent_session, origin);
      } finally {
        underWay.delete(info.session_id);
      }
    },
  };
}
