/**
 * Owns the credentials of this instance: the bearer token and the key of the login sessions (each a 0600 file, so both outlive
 * the server), the tickets and the count of failed logins. Promises: every comparison takes the same time whatever is presented,
 * and a secret leaves this room only through `issueTicket` and `issueSession`.
 *
 * A session is issued to a holder, and good for that holder only: browsers send a cookie of ours to every other port of the same
 * name, so another user of the machine can get to see one. Nobody but its holder can use it.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { TicketPurpose } from '../../contract/index.ts';
import { readOrCreateSecret } from '../../platform/secrets/index.ts';
import { equalSecrets } from './compare.ts';
import { FailureLimit, type FailureLimitOptions } from './failure-limit.ts';
import { type Redemption, Tickets } from './tickets.ts';

export interface AccessService {
  readonly sessionSeconds: number;
  isBearerToken(presented: string): boolean;
  /** What a login hands to the browser of this holder. */
  issueSession(holder: string): string;
  /** Whom this session was issued to; undefined when it is none of ours. */
  holderOfSession(presented: string): string | undefined;
  issueTicket(purpose: TicketPurpose, isLoggedIn: boolean): string;
  /** Uses the ticket up; undefined when it is unknown, used, expired or for another purpose. */
  redeemTicket(ticket: string, purpose: TicketPurpose): Redemption | undefined;
  readonly failures: FailureLimit;
}

export interface AccessOptions {
  configDirectory: string;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  /** Life of a login in the browser; 0: until the browser closes. */
  sessionSeconds: number;
  failureLimit: FailureLimitOptions;
}

export async function openAccess(options: AccessOptions): Promise<AccessService> {
  const { configDirectory, clock, log } = options;
  const onRepair = (path: string) => log.warn({ path }, 'others could read this secret; its mode is 0600 now');
  const bearerToken = await readOrCreateSecret({ path: join(configDirectory, 'token'), onRepair });
  const sessionKey = await readOrCreateSecret({ path: join(configDirectory, 'session-key'), onRepair });
  const tickets = new Tickets(clock);
  const issueSession = (holder: string) =>
    `${holder}.${createHmac('sha256', sessionKey).update(holder).digest('base64url')}`;
  return {
    sessionSeconds: options.sessionSeconds,
    isBearerToken: (presented) => equalSecrets(presented, bearerToken),
    issueSession,
    holderOfSession(presented) {
      const holder = presented.slice(0, Math.max(0, presented.lastIndexOf('.')));
      return equalSecrets(presented, issueSession(holder)) ? holder : undefined;
    },
    issueTicket: (purpose, isLoggedIn) => tickets.issue(purpose, isLoggedIn),
    redeemTicket: (ticket, purpose) => tickets.redeem(ticket, purpose),
    failures: new FailureLimit(clock, options.failureLimit),
  };
}
