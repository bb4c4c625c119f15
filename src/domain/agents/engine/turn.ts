/**
 * The turns of a session: each submitted input begins one (STM-25). Owns the epoch, the claim for a line about to be typed, and
 * whether the turn has shown any activity yet.
 */
import { DEADLINES } from '../../../contract/index.ts';
import type { TypingClaim, TypingOutcome } from '../../sessions/index.ts';

export class Turn {
  #epoch = 0;
  #hasActivity = true;
  #claim: TypingClaim | undefined;
  /** A line may or may not have been typed: the screen of before must not end this turn (STM-22). */
  #isUncertain = false;
  #interruptAt: number | undefined;

  get epoch(): number {
    return this.#epoch;
  }

  get hasActivity(): boolean {
    return this.#hasActivity;
  }

  /** A line is being typed. */
  get isTyping(): boolean {
    return this.#claim !== undefined;
  }

  submit(): void {
    this.#epoch++;
    this.#hasActivity = false;
    this.#isUncertain = false;
    this.#interruptAt = undefined;
  }

  active(): void {
    this.#hasActivity = true;
  }

  /** The program itself, or a screen that is working, showed where it stands. */
  explicit(): void {
    this.#hasActivity = true;
    this.#isUncertain = false;
  }

  interrupt(at: number): void {
    this.#interruptAt = at;
  }

  hasInterruptRequest(at: number): boolean {
    return this.#interruptAt !== undefined && at - this.#interruptAt < DEADLINES.interruptRequest;
  }

  markUncertain(): void {
    this.#isUncertain = true;
  }

  /** A ready screen may end it: something has happened since it began (STM-22). */
  get mayEnd(): boolean {
    return this.#hasActivity && !this.#isUncertain && this.#claim === undefined;
  }

  /** `settled` learns how it ended, and whether the submission was counted already when its Enter was seen. */
  claim(settled: (outcome: TypingOutcome, isCounted: boolean) => void): TypingClaim {
    const { epoch } = this;
    const claim: TypingClaim = {
      epoch,
      settle: (outcome) => {
        if (this.#claim !== claim) return;
        this.#claim = undefined;
        settled(outcome, this.#epoch > epoch);
      },
    };
    this.#claim = claim;
    return claim;
  }

  restore(epoch: number, hasActivity: boolean): void {
    this.#epoch = epoch;
    this.#hasActivity = hasActivity;
  }
}
