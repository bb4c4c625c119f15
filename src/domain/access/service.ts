/**
 * Owns the credentials of this instance: the bearer token (a 0600 file), the key of the login sessions (in the secret store, so both
 * outlive the server), the tickets, the password check and the count of failed logins. Promises: every comparison takes the same
 * time whatever is presented, and a secret leaves this room only through `issueTicket` and `issueSession`.
 *
 * A session is issued to a holder, and good for that holder only: browsers send a cookie of ours to every other port of the same
 * name, so another user of the machine can get to see one. Nobody but its holder can use it. A new key ends all sessions; it is
 * stored before it counts.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, KeyedMutex } from '../../base/index.ts';
import { AppError, LIMITS, type TicketPurpose } from '../../contract/index.ts';
import { readSmallFile } from '../../platform/fs/index.ts';
import { readOrCreateSecret, type SecretStore } from '../../platform/secrets/index.ts';
import { equalSecrets } from './compare.ts';
import { FailureLimit } from './failure-limit.ts';
import { PasswordCheck } from './password-check.ts';
import { type Redemption, Tickets } from './tickets.ts';

export interface AccessSettings {
  username: string;
  password_hash: string;
  /** Life of a login in the browser; 0: until the browser closes. */
  session_token_duration_secs: number;
  auth_rate_limit_max: number;
  auth_rate_limit_window_secs: number;
}

export interface AccessService {
  readonly sessionSeconds: number;
  isBearerToken(presented: string): boolean;
  /** What a login hands to the browser of this holder. */
  issueSession(holder: string): string;
  /** Whom this session was issued to; undefined when it is none of ours. */
  holderOfSession(presented: string): string | undefined;
  /** Holder of every session of the remote listener; another name or password makes it another one. */
  remoteHolder(): string;
  /** Ends all sessions, and the tickets that are out. */
  rotateSessions(): Promise<void>;
  /** Takes the key that was stored by somebody else; true when it is another one, which ends all sessions. */
  reloadSessionKey(): Promise<boolean>;
  issueTicket(purpose: TicketPurpose, isLoggedIn: boolean): string;
  /** Uses the ticket up; undefined when it is unknown, used, expired or for another purpose. */
  redeemTicket(ticket: string, purpose: TicketPurpose): Redemption | undefined;
  readonly failures: FailureLimit;
  readonly passwords: PasswordCheck;
}

export interface AccessOptions {
  configDirectory: string;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  secrets: SecretStore;
  /** Read at each use, so that a change counts at once. */
  settings: () => AccessSettings;
  verifyPassword: (password: string, hash: string) => Promise<boolean>;
}

const SESSION_KEY = 'session-token';
/** Where earlier versions kept the key. */
const FORMER_FILE = 'session-key';

async function adoptFormerKey(configDirectory: string, secrets: SecretStore): Promise<string | undefined> {
  const path = join(configDirectory, FORMER_FILE);
  const key = (await readSmallFile(path, LIMITS.hostHello))?.toString('utf8').trim();
  if (key === undefined || key.length < 32) return undefined;
  await secrets.set(SESSION_KEY, key);
  await rm(path, { force: true });
  return key;
}

async function openSessionKey({ configDirectory, secrets, log }: AccessOptions): Promise<string> {
  try {
    const stored = (await secrets.get(SESSION_KEY)) ?? (await adoptFormerKey(configDirectory, secrets));
    if (stored !== undefined) return stored;
    const key = randomUUID();
    await secrets.set(SESSION_KEY, key);
    return key;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'secrets_unavailable')) throw error;
    // Logins of before do not count until it can be read again; nothing is stored over it.
    log.warn({ detail: error.message }, 'the key of the logins cannot be read; a new one holds until the next start');
    return randomUUID();
  }
}

export async function openAccess(options: AccessOptions): Promise<AccessService> {
  const { configDirectory, clock, log, secrets, settings } = options;
  const onRepair = (path: string) => log.warn({ path }, 'others could read this secret; its mode is 0600 now');
  const bearerToken = await readOrCreateSecret({ path: join(configDirectory, 'token'), onRepair });
  let sessionKey = await openSessionKey(options);
  const mutex = new KeyedMutex();
  const tickets = new Tickets(clock);
  const failures = new FailureLimit(clock, () => ({
    max: settings().auth_rate_limit_max,
    windowSeconds: settings().auth_rate_limit_window_secs,
  }));
  const issueSession = (holder: string) =>
    `${holder}.${createHmac('sha256', sessionKey).update(holder).digest('base64url')}`;
  return {
    get sessionSeconds() {
      return settings().session_token_duration_secs;
    },
    isBearerToken: (presented) => equalSecrets(presented, bearerToken),
    issueSession,
    holderOfSession(presented) {
      const holder = presented.slice(0, Math.max(0, presented.lastIndexOf('.')));
      return equalSecrets(presented, issueSession(holder)) ? holder : undefined;
    },
    remoteHolder() {
      const { username, password_hash } = settings();
      const login = JSON.stringify([username, password_hash]);
      return `remote-${createHash('sha256').update(login).digest('base64url').slice(0, 16)}`;
    },
    rotateSessions: () =>
      mutex.run(SESSION_KEY, async () => {
        const next = randomUUID();
        await secrets.set(SESSION_KEY, next);
        sessionKey = next;
        tickets.clear();
      }),
    reloadSessionKey: () =>
      mutex.run(SESSION_KEY, async () => {
        const stored = (await secrets.get(SESSION_KEY)) ?? sessionKey;
        if (stored === sessionKey) return false;
        sessionKey = stored;
        tickets.clear();
        return true;
      }),
    issueTicket: (purpose, isLoggedIn) => tickets.issue(purpose, isLoggedIn),
    redeemTicket: (ticket, purpose) => tickets.redeem(ticket, purpose),
    failures,
    passwords: new PasswordCheck({ clock, failures, settings, verify: options.verifyPassword }),
  };
}
