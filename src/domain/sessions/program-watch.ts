/**
 * Everything that is watched of the program of one terminal: its reader (ActivityWatch), the rows of its screen if it is an agent
 * (ScreenLook), what runs in front (ForegroundWatch), and what an agent left running. Owns when these are looked at; what they
 * mean is the reader's business.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import type { ActivityReader } from './activity.ts';
import { ActivityWatch } from './activity-watch.ts';
import { ForegroundWatch, type LookInFront } from './foreground-watch.ts';
import type { SessionLog } from './ports.ts';
import type { ScreenEngine } from './screen/model.ts';
import { ScreenLook } from './screen-look.ts';

const CARRIAGE_RETURN = 13;

/** What the program in front left running, by a table that was read at `takenAt`; null when nobody can tell. */
export type LookBehind = () => Promise<{ work: readonly string[] | null; takenAt: number }>;

export interface ProgramWatchOptions {
  id: string;
  reader: ActivityReader;
  engine: ScreenEngine;
  clock: Clock;
  log: SessionLog;
  /** What runs in front; without it agents are known by what they say and by what the session was opened for. */
  lookInFront: LookInFront | undefined;
  lookBehind: LookBehind | undefined;
  onActivity(): void;
}

export class ProgramWatch implements Disposable {
  readonly activity: ActivityWatch;
  readonly #look: ScreenLook;
  readonly #front: ForegroundWatch | undefined;
  readonly #options: ProgramWatchOptions;
  #isLookingBehind = false;
  #isDisposed = false;

  constructor(options: ProgramWatchOptions) {
    const { id, reader, engine, clock, log, lookInFront, onActivity } = options;
    this.#options = options;
    const onChange = () => {
      // It may just have been found to be an agent: its rows were never read.
      this.#look.onParsed();
      if (this.activity.current.shell_state === 'idle') this.#front?.expect();
      onActivity();
    };
    this.activity = new ActivityWatch(reader, clock, onChange, () => {
      if (this.activity.wantsForeground) this.#front?.want();
      this.#lookBehind();
    });
    this.#look = new ScreenLook({
      engine,
      clock,
      isAgent: () => this.activity.isAgent,
      onRows: (view) => this.activity.screen(view),
    });
    if (lookInFront !== undefined) {
      this.#front = new ForegroundWatch({
        clock,
        look: lookInFront,
        onFound: (program) => this.activity.foreground(program),
        onFailure: (error) => log.warn({ session: id, error }, 'nobody can tell what runs in front'),
      });
    }
  }

  /** One look at a time; each tells whether another is wanted. */
  #lookBehind(): void {
    const { lookBehind, clock, log, id } = this.#options;
    if (lookBehind === undefined || this.#isLookingBehind || this.#isDisposed || !this.activity.wantsProcesses) return;
    this.#isLookingBehind = true;
    lookBehind()
      .catch((error: unknown) => {
        log.warn({ session: id, error }, 'nobody can tell what an agent left running');
        return { work: null, takenAt: clock.monotonic() };
      })
      .then(({ work, takenAt }) => {
        this.#isLookingBehind = false;
        if (!this.#isDisposed) this.activity.processes(work, takenAt);
      });
  }

  /** More was parsed. */
  onParsed(): void {
    this.#look.onParsed();
  }

  /** It was taken over and may be silent: what is there is looked at without waiting for output. */
  lookNow(): void {
    this.#look.onParsed();
    this.#front?.expect();
  }

  /** Looks what is in front before something is typed; what is found counts for `typingRefusal`. */
  async checkFront(): Promise<void> {
    await this.#front?.lookNow();
  }

  /** Called with everything that is handed to the program, in the turn in which it is. */
  async follow(bytes: Uint8Array, written: Promise<void>): Promise<void> {
    this.activity.input(bytes);
    if (bytes.includes(CARRIAGE_RETURN)) this.#front?.expect();
    try {
      await written;
    } catch (error) {
      this.activity.inputLost();
      throw error;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#front?.dispose();
    this.#look.dispose();
    this.activity.dispose();
  }
}
