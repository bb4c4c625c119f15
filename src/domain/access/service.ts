/**
 * Owns the credentials of this instance: the bearer token and the session token (each a 0600 file, so both outlive the server),
 * the tickets and the count of failed logins. Promises: every comparison takes the same time whatever is presented, and a
 * secret leaves this room only through `issueTicket` and `sessionToken`.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { TicketPurpose } from '../../contract/index.ts';
import { readOrCreateSecret } from '../../platform/secrets/index.ts';
import { equalSecrets } from './compare.ts';
import { FailureLimit, type FailureLimitOptions } from './failure-limit.ts';
import { type Redemption, Tickets } from './tickets.ts';

export interface AccessService {
  /** What a login hands to the browser. */
  readonly sessionToken: string;
  readonly sessionSeconds: number;
  isBearerToken(presented: string): boolean;
  isSessionToken(presented: string): boolean;
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
  const sessionToken = await readOrCreateSecret({ path: join(configDirectory, 'session-token'), onRepair });
  const tickets = new Tickets(clock);
  return {
    sessionToken,
    sessionSeconds: options.sessionSeconds,
    isBearerToken: (presented) => equalSecrets(presented, bearerToken),
    isSessionToken: (presented) => equalSecrets(presented, sessionToken),
    issueTicket: (purpose, isLoggedIn) => tickets.issue(purpose, isLoggedIn),
    redeemTicket: (ticket, purpose) => tickets.redeem(ticket, purpose),
    failures: new FailureLimit(clock, options.failureLimit),
  };
}
