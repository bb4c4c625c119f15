/**
 * Whether what the phone page shows is true now. A phone freezes pages: timers stop, sockets die without a word, and a
 * page that wakes up believes itself connected (W05). So nothing is believed that was not answered since.
 *
 * Owns the question "what is there?": asked each 3 s while the page is seen, and at once when it wakes. Promises: within 1 s
 * of waking the state is `connected` after a fresh answer, or says that there is none and of when the things shown are.
 * Streams are reopened at each waking and after each outage, since an old connection proves nothing.
 *
 * Ordering: one question at a time; a newer one disowns the older (`#generation`), whose answer then counts for nothing here.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { ServerUnreachable } from '../../src/client/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';

export type Reach =
  /** Nothing was ever read. */
  | 'connecting'
  | 'connected'
  /** The page woke up; asked, not answered yet. */
  | 'checking'
  /** Asked more than a second ago; the network takes its time, or is gone. */
  | 'late'
  /** Refused, broken off, or given up. Asked again each 3 s. */
  | 'unreachable'
  /** The device itself says that it has no network. */
  | 'offline';

export interface LivenessState {
  reach: Reach;
  /** Epoch milliseconds of the newest answer: what is shown is as old as that. */
  asOf: number | undefined;
}

export type WakeReason = 'visible' | 'shown' | 'online' | 'thawed';

export interface LivenessDependencies {
  clock: Clock;
  /** Reads the truth. Rejects with ServerUnreachable when no answer comes; other failures are the caller's and count as an answer. */
  ask(signal: AbortSignal): Promise<void>;
  /** Lets streams go that may be dead and opens them again. */
  reopen(): void;
  changed(state: LivenessState): void;
}

/** Reason of an abort that is ours: the answer came too late, or nobody wants it any more. */
class AnswerLost extends Error {}

export class Liveness implements Disposable {
  readonly #dependencies: LivenessDependencies;
  readonly #clock: Clock;
  #state: LivenessState = { reach: 'connecting', asOf: undefined };
  #isVisible = true;
  #generation = 0;
  #question: AbortController | undefined;
  #lastAsked = Number.NEGATIVE_INFINITY;
  #lastTick: number;
  #hiddenAt: number | undefined;
  #lastWake = Number.NEGATIVE_INFINITY;
  /** An outage was seen since the streams were opened. */
  #isSuspect = false;
  /** Something changed since the question under way was asked. */
  #isStale = false;
  #ticker: Disposable | undefined;

  constructor(dependencies: LivenessDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock;
    this.#lastTick = this.#clock.now();
  }

  get state(): LivenessState {
    return this.#state;
  }

  start(): void {
    this.#lastTick = this.#clock.now();
    this.#ticker = this.#clock.every(DEADLINES.answerLate, () => this.#tick());
    this.refresh();
  }

  /** Something changed: asks now, or once more when the question under way is answered. */
  refresh(): void {
    if (this.#question === undefined) void this.#ask();
    else this.#isStale = true;
  }

  /** The page is not seen: no questions, and no belief in what it shows when it comes back. */
  hide(): void {
    if (!this.#isVisible) return;
    this.#isVisible = false;
    this.#hiddenAt = this.#clock.now();
  }

  wake(reason: WakeReason): void {
    const wasHidden = !this.#isVisible;
    // Also told when the page is first shown; nothing was away then.
    if (reason === 'shown' && !wasHidden) return;
    this.#isVisible = true;
    const away = this.#hiddenAt === undefined ? 0 : this.#clock.now() - this.#hiddenAt;
    this.#hiddenAt = undefined;
    this.#lastTick = this.#clock.now();
    // Waking is told several times over; a network that has just come is news in any case.
    const isEcho = this.#question !== undefined && this.#clock.monotonic() - this.#lastWake < DEADLINES.answerLate;
    if (reason !== 'online' && isEcho) return;
    this.#lastWake = this.#clock.monotonic();
    const isGlance = wasHidden && away >= 0 && away < DEADLINES.pageGlance && this.#state.reach === 'connected';
    if (isGlance) {
      void this.#ask();
      return;
    }
    this.#set(this.#state.reach === 'connecting' ? 'connecting' : 'checking');
    this.#dependencies.reopen();
    this.#isSuspect = false;
    void this.#ask();
  }

  /** The device lost its network. */
  goOffline(): void {
    this.#disown();
    this.#isSuspect = true;
    this.#set('offline');
  }

  /** A stream broke: most likely the server went. */
  suspect(): void {
    this.#isSuspect = true;
    void this.#ask();
  }

  dispose(): void {
    this.#disown();
    this.#ticker?.dispose();
  }

  #tick(): void {
    const now = this.#clock.now();
    const silence = now - this.#lastTick;
    this.#lastTick = now;
    if (!this.#isVisible) return;
    if (silence > DEADLINES.pageFrozen) {
      this.wake('thawed');
      return;
    }
    const isDue = this.#clock.monotonic() - this.#lastAsked >= DEADLINES.phonePoll;
    if (isDue && this.#question === undefined) void this.#ask();
  }

  #disown(): void {
    this.#generation++;
    this.#question?.abort(new AnswerLost());
    this.#question = undefined;
  }

  async #ask(): Promise<void> {
    this.#disown();
    this.#isStale = false;
    const own = this.#generation;
    const question = new AbortController();
    this.#question = question;
    this.#lastAsked = this.#clock.monotonic();
    const late = this.#clock.after(DEADLINES.answerLate, () => {
      this.#isSuspect = true;
      if (this.#state.reach !== 'offline' && this.#state.reach !== 'unreachable') this.#set('late');
    });
    const lost = this.#clock.after(DEADLINES.answerLost, () => question.abort(new AnswerLost()));
    try {
      await this.#dependencies.ask(question.signal);
      if (own !== this.#generation) return;
      this.#question = undefined;
      this.#set('connected', this.#clock.now());
      if (this.#isSuspect) this.#dependencies.reopen();
      this.#isSuspect = false;
      if (this.#isStale) void this.#ask();
    } catch (error) {
      if (!(error instanceof ServerUnreachable || error instanceof AnswerLost)) throw error;
      if (own !== this.#generation) return;
      this.#question = undefined;
      this.#isSuspect = true;
      if (this.#state.reach !== 'offline') this.#set('unreachable');
    } finally {
      late.dispose();
      lost.dispose();
    }
  }

  #set(reach: Reach, asOf = this.#state.asOf): void {
    if (reach === this.#state.reach && asOf === this.#state.asOf) return;
    this.#state = { reach, asOf };
    this.#dependencies.changed(this.#state);
  }
}
