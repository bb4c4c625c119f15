/**
 * Owns the tickets: single-use credentials that may stand in a URL (http.md 1.5). A ticket is used up by the redemption that
 * succeeds, in the same turn, so of two redemptions one wins. It says whether it was asked for by a login of the workspace.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import { DEADLINES, LIMITS, type TicketPurpose } from '../../contract/index.ts';

const TICKET_BYTES = 32;

export interface Redemption {
  /** The ticket came from somebody who was logged in, so whoever uses it counts as logged in. */
  isLoggedIn: boolean;
}

interface Ticket extends Redemption {
  purpose: TicketPurpose;
  expiresAt: number;
}

export class Tickets {
  readonly #clock: Clock;
  /** By digest: a look-up by the text itself would tell by its duration how much of it is right. Oldest first. */
  readonly #open = new Map<string, Ticket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  clear(): void {
    this.#open.clear();
  }

  issue(purpose: TicketPurpose, isLoggedIn: boolean): string {
    this.#sweep();
    const text = randomBytes(TICKET_BYTES).toString('base64url');
    const expiresAt = this.#clock.monotonic() + DEADLINES.loginTicket;
    this.#open.set(key(text), { purpose, isLoggedIn, expiresAt });
    return text;
  }

  redeem(text: string, purpose: TicketPurpose): Redemption | undefined {
    this.#sweep();
    const at = key(text);
    const ticket = this.#open.get(at);
    if (ticket === undefined || ticket.purpose !== purpose) return undefined;
    this.#open.delete(at);
    return { isLoggedIn: ticket.isLoggedIn };
  }

  /** All live equally long, so the map's order is the order of expiry. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [at, { expiresAt }] of this.#open) {
      if (expiresAt > now && this.#open.size <= LIMITS.tickets) break;
      this.#open.delete(at);
    }
  }
}

function key(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
