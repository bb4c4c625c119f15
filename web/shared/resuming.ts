/**
 * Agents that ended, or lost their terminal host, go on with their conversations in new terminals: one by one, or all that were lost.
 * Which conversation that is the server knows, or says why not. Nothing is resumed unless a person asks for it.
 *
 * Ordering: one at a time. While one is under way its tab stays, so that the new terminal can take its place.
 */
import type { Client } from '../../src/client/index.ts';
import type { SessionEntry, WorkspaceStore } from './workspace-state.ts';

export interface ResumingDependencies {
  client: { agents: Pick<Client['agents'], 'resume'> };
  store: WorkspaceStore;
  refresh(): Promise<void>;
  /** The new terminal takes the place of the old one, or a tab of its own. */
  replace(id: string, by: string): void;
  explain(error: unknown, what: string): void;
  nameOf(session: SessionEntry): string;
}

/** An agent was started in it, and does not run any more. */
export function canResume(session: SessionEntry | undefined): boolean {
  return session?.agent_type !== undefined && session.lifecycle !== 'live' && !session.isClosing;
}

/** Ids of the agents that were lost with their terminal host, the oldest first. */
export function lostAgents(sessions: ReadonlyMap<string, SessionEntry>): string[] {
  return [...sessions.values()]
    .filter((session) => session.lifecycle === 'lost' && canResume(session))
    .sort((a, b) => a.created_at - b.created_at)
    .map(({ session_id }) => session_id);
}

export class Resuming {
  readonly #dependencies: ResumingDependencies;
  readonly #underWay = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(dependencies: ResumingDependencies) {
    this.#dependencies = dependencies;
  }

  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  resume(id: string): Promise<void> {
    const session = this.#dependencies.store.getState().sessions.get(id);
    if (session === undefined || !canResume(session) || this.#underWay.has(id)) return this.#last;
    this.#underWay.add(id);
    this.#last = this.#last.then(() => this.#resume(session)).finally(() => this.#underWay.delete(id));
    return this.#last;
  }

  async resumeAll(): Promise<void> {
    for (const id of lostAgents(this.#dependencies.store.getState().sessions)) await this.resume(id);
  }

  async #resume(session: SessionEntry): Promise<void> {
    const { client, refresh, replace, explain, nameOf } = this.#dependencies;
    try {
      const created = await client.agents.resume(session.session_id);
      await refresh();
      replace(session.session_id, created.session_id);
    } catch (error) {
      explain(error, `${nameOf(session)} could not be resumed`);
    }
  }
}
