/**
 * Watches what the program of one terminal is doing: hands the reader what comes, wakes it when time has passed, and tells changes.
 *
 * Ordering: output that was written before this server was there (a replay) is read for what it says, and counts neither as
 * activity nor as the end of a silence. One timer at a time; a change is told in the turn in which it is found, first to the
 * owner, then to those who wait for one.
 */
import { type Clock, type Disposable, Emitter } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import type {
  ActivityEvidence,
  ActivityReader,
  ComposerState,
  ForegroundProgram,
  ProgramActivity,
  ScreenRows,
  TypingClaim,
  TypingRefusal,
} from './activity.ts';

export class ActivityWatch implements Disposable {
  readonly #reader: ActivityReader;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #onSettled: () => void;
  readonly #changes = new Emitter<void>();
  #timer: Disposable | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** Wall clock when the timer was set and for when. */
  #wakeAt = 0;
  #current: ProgramActivity;
  #key: string;
  #gate = '';
  #lastOutput = 0;
  #limitedUntil: number | undefined;

  /** `onSettled`: after each input, also one that changed nothing that is told. */
  constructor(reader: ActivityReader, clock: Clock, onChange: () => void, onSettled: () => void = () => undefined) {
    this.#reader = reader;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onSettled = onSettled;
    this.#current = reader.read();
    this.#key = JSON.stringify(this.#current);
    this.#gate = this.#readGate();
  }

  get current(): ProgramActivity {
    return this.#current;
  }

  get evidence(): ActivityEvidence {
    return this.#reader.explain();
  }

  get isAgent(): boolean {
    return this.#reader.isAgent;
  }

  get epoch(): number {
    return this.#reader.epoch;
  }

  get composer(): ComposerState {
    return this.#reader.composer;
  }

  /** Epoch milliseconds of the newest output that this server saw as it came; 0 before any. */
  get lastOutput(): number {
    return this.#lastOutput;
  }

  /** Epoch milliseconds; undefined without a limit, or when the agent has not told how long it lasts. */
  get limitedUntil(): number | undefined {
    return this.#limitedUntil;
  }

  typingRefusal(): TypingRefusal | undefined {
    return this.#reader.typingRefusal();
  }

  /** Told after each change of what is read, of what may be typed, or of the turn. */
  onAnyChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  output(isReplay: boolean): void {
    if (!isReplay) {
      this.#lastOutput = this.#clock.now();
      this.#reader.output(this.#clock.monotonic());
    }
    this.#settle();
  }

  command(code: number, data: string): void {
    this.#reader.command(code, data, this.#clock.monotonic());
  }

  title(title: string): void {
    this.#reader.title(title, this.#clock.monotonic());
  }

  screen(view: ScreenRows): void {
    this.#reader.screen(view, this.#clock.monotonic());
    this.#settle();
  }

  input(bytes: Uint8Array): void {
    this.#reader.input(bytes, this.#clock.monotonic());
    this.#settle();
  }

  inputLost(): void {
    this.#reader.inputLost();
    this.#settle();
  }

  foreground(program: ForegroundProgram | null): void {
    this.#reader.foreground(program, this.#clock.monotonic());
    this.#settle();
  }

  get conversation(): string | undefined {
    return this.#reader.conversation;
  }

  get wantsForeground(): boolean {
    return this.#reader.wantsForeground;
  }

  get wantsProcesses(): boolean {
    return this.#reader.wantsProcesses;
  }

  processes(work: readonly string[] | null, takenAt: number): void {
    this.#reader.processes(work, takenAt);
    this.#settle();
  }

  resized(): void {
    this.#reader.resized(this.#clock.monotonic());
    this.#settle();
  }

  claim(): TypingClaim | TypingRefusal {
    // What is decided is decided by the time of now.
    this.#reader.tick(this.#clock.monotonic());
    const claim = this.#reader.claim();
    if (typeof claim === 'string') return claim;
    this.#settle();
    return {
      epoch: claim.epoch,
      settle: (outcome) => {
        this.#reader.tick(this.#clock.monotonic());
        claim.settle(outcome);
        this.#settle();
      },
    };
  }

  checkpoint(): unknown {
    return this.#reader.checkpoint();
  }

  restore(state: unknown): void {
    this.#reader.restore(state);
    this.#settle();
  }

  end(): void {
    this.#reader.end();
    this.#stop();
    this.#tellChange();
  }

  /** After each input: sets the timer, and tells what changed. */
  #settle(): void {
    const due = this.#reader.dueAt();
    if (due === undefined) this.#stop();
    // A timer that comes too early looks again; one that comes too late would be a fault.
    else if (this.#timer === undefined || due < this.#dueAt) this.#arm(due);
    this.#tellChange();
    this.#onSettled();
  }

  #arm(due: number): void {
    this.#timer?.dispose();
    const wait = Math.max(due - this.#clock.monotonic(), 0);
    this.#dueAt = due;
    this.#wakeAt = this.#clock.now() + wait;
    this.#timer = this.#clock.after(wait, () => this.#wake());
  }

  #stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  #wake(): void {
    this.#stop();
    const late = this.#clock.now() - this.#wakeAt;
    if (late >= DEADLINES.sleepGap) this.#reader.woke(this.#clock.monotonic());
    else this.#reader.tick(this.#clock.monotonic());
    this.#settle();
  }

  #readGate(): string {
    return `${this.#reader.typingRefusal()} ${this.#reader.epoch} ${this.#reader.composer}`;
  }

  #tellChange(): void {
    const next = this.#reader.read();
    const key = JSON.stringify(next);
    const isOther = key !== this.#key;
    const gate = this.#readGate();
    if (!isOther && gate === this.#gate) return;
    this.#gate = gate;
    if (isOther) {
      this.#key = key;
      // Counted from when it was told first; what is told again in the same words changes nothing.
      if (next.retry_after_ms === undefined) this.#limitedUntil = undefined;
      else if (next.retry_after_ms !== this.#current.retry_after_ms) {
        this.#limitedUntil = this.#clock.now() + next.retry_after_ms;
      }
      this.#current = next;
      this.#onChange();
    }
    this.#changes.emit();
  }

  dispose(): void {
    this.#stop();
    this.#changes.clear();
  }
}
