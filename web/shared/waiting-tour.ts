/** The way from one agent that waits for a person to the next, and back to where the person was. */
import { nextWaiting, waitingIds } from './session-status.ts';
import { listedSessions, type WorkspaceStore } from './workspace-state.ts';

export interface WaitingTourDependencies {
  store: WorkspaceStore;
  show(id: string): void;
  tell(text: string): void;
}

export class WaitingTour {
  readonly #dependencies: WaitingTourDependencies;
  /** Where the tour began, and where it led to last; going elsewhere ends it. */
  #begun: { from: string | undefined; at: string } | undefined;

  constructor(dependencies: WaitingTourDependencies) {
    this.#dependencies = dependencies;
  }

  next(): void {
    const { store, show, tell } = this.#dependencies;
    const state = store.getState();
    const sessions = listedSessions(state);
    const { active } = state.tabs;
    const order = sessions.map((session) => session.session_id);
    const next = nextWaiting(order, waitingIds(sessions, state.questions), active);
    if (next === undefined) {
      tell('No other agent waits for you.');
      return;
    }
    const isGoingOn = this.#begun !== undefined && this.#begun.at === active;
    this.#begun = { from: isGoingOn ? this.#begun?.from : active, at: next };
    show(next);
  }

  back(): void {
    const { show, tell } = this.#dependencies;
    const from = this.#begun?.from;
    this.#begun = undefined;
    if (from === undefined) tell('There is nothing to go back to.');
    else show(from);
  }
}
