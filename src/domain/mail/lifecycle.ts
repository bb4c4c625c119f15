/**
 * Tells parents what becomes of their children (MSG-80 to MSG-84), from the events of the sessions.
 *
 * Promises: one of idle and completed a finished turn; no idle on the way to an end; nothing of what the child writes but the question it
 * asks. A notice is stored in the section that read the event; only then is its parent woken (MSG-83).
 */
import type { SessionState } from '../../contract/index.ts';
import { oneLine } from './lines.ts';
import type { ChildNotice } from './model.ts';

type Turn = 'unknown' | 'working' | 'told';

/** Follows the children's states; pure but for what it remembers of each. */
export class ChildStates {
  readonly #turns = new Map<string, Turn>();
  readonly #asked = new Set<string>();

  /** The notice that this state is worth, if any. */
  take(child: string, state: SessionState): ChildNotice | undefined {
    const { agent_state, background_work } = state;
    const isAsking = agent_state === 'awaiting_input' && state.question_confident === true;
    if (!isAsking) this.#asked.delete(child);
    if (agent_state === undefined) return undefined;
    if (isAsking) {
      if (this.#asked.has(child)) return undefined;
      this.#asked.add(child);
      // The turn goes on after the answer.
      this.#turns.set(child, 'working');
      return {
        child,
        state: 'awaiting_input',
        ...(state.question_text === undefined ? {} : { prompt: oneLine(state.question_text) }),
      };
    }
    if (agent_state === 'working' || agent_state === 'starting') {
      this.#turns.set(child, 'working');
      return undefined;
    }
    if (agent_state === 'awaiting_input' || background_work === true) return undefined;
    const turn = this.#turns.get(child) ?? 'unknown';
    this.#turns.set(child, 'told');
    // What it was doing before this server saw it is not known, so neither is that a turn has ended.
    return turn === 'working' ? { child, state: agent_state } : undefined;
  }

  forget(child: string): void {
    this.#turns.delete(child);
    this.#asked.delete(child);
  }
}
