/**
 * Owns what was asked of one workspace window and waits for its answer (UI-5, DBG-1). The window is chosen once, when it is asked; only
 * that one may answer.
 *
 * Ordering: a request leaves the map in the same synchronous step that settles it. So of an answer, the end of its time, a window that
 * closes and a caller that leaves exactly one settles it; whatever comes later finds nothing (404).
 */
import type { Clock, Disposable, Ids } from '../../base/index.ts';
import { AppError, LIMITS } from '../../contract/index.ts';

export interface WindowRequestDependencies<Asked> {
  clock: Clock;
  ids: Ids;
  /** Milliseconds that the window has. */
  deadline: number;
  /** The workspace that a person looked at last. */
  focusedWorkspace: () => string | undefined;
  /** Tells that window, and nobody else. */
  announce: (requestId: string, clientId: string, asked: Asked) => void;
}

export interface Answered<Answer> {
  requestId: string;
  clientId: string;
  answer: Answer;
}

interface Entry<Asked, Answer> {
  asked: Asked;
  clientId: string;
  settle: (answer: Answer) => void;
  fail: (detail: string) => void;
}

export class WindowRequests<Asked, Answer> implements Disposable {
  readonly #dependencies: WindowRequestDependencies<Asked>;
  readonly #entries = new Map<string, Entry<Asked, Answer>>();

  constructor(dependencies: WindowRequestDependencies<Asked>) {
    this.#dependencies = dependencies;
  }

  /** `signal` tells that whoever asked has gone. Rejects with `window_missing` at once when there is nobody to ask. */
  async ask(asked: Asked, signal: AbortSignal): Promise<Answered<Answer>> {
    const { clock, ids, deadline, focusedWorkspace, announce } = this.#dependencies;
    const unanswered = (detail: string) => new AppError('window_unanswered', { detail });
    if (signal.aborted) throw unanswered('the caller left');
    const clientId = focusedWorkspace();
    if (clientId === undefined) throw new AppError('window_missing');
    if (this.#entries.size >= LIMITS.windowRequests) {
      throw new AppError('window_limit', { count: LIMITS.windowRequests });
    }
    const requestId = ids.uuid();
    return new Promise((resolve, reject) => {
      const finish = (tell: () => void) => {
        if (!this.#entries.delete(requestId)) return;
        timer.dispose();
        signal.removeEventListener('abort', leave);
        tell();
      };
      const fail = (detail: string) => finish(() => reject(unanswered(detail)));
      const leave = () => fail('the caller left');
      const timer = clock.after(deadline, () =>
        fail(`none within ${deadline / 1_000} s; its page may be busy or asleep`),
      );
      signal.addEventListener('abort', leave, { once: true });
      const settle = (answer: Answer) => finish(() => resolve({ requestId, clientId, answer }));
      this.#entries.set(requestId, { asked, clientId, settle, fail });
      announce(requestId, clientId, asked);
    });
  }

  /** What was asked, while it waits. */
  asked(requestId: string): Asked {
    const entry = this.#entries.get(requestId);
    if (entry === undefined) throw notFound();
    return entry.asked;
  }

  answer(requestId: string, clientId: string | undefined, answer: Answer): void {
    const entry = this.#entries.get(requestId);
    // Another window learns no more than that there is nothing for it.
    if (entry === undefined || entry.clientId !== clientId) throw notFound();
    entry.settle(answer);
  }

  /** The last subscription of a window ended. */
  leave(clientId: string): void {
    for (const entry of [...this.#entries.values()]) if (entry.clientId === clientId) entry.fail('it was closed');
  }

  dispose(): void {
    for (const { fail } of [...this.#entries.values()]) fail('the server ended');
  }
}

function notFound(): AppError {
  return new AppError('not_found', { what: 'request; it was answered already, ended, or is for another window' });
}
