/**
 * Which program runs in front in each terminal, for the list of sessions. Owns `programs` of the store.
 *
 * It is asked for when something says that it may be another: a session came, its state or its title changed. Then once after
 * DEADLINES.foregroundSettle and once after foregroundAgain, one session at a time, and only while somebody sees the list. So
 * a workspace in which nothing happens asks nothing.
 *
 * Ordering: a session that changes while its answer is under way is asked again, so the last answer is newer than the last
 * change. What is unknown stays as it was shown.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import type { SessionEntry, WorkspaceState, WorkspaceStore } from './workspace-state.ts';

export interface ForegroundDependencies {
  client: { sessions: Pick<Client['sessions'], 'foregroundProcess'> };
  store: WorkspaceStore;
  clock: Clock;
  /** The list is on the screen of a window that is seen. */
  isListSeen(): boolean;
}

export class ForegroundWatch implements Disposable {
  readonly #dependencies: ForegroundDependencies;
  readonly #unsubscribe: () => void;
  /** Sessions to ask about, in the order in which they changed. */
  readonly #waiting = new Set<string>();
  readonly #timers = new Map<string, Disposable>();
  #isAsking = false;
  #isDisposed = false;

  constructor(dependencies: ForegroundDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribe = dependencies.store.subscribe((state, before) => this.#onChange(state, before));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#unsubscribe();
    for (const timer of this.#timers.values()) timer.dispose();
    this.#timers.clear();
    this.#waiting.clear();
  }

  /** The list may be seen now: asks what was not asked meanwhile. */
  look(): void {
    void this.#ask();
  }

  #onChange(state: WorkspaceState, before: WorkspaceState): void {
    const { drawerOpen, preferences } = state;
    if (state.sessions !== before.sessions) {
      for (const [id, session] of state.sessions) {
        if (session.lifecycle === 'live' && isOther(session, before.sessions.get(id))) this.#mark(id);
      }
      this.#forgetEnded(state);
    }
    if (drawerOpen !== before.drawerOpen || preferences.sidebarOpen !== before.preferences.sidebarOpen)
      void this.#ask();
  }

  #mark(id: string): void {
    this.#timers.get(id)?.dispose();
    const { clock } = this.#dependencies;
    const want = () => {
      this.#waiting.add(id);
      void this.#ask();
    };
    const first = clock.after(DEADLINES.foregroundSettle, () => {
      this.#timers.set(
        id,
        clock.after(DEADLINES.foregroundAgain, () => {
          this.#timers.delete(id);
          want();
        }),
      );
      want();
    });
    this.#timers.set(id, first);
  }

  #forgetEnded({ sessions, programs }: WorkspaceState): void {
    const isLive = (id: string) => sessions.get(id)?.lifecycle === 'live';
    for (const [id, timer] of this.#timers) {
      if (isLive(id)) continue;
      timer.dispose();
      this.#timers.delete(id);
    }
    for (const id of this.#waiting) if (!isLive(id)) this.#waiting.delete(id);
    if ([...programs.keys()].every(isLive)) return;
    this.#dependencies.store.setState({ programs: new Map([...programs].filter(([id]) => isLive(id))) });
  }

  async #ask(): Promise<void> {
    const { client, store, isListSeen } = this.#dependencies;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (let [id] = this.#waiting; id !== undefined && isListSeen(); [id] = this.#waiting) {
        // First out of the set: what changes from here on is asked again.
        this.#waiting.delete(id);
        let program: string | null;
        try {
          program = await client.sessions.foregroundProcess(id);
        } catch (error) {
          // The session ended meanwhile; the list tells that.
          if (error instanceof RequestRefused) continue;
          // A connection that is back brings changes, and these ask again.
          if (error instanceof ServerUnreachable) return;
          throw error;
        }
        if (this.#isDisposed) return;
        const { programs, sessions } = store.getState();
        if (sessions.get(id)?.lifecycle !== 'live' || programs.get(id) === program) continue;
        store.setState({ programs: new Map(programs).set(id, program) });
      }
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Something that a program does when it comes or goes. The time of the last output alone is no change. */
function isOther(now: SessionEntry, before: SessionEntry | undefined): boolean {
  if (before === undefined || before.lifecycle !== 'live') return true;
  return (
    now.title !== before.title ||
    now.state?.shell_state !== before.state?.shell_state ||
    now.state?.agent_state !== before.state?.agent_state ||
    now.state?.terminal_mode?.mode !== before.state?.terminal_mode?.mode
  );
}
