/**
 * Checks the name and password of the remote login. A check costs a third of a second of a processor, on purpose, so it is guarded:
 * one at a time for an address (the limit of failures is looked at right before each, so parallel tries count one by one), few in
 * all, and a pair that was right is known for DEADLINES.passwordMemory by a keyed digest. Another password, or another name, ends
 * that memory at once. Time is monotonic throughout.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, KeyedMutex } from '../../base/index.ts';
import { DEADLINES, LIMITS, passwordSchema } from '../../contract/index.ts';
import { equalSecrets } from './compare.ts';
import type { FailureLimit } from './failure-limit.ts';

export interface LoginSettings {
  username: string;
  /** bcrypt; empty while there is no password. */
  password_hash: string;
}

export interface LoginAttempt {
  username: string;
  password: string;
  address: string;
}

export type LoginResult = { kind: 'right' } | { kind: 'wrong' } | { kind: 'held'; seconds: number };

export interface PasswordCheckOptions {
  clock: Clock;
  failures: FailureLimit;
  settings: () => LoginSettings;
  verify: (password: string, hash: string) => Promise<boolean>;
}

const REMEMBERED = 64;
const BUSY: LoginResult = { kind: 'held', seconds: 1 };

export class PasswordCheck {
  readonly #options: PasswordCheckOptions;
  readonly #key = randomBytes(32);
  /** Digest of name, password and hash → when it is forgotten. Oldest first. */
  readonly #known = new Map<string, number>();
  readonly #mutex = new KeyedMutex();
  #waiting = 0;
  #lane = 0;

  constructor(options: PasswordCheckOptions) {
    this.#options = options;
  }

  /** The pair was right; nothing is computed or counted. */
  #isKnown(digest: string): boolean {
    const until = this.#known.get(digest);
    if (until === undefined) return false;
    if (until > this.#options.clock.monotonic()) return true;
    this.#known.delete(digest);
    return false;
  }

  async check(attempt: LoginAttempt): Promise<LoginResult> {
    if (this.#waiting >= LIMITS.passwordQueue) return BUSY;
    this.#waiting++;
    try {
      return await this.#mutex.run(`address ${attempt.address}`, () => this.#checkNow(attempt));
    } finally {
      this.#waiting--;
    }
  }

  async #checkNow({ username, password, address }: LoginAttempt): Promise<LoginResult> {
    const { failures, clock, verify } = this.#options;
    const seconds = failures.secondsToWait(address);
    if (seconds > 0) return { kind: 'held', seconds };
    const settings = this.#options.settings();
    const digest = this.#digest(username, password, settings);
    if (this.#isKnown(digest)) return { kind: 'right' };
    if (settings.password_hash === '' || !passwordSchema.safeParse(password).success) {
      failures.noteFailure(address);
      return { kind: 'wrong' };
    }
    // The name is judged only after the password was, so that both cost the same time.
    const lane = `lane ${this.#lane++ % LIMITS.passwordChecks}`;
    const fits = await this.#mutex.run(lane, () => verify(password, settings.password_hash));
    const isNamed = equalSecrets(username, settings.username);
    const now = this.#options.settings();
    const isCurrent = now.password_hash === settings.password_hash && now.username === settings.username;
    if (!fits || !isNamed || !isCurrent) {
      failures.noteFailure(address);
      return { kind: 'wrong' };
    }
    failures.forget(address);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(digest, clock.monotonic() + DEADLINES.passwordMemory);
    return { kind: 'right' };
  }

  #digest(username: string, password: string, settings: LoginSettings): string {
    const parts = [username, password, settings.username, settings.password_hash];
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url');
  }
}
