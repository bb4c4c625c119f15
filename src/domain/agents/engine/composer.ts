/**
 * What stands in the input line of an agent: from what was typed, corrected by what its screen shows (BUF-3).
 *
 * A screen lags behind the keys, so it counts only once the echo has had its time. Only the screen of a verified adapter
 * proves that nothing stands there; that something stands there, any may say.
 */
import { DEADLINES } from '../../../contract/index.ts';
import type { ComposerState } from '../../sessions/index.ts';
import { type InputEvent, InputLineBuffer } from '../composer/input-line-buffer.ts';
import type { ScreenReading } from '../screens/model.ts';

/** A slow program paints what was typed seconds later; only then an empty screen says that the keys are gone. */
const SLOW_ECHO = 3_000;

export class ComposerTracker {
  readonly #buffer = new InputLineBuffer();
  #isKnown = true;
  #wasSubmitted = false;
  #inputAt = Number.NEGATIVE_INFINITY;
  /** By a screen that was painted since the keys. */
  #seen: ScreenReading['composer'] = 'unknown';
  #isProvenEmpty = false;
  #pendingAt: number | undefined;

  get state(): ComposerState {
    if (this.#isProvenEmpty) return this.#wasSubmitted ? 'cleared' : 'empty';
    if (!this.#isKnown) return 'unknown';
    if (this.#buffer.content !== '' || this.#seen === 'partial') return 'partial';
    return this.#wasSubmitted ? 'cleared' : 'empty';
  }

  /** Keys were typed a moment ago: what changes on the screen may be nothing but them. */
  isEcho(at: number): boolean {
    return !this.#wasSubmitted && at - this.#inputAt < DEADLINES.echoWindow;
  }

  /** A submission tells its text, as far as the keys tell it; one of a line that only the screen knew tells none. */
  feed(bytes: Uint8Array, at: number): InputEvent[] {
    const wasShown = this.#seen === 'partial';
    const events = this.#buffer.feed(bytes);
    this.#inputAt = at;
    this.#seen = 'unknown';
    this.#isProvenEmpty = false;
    this.#wasSubmitted = false;
    if (events.some(({ type }) => type === 'submitted')) this.#submitted();
    return events.map((event) =>
      event.type === 'submitted' && event.text === '' && wasShown ? { type: 'submitted', text: UNKNOWN_LINE } : event,
    );
  }

  #submitted(): void {
    this.#wasSubmitted = this.#buffer.content === '';
    this.#isKnown = true;
  }

  /** The line was typed by somebody else than `feed`. */
  cleared(): void {
    this.#buffer.reset('empty');
    this.#submitted();
  }

  lose(): void {
    this.#isKnown = false;
    this.#isProvenEmpty = false;
    this.#seen = 'unknown';
  }

  /** When a screen that was painted right after the keys counts too; undefined while there is nothing to wait for. */
  get dueAt(): number | undefined {
    return this.#pendingAt;
  }

  /** What the screen showed at `lookedAt`; asked at each look and when time has passed. */
  see(reading: ScreenReading, isVerified: boolean, lookedAt: number, at: number): void {
    this.#pendingAt = undefined;
    if (lookedAt <= this.#inputAt) return;
    const isEmpty = reading.composer === 'empty' && isVerified && reading.state !== 'dialog';
    // A painted line is there; that none is there, only a screen tells that had the time to show one.
    const wait = isEmpty && lookedAt - this.#inputAt < DEADLINES.echoWindow ? SLOW_ECHO : DEADLINES.echoWindow;
    const age = at - this.#inputAt;
    if (age < wait) {
      this.#pendingAt = this.#inputAt + wait;
      return;
    }
    this.#seen = reading.composer;
    this.#isProvenEmpty = isEmpty;
    // Before that the keys are kept: what was typed is still a line when Enter comes.
    if (!isEmpty || age < SLOW_ECHO) return;
    this.#buffer.reset('empty');
    this.#isKnown = true;
  }
}

/** Stands for a line whose text nobody saw typed. */
const UNKNOWN_LINE = '\u2026';
