/**
 * Tells refused registrations once in full and then by their number: a client that tries again each second would fill the log (MSG-14).
 */
import type { Clock } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

export class RefusalLog {
  readonly #clock: Clock;
  readonly #warn: (fields: object, message: string) => void;
  readonly #seen = new Map<string, { lastAt: number; toldAt: number; suppressed: number }>();

  constructor(clock: Clock, warn: (fields: object, message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  note(identity: string, claimant: string): void {
    const now = this.#clock.monotonic();
    for (const [key, { lastAt }] of this.#seen) {
      if (now - lastAt >= DEADLINES.refusalForgotten) this.#seen.delete(key);
    }
    const key = `${identity} ${claimant}`;
    const seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { lastAt: now, toldAt: now, suppressed: 0 });
      this.#warn({ tuic_session: identity, claimant }, 'a registration was refused: the identity is somebody else’s');
      return;
    }
    seen.lastAt = now;
    seen.suppressed++;
    if (now - seen.toldAt < DEADLINES.refusalSummary) return;
    this.#warn(
      { tuic_session: identity, claimant, suppressed: seen.suppressed },
      'a registration is refused again and again',
    );
    seen.toldAt = now;
    seen.suppressed = 0;
  }
}
