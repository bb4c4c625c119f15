/**
 * Watches what the program of one terminal is doing: hands the reader what comes, waits for silence, and tells changes.
 *
 * Ordering: output that was written before this server was there (a replay) is read for what it says, and counts neither as
 * activity nor as the end of a silence. One timer at a time; a change is told in the turn in which it is found.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import type { ActivityEvidence, ActivityReader, ProgramActivity } from './activity.ts';

export class ActivityWatch implements Disposable {
  readonly #reader: ActivityReader;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #timer: Disposable | undefined;
  #silentAt = 0;
  #current: ProgramActivity;
  #key: string;
  #lastOutput = 0;

  constructor(reader: ActivityReader, clock: Clock, onChange: () => void) {
    this.#reader = reader;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#current = reader.read();
    this.#key = JSON.stringify(this.#current);
  }

  get current(): ProgramActivity {
    return this.#current;
  }

  get evidence(): ActivityEvidence {
    return this.#reader.explain();
  }

  /** Epoch milliseconds of the newest output that this server saw as it came; 0 before any. */
  get lastOutput(): number {
    return this.#lastOutput;
  }

  output(isReplay: boolean): void {
    if (!isReplay) {
      this.#lastOutput = this.#clock.now();
      this.#silentAt = this.#reader.output(this.#clock.monotonic());
      this.#timer ??= this.#clock.after(this.#silentAt - this.#clock.monotonic(), () => this.#listen());
    }
    this.#tellChange();
  }

  command(code: number, data: string): void {
    this.#reader.command(code, data);
  }

  end(): void {
    this.#reader.end();
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#tellChange();
  }

  #listen(): void {
    this.#timer = undefined;
    const left = this.#silentAt - this.#clock.monotonic();
    if (left > 0) this.#timer = this.#clock.after(left, () => this.#listen());
    else if (this.#reader.tick(this.#clock.monotonic())) this.#tellChange();
  }

  #tellChange(): void {
    const next = this.#reader.read();
    const key = JSON.stringify(next);
    if (key === this.#key) return;
    this.#key = key;
    this.#current = next;
    this.#onChange();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
