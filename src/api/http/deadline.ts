/**
 * The 301 s limit until response headers (http.md 1.2). Our own timer: the framework's cuts streamed bodies and answers 503. The
 * handler's signal aborts at the deadline, and when the caller leaves. Ends when headers are out or the reply is taken over.
 */
import type { FastifyReply } from 'fastify';
import type { Clock, Disposable } from '../../base/index.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';

export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: Disposable;
  readonly #reply: FastifyReply;
  #hasExpired = false;
  #rejectWork: ((error: AppError) => void) | undefined;

  constructor(clock: Clock, reply: FastifyReply) {
    this.#reply = reply;
    this.#timer = clock.after(DEADLINES.request, () => this.#expire());
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) this.#controller.abort(new Error('the caller left'));
      this.dispose();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The work's outcome, or the refusal when the deadline comes first; a failure after that has nobody to be told but the log. */
  limit<T>(work: Promise<T>, onLateFailure: (error: unknown) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejectWork = reject;
      work.then(resolve, (error: unknown) => {
        if (this.#hasExpired) onLateFailure(error);
        else reject(error);
      });
    });
  }

  dispose(): void {
    this.#timer.dispose();
  }

  #expire(): void {
    const refusal = new AppError('request_timeout');
    this.#hasExpired = true;
    this.#controller.abort(refusal);
    if (this.#rejectWork !== undefined) this.#rejectWork(refusal);
    // The body is still on its way: nobody works on this request yet.
    else if (!this.#reply.sent) void this.#reply.header('connection', 'close').send(refusal);
  }
}
