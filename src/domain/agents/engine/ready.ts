/** How long the screen has been ready without anything moving on it (STM-21). */
import { DEADLINES } from '../../../contract/index.ts';
import type { ScreenReading } from '../screens/model.ts';

export class ReadyConfirmation {
  #since: number | undefined;

  see(state: ScreenReading['state'], hasMoved: boolean, at: number): void {
    const isReady = state === 'ready' || state === 'interrupted';
    if (!isReady) this.#since = undefined;
    else if (hasMoved || this.#since === undefined) this.#since = at;
  }

  get stableAt(): number | undefined {
    return this.#since === undefined ? undefined : this.#since + DEADLINES.readyConfirmation;
  }

  isStable(at: number): boolean {
    return this.stableAt !== undefined && at >= this.stableAt;
  }

  /** Counts from `at` on if the screen is ready; undefined: from the next look on. */
  restart(at: number | undefined): void {
    if (this.#since !== undefined) this.#since = at;
  }
}
