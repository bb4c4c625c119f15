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

export class ComposerTracker {
  readonly #buffer = new InputLineBuffer();
  #isKnown = true;
  #wasSubmitted = false;
  #inputAt = Number.NEGATIVE_INFINITY;
  #seen: ScreenReading['composer'] = 'unknown';
  /** A newer screen may say otherwise than the keys once the echo is over. */
  #isSettled = true;

  get state(): ComposerState {
    if (!this.#isKnown) return 'unknown';
    if (this.#buffer.content !== '' || this.#seen === 'partial') return 'partial';
    return this.#wasSubmitted ? 'cleared' : 'empty';
  }

  /** When the screen counts again; undefined while there is nothing to wait for. */
  get dueAt(): number | undefined {
    return this.#isSettled ? undefined : this.#inputAt + DEADLINES.echoWindow;
  }

  /** Keys were typed a moment ago: what changes on the screen may be nothing but them. */
  isEcho(at: number): boolean {
    return !this.#wasSubmitted && at - this.#inputAt < DEADLINES.echoWindow;
  }

  feed(bytes: Uint8Array, at: number): InputEvent[] {
    const events = this.#buffer.feed(bytes);
    this.#inputAt = at;
    this.#isSettled = false;
    this.#seen = 'unknown';
    this.#wasSubmitted = false;
    if (events.some(({ type }) => type === 'submitted')) this.submitted();
    return events;
  }

  submitted(): void {
    this.#wasSubmitted = this.#buffer.content === '';
    this.#isKnown = true;
  }

  /** The line was typed by somebody else than `feed`. */
  cleared(): void {
    this.#buffer.reset('empty');
    this.submitted();
  }

  lose(): void {
    this.#isKnown = false;
    this.#seen = 'unknown';
  }

  /** The newest reading, at a look and whenever time has passed. */
  see(reading: ScreenReading, isVerified: boolean, at: number): void {
    if (at - this.#inputAt < DEADLINES.echoWindow) return;
    this.#isSettled = true;
    this.#seen = reading.composer;
    if (reading.composer !== 'empty' || !isVerified || reading.state === 'dialog') return;
    if (this.state === 'empty' || this.state === 'cleared') return;
    this.#buffer.reset('empty');
    this.#isKnown = true;
    this.#wasSubmitted = false;
  }
}
