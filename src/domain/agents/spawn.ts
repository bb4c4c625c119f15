/**
 * Agents that agents start (mcp.md 2.2). A child is a terminal, a peer with an inbox, a link to its parent and a task.
 *
 * Ordering: everything that can be refused is, before anything exists (AGT-2); name and parent stand before the terminal opens, so that
 * neither a child that speaks at once nor one that ends at once finds them missing; the task only exists once the terminal lives (TSK-1).
 * A terminal that does not open leaves nothing behind.
 */
import type { Clock, Ids } from '../../base/index.ts';
import {
  AppError,
  type CreatedSession,
  type CreateSession,
  findNativeTool,
  type SpawnAgent,
  type SpawnedAgent,
} from '../../contract/index.ts';
import { checkSize } from '../sessions/index.ts';
import type { AgentLauncher } from './launch.ts';
import { withPreamble } from './preamble.ts';

export interface AgentSpawner {
  spawn(input: SpawnAgent): Promise<SpawnedAgent>;
}

export interface AgentSpawnerDependencies {
  launcher: AgentLauncher;
  sessions: {
    create(input: CreateSession, origin: { isRemote: boolean }): Promise<CreatedSession>;
    readonly liveCount: number;
    readonly maxSessions: number;
  };
  /** Children are known as peers before they speak (AGT-8). */
  peers: { introduce(identity: string, traits: { name: string }): unknown; remove(identity: string): void };
  parents: { set(child: string, parent: string): void; remove(child: string): void };
  tasks: { create(task: { sessionId: string; owner: string }): { task_id: string; poll_interval_ms: number } };
  /** Types a prompt once the agent takes one; off while nobody types. */
  deferred: { readonly isOff: boolean; defer(sessionId: string, prompt: string): void };
  clock: Clock;
  ids: Ids;
}

const STANDARD_NAME = 'agent';
const LONGEST_NAME = 128;
/** A hint names nothing that the caller does not have. */
const CAN_WAIT = findNativeTool('session')?.actions.wait?.isReady === true;

export function createAgentSpawner(dependencies: AgentSpawnerDependencies): AgentSpawner {
  const { launcher, sessions, peers, parents, tasks, deferred, clock, ids } = dependencies;

  return {
    async spawn({ name: asked, identity, owner, caller_folder, prompt, ...launch }) {
      if (sessions.liveCount >= sessions.maxSessions) throw new AppError('session_limit');
      const id = ids.uuid();
      const shownName = typeof asked === 'string' ? asked.trim() : STANDARD_NAME;
      const given =
        identity === undefined ? prompt : withPreamble(prompt, { child: id, name: shownName, parent: identity });
      const cwd = launch.cwd ?? caller_folder;
      const wish = { ...launch, prompt: given, ...(cwd === undefined ? {} : { cwd }) };
      const { session, deferredPrompt, warning } = await launcher.prepare(wish, {
        isChild: true,
        canDefer: !deferred.isOff,
      });
      checkSize(launch.rows ?? 24, launch.cols ?? 80);
      const name = checkName(asked);
      const wanted: CreateSession = {
        ...session,
        session_id: id,
        tuic_session: id,
        display_name: name,
        env: { ...session.env, ...(identity === undefined ? {} : { TUIC_PARENT: identity }) },
      };
      peers.introduce(id, { name });
      parents.set(id, owner);
      try {
        await sessions.create(wanted, { isRemote: true });
      } catch (error) {
        parents.remove(id);
        peers.remove(id);
        throw error;
      }
      if (deferredPrompt !== undefined) deferred.defer(id, deferredPrompt);
      const task = tasks.create({ sessionId: id, owner });
      return {
        session_id: id,
        ...task,
        name,
        server_ts: clock.now(),
        monitor_with: `session action=output session_id=${id}`,
        status_with: `session action=status session_id=${id}`,
        wait_with: CAN_WAIT ? `session action=wait session_id=${id}` : `task action=get task_id=${task.task_id}`,
        ...(identity === undefined
          ? {
              communication_warning:
                'You have no identity, so the agent was not told whom to write to. Register (agent action=register), and its changes of state reach your inbox',
            }
          : {
              parent_session_id: identity,
              peer_monitor_with: 'agent action=inbox',
              peer_wait_with: 'agent action=wait',
            }),
        ...(warning === undefined ? {} : { launch_warning: warning }),
      };
    },
  };
}

function checkName(asked: unknown): string {
  if (asked === undefined) return STANDARD_NAME;
  if (typeof asked !== 'string') throw new AppError('invalid_input', { detail: 'name: must be a text' });
  const name = asked.trim();
  if (name === '' || name.length > LONGEST_NAME) {
    throw new AppError('invalid_input', { detail: `name: needs 1 to ${LONGEST_NAME} characters` });
  }
  return name;
}
