/**
 * Owns every question that waits for a person (UI-4, UI-6): what is asked, who may still answer, and how it ended.
 *
 * Ordering: a question leaves the map in the same synchronous step that settles it, before its event and its answer are told. So of
 * two answers, an answer and the end of its time, or an answer and a caller that leaves, exactly one settles it; the other finds nothing.
 */
import type { Clock, Disposable, Ids } from '../../base/index.ts';
import {
  AppError,
  type ConfirmOutcome,
  DEADLINES,
  type EventData,
  LIMITS,
  type PendingConfirm,
} from '../../contract/index.ts';

export type Question = Pick<PendingConfirm, 'kind' | 'title' | 'message'> &
  Partial<Pick<PendingConfirm, 'origin_session_id' | 'origin_repo_path'>>;

export type ConfirmPublish = <N extends 'mcp-confirm' | 'mcp-confirm-resolved'>(name: N, data: EventData[N]) => void;

export interface ConfirmDependencies {
  clock: Clock;
  ids: Ids;
  publish: ConfirmPublish;
}

interface Entry {
  question: PendingConfirm;
  settle: (outcome: ConfirmOutcome) => void;
}

export class PendingConfirms implements Disposable {
  readonly #dependencies: ConfirmDependencies;
  readonly #entries = new Map<string, Entry>();

  constructor(dependencies: ConfirmDependencies) {
    this.#dependencies = dependencies;
  }

  /** Oldest first. */
  list(): PendingConfirm[] {
    return [...this.#entries.values()].map(({ question }) => ({ ...question }));
  }

  /** Resolves in every ending; `signal` tells that whoever asked has gone. */
  ask(asked: Question, signal: AbortSignal, window: number = DEADLINES.confirm): Promise<ConfirmOutcome> {
    const { clock, ids, publish } = this.#dependencies;
    const gone: ConfirmOutcome = { confirmed: false, reason: 'the caller left' };
    if (signal.aborted) return Promise.resolve(gone);
    if (this.#entries.size >= LIMITS.confirms) {
      throw new AppError('confirm_limit', { count: LIMITS.confirms });
    }
    const created = clock.now();
    const question: PendingConfirm = {
      request_id: ids.uuid(),
      ...asked,
      created_at: created,
      expires_at: created + window,
    };
    return new Promise((resolve) => {
      const settle = (outcome: ConfirmOutcome) => {
        if (!this.#entries.delete(question.request_id)) return;
        timer.dispose();
        signal.removeEventListener('abort', leave);
        publish('mcp-confirm-resolved', { request_id: question.request_id, ...outcome });
        resolve(outcome);
      };
      const leave = () => settle(gone);
      const timer = clock.after(window, () =>
        settle({ confirmed: false, reason: `no answer within ${window / 1_000}s` }),
      );
      signal.addEventListener('abort', leave, { once: true });
      this.#entries.set(question.request_id, { question, settle });
      publish('mcp-confirm', question);
    });
  }

  answer(requestId: string, confirmed: boolean): void {
    const entry = this.#entries.get(requestId);
    if (entry === undefined) throw new AppError('not_found', { what: 'question; it was answered already, or ended' });
    entry.settle({ confirmed });
  }

  /** The server ends: whoever waits is told so. */
  dispose(): void {
    for (const { settle } of [...this.#entries.values()]) settle({ confirmed: false, reason: 'the server ended' });
  }
}
