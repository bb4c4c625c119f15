/** What a page does about an action that failed: the person is told, and a missing credential changes the page instead. */
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';

export interface FailureEvents {
  /** The page has no credential any more. */
  loggedOut(): void;
  tell(text: string): void;
  /** The server did not answer. */
  unreachable?(): void;
}

export class Failures {
  readonly #events: FailureEvents;

  constructor(events: FailureEvents) {
    this.#events = events;
  }

  refused(error: RequestRefused, what?: string): void {
    if (error.status === 401 || error.status === 403) this.#events.loggedOut();
    else this.#events.tell(what === undefined ? error.message : `${what}: ${error.message}`);
  }

  /** Says what an action could not do. A fault of the page itself is thrown on. */
  explain(error: unknown, what: string): void {
    if (error instanceof RequestRefused) this.refused(error, what);
    else if (error instanceof ServerUnreachable) {
      this.#events.tell(`${what}: the server does not answer.`);
      this.#events.unreachable?.();
    } else throw error;
  }
}

/** The server said no, or nothing: no fault of the page. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RequestRefused || error instanceof ServerUnreachable;
}
