/**
 * `window.__TUIC__`: what this window knows, for who looks into it (mcp.md DBG-2). Plain values, made anew each time. Each store says
 * itself what of it may be seen, name by name; texts that a person types or pastes, command lines and credentials are never in it.
 */

import { type Disposable, toDisposable } from '../../src/base/index.ts';
import type { Client } from '../../src/client/index.ts';
import { sessionLabel } from './labels.ts';
import { paneOf } from './layout.ts';
import type { SessionEntry, WorkspaceState, WorkspaceStore } from './workspace-state.ts';

export type Snapshot = () => unknown;

const LOGS_SHOWN = 50;

export class SnapshotRegistry {
  readonly #snapshots = new Map<string, Snapshot>();

  add(name: string, snapshot: Snapshot): Disposable {
    if (this.#snapshots.has(name)) throw new Error(`the store ${name} is there twice`);
    this.#snapshots.set(name, snapshot);
    return toDisposable(() => this.#snapshots.delete(name));
  }

  addAll(snapshots: Readonly<Record<string, Snapshot>>): void {
    for (const [name, snapshot] of Object.entries(snapshots)) this.add(name, snapshot);
  }

  names(): string[] {
    return [...this.#snapshots.keys()].sort();
  }

  read(name: string): unknown {
    return this.#snapshots.get(name)?.() ?? null;
  }
}

export interface DebugObject {
  stores(): string[];
  /** null when there is none of that name. */
  store(name: string): unknown;
  plugins(): unknown[];
  plugin(id: string): unknown;
  pluginLogs(id: string, limit?: number): unknown[];
  terminals(): unknown[];
  /** By its id or alias; null when this window knows none. */
  terminal(id: string): unknown;
  agentTypeForSession(sessionId: string): string | null;
  /** What waits for the person, or was told. */
  activity(): unknown[];
  /** The newest entries of the application log, newest last. They are the server's, so they are waited for. */
  logs(limit?: number): Promise<unknown[]>;
}

export interface DebugSources {
  registry: SnapshotRegistry;
  store: WorkspaceStore;
  client: Pick<Client, 'logs'>;
}

export function createDebugObject({ registry, store, client }: DebugSources): DebugObject {
  const find = (id: string) => {
    const { sessions } = store.getState();
    return sessions.get(id) ?? [...sessions.values()].find(({ alias }) => alias === id);
  };
  return Object.freeze({
    stores: () => registry.names(),
    store: (name: string) => registry.read(name),
    // There are none yet; what extends TUICommander today is a program of its own.
    plugins: () => [],
    plugin: () => null,
    pluginLogs: () => [],
    terminals: () => {
      const state = store.getState();
      return [...state.sessions.values()].map((session) => describeTerminal(state, session));
    },
    terminal: (id: string) => {
      const session = find(id);
      return session === undefined ? null : describeTerminal(store.getState(), session);
    },
    agentTypeForSession: (id: string) => find(id)?.state?.agent_type ?? null,
    activity: () => {
      const { questions, notices } = store.getState();
      return [
        {
          id: 'questions',
          items: questions.map(({ request_id, title, created_at }) => ({ id: request_id, title, created_at })),
        },
        { id: 'notices', items: notices.map(({ id, kind, text }) => ({ id, kind, text })) },
      ];
    },
    logs: (limit = LOGS_SHOWN) => client.logs.list({ limit: Math.max(1, Math.floor(limit)) }),
  });
}

function describeTerminal(state: WorkspaceState, session: SessionEntry) {
  const id = session.session_id;
  const pane = paneOf(state.layout, id);
  const status = state.terminals.get(id);
  return {
    session_id: id,
    alias: session.alias ?? null,
    label: sessionLabel(session),
    cwd: session.cwd,
    lifecycle: session.lifecycle,
    exit_code: session.exit_code ?? null,
    program: state.programs.get(id) ?? null,
    agent_type: session.state?.agent_type ?? null,
    agent_state: session.state?.agent_state ?? null,
    shell_state: session.state?.shell_state ?? null,
    awaiting_input: session.state?.awaiting_input ?? null,
    is_closing: session.isClosing,
    pane: pane?.id ?? null,
    /** On the screen now, not only in a tab behind another. */
    is_shown: pane?.tabs.active === id,
    has_keyboard: state.tabs.active === id,
    connection: status?.connection ?? null,
    rows: status?.rows ?? session.rows,
    cols: status?.cols ?? session.cols,
    follows_other: status?.followsOther ?? null,
    lost_bytes: status?.lostBytes ?? null,
  };
}
