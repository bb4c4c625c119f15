/**
 * When one session is made durable while it runs: each so many bytes, when it goes quiet, after a period of activity, and the
 * screen on disk at a slow pace of its own, also when the last output was long ago.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import type { Checkpointer } from './checkpointer.ts';

/** Storing takes its time and the host waits for it when its ring is full: it begins when half of the way is gone. */
const CHECKPOINT_BEGINS = LIMITS.checkpointEvery / 2;

export interface CheckpointPaceOptions {
  checkpointer: Checkpointer;
  clock: Clock;
  /** Monotonic milliseconds of the newest output. */
  lastOutput(): number;
  /** Resolves once everything that has come so far is parsed. */
  parsed(): Promise<void>;
  onFailure(error: unknown): void;
}

export class CheckpointPace implements Disposable {
  readonly #options: CheckpointPaceOptions;
  #housekeeping: Disposable | undefined;
  #screenTimer: Disposable | undefined;
  #isDisposed = false;

  constructor(options: CheckpointPaceOptions) {
    this.#options = options;
  }

  /** More was parsed. */
  onParsed(): void {
    if (this.#options.checkpointer.dirtyBytes >= CHECKPOINT_BEGINS) this.#store(false);
  }

  /** Something came. Looks once a second, while there is output, whether the session went quiet or a period is over. */
  schedule(): void {
    this.#housekeeping ??= this.#options.clock.after(DEADLINES.checkpointQuiet, () => this.#look());
  }

  #look(): void {
    this.#housekeeping = undefined;
    if (this.#isDisposed) return;
    const { clock, checkpointer, lastOutput, parsed } = this.#options;
    const isQuiet = clock.monotonic() - lastOutput() >= DEADLINES.checkpointQuiet;
    if (!isQuiet) this.schedule();
    if (!isQuiet && checkpointer.age < DEADLINES.checkpointActive) return;
    void parsed().then(() => {
      if (this.#isDisposed) return;
      this.#store(false);
      this.#scheduleScreen();
    });
  }

  #scheduleScreen(): void {
    const { clock, checkpointer } = this.#options;
    const wait = Math.max(DEADLINES.checkpointActive - checkpointer.age, DEADLINES.checkpointQuiet);
    this.#screenTimer ??= clock.after(wait, () => {
      this.#screenTimer = undefined;
      if (!this.#isDisposed && checkpointer.isScreenStale) this.#store(true);
    });
  }

  #store(screen: boolean): void {
    this.#options.checkpointer.run({ screen }).catch((error: unknown) => this.#options.onFailure(error));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#housekeeping?.dispose();
    this.#screenTimer?.dispose();
  }
}
