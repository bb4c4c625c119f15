/** Writes down what was true during a recording, and brings it to the clock of the capture. */
import type { Mark, TrueState, Truth } from '../kit/captures.ts';
import { journalNow, type ModelTurn } from '../kit/fake-models/server.ts';

export class TruthRecorder {
  readonly #zero: number;
  #marks: { at: number; what: Mark['what']; detail: string }[] = [];
  #states: { state: TrueState; from: number }[] = [];

  /** `zero` is the time at which the capture began, on the clock of the journal. */
  constructor(zero: number) {
    this.#zero = zero;
  }

  now(): number {
    return journalNow();
  }

  mark(what: Mark['what'], at: number, detail: string): void {
    this.#marks.push({ at, what, detail });
  }

  /** From `at` on; what was before ends there. */
  state(state: TrueState, at: number): void {
    this.#states.push({ state, from: at });
  }

  result(journal: readonly ModelTurn[]): Pick<Truth, 'states' | 'marks'> {
    const end = journalNow();
    for (const turn of journal) {
      // Beside the turn some ask for a title of the conversation; that one is offered no tools.
      const detail = turn.request.tools.length === 0 ? 'beside' : turn.answer.kind;
      this.mark('request', turn.beganAt, detail);
      if (turn.firstByteAt !== undefined) this.mark('first_byte', turn.firstByteAt, detail);
      if (turn.endedAt !== undefined) this.mark(turn.wasCut ? 'cut' : 'last_byte', turn.endedAt, detail);
    }
    const marks = this.#marks
      .map(({ at, what, detail }) => ({ at_us: this.#microseconds(at), what, detail }))
      .sort((one, other) => one.at_us - other.at_us);
    const states = this.#states.map(({ state, from }, index) => ({
      state,
      from_us: this.#microseconds(from),
      until_us: this.#microseconds(this.#states[index + 1]?.from ?? end),
    }));
    return { states, marks };
  }

  #microseconds(at: number): number {
    return Math.max(0, Math.round((at - this.#zero) * 1_000));
  }
}
