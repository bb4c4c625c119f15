/**
 * One host a configuration directory. The lock file names its holder; it is created exclusively, and the existence of a
 * file alone is never believed: a holder counts while its process lives, and one that answers on the socket counts anyway.
 *
 * Two starters may judge the same dead lock at once. The stale file is moved away, which only one of them can do; who moved
 * a file that was meanwhile somebody else's puts it back, and who finds another's name in the lock before it begins to
 * listen gives way. A host whose lock file was deleted under it is known by its answer.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { type Clock, delay } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { errorCode } from '../error-code.ts';
import { readProcess } from '../kill/process-table.ts';

interface Holder {
  pid: number;
  startTime: number;
  bootId: string;
}

export type LockResult = { readonly isHeld: true } | { readonly isHeld: false; readonly reason: string };

const RETRY = 20;

export class InstanceLock {
  readonly #path: string;
  readonly #socket: string;
  readonly #own: Holder;
  readonly #clock: Clock;

  constructor(path: string, socket: string, bootId: string, clock: Clock) {
    this.#path = path;
    this.#socket = socket;
    this.#own = { pid: process.pid, startTime: readProcess(process.pid)?.startTime ?? 0, bootId };
    this.#clock = clock;
  }

  async acquire(): Promise<LockResult> {
    const end = this.#clock.monotonic() + DEADLINES.hostConnect;
    for (;;) {
      const isCreated = this.#create();
      if (await answers(this.#socket)) {
        if (isCreated) this.release();
        return { isHeld: false, reason: 'another host answers on the socket' };
      }
      if (isCreated) return { isHeld: true };
      const text = this.#read();
      if (text === undefined) continue;
      const holder = parseHolder(text);
      if (holder === undefined || !isAlive(holder)) this.#moveAway(text);
      else if (this.#clock.monotonic() >= end) {
        return { isHeld: false, reason: `process ${holder.pid} holds the lock and does not answer` };
      } else await delay(this.#clock, RETRY);
    }
  }

  /** False when somebody else took the lock over. */
  isOwn(): boolean {
    const text = this.#read();
    return text !== undefined && parseHolder(text)?.bootId === this.#own.bootId;
  }

  /** Puts a lock file that was deleted back. False when it names somebody else: that one stays. */
  restore(): boolean {
    if (this.#read() === undefined) this.#create();
    return this.isOwn();
  }

  release(): void {
    if (this.isOwn()) rmSync(this.#path, { force: true });
  }

  #create(): boolean {
    // Written aside and linked, so that nobody ever reads a half-written lock.
    const draft = `${this.#path}.${this.#own.bootId}`;
    writeFileSync(draft, JSON.stringify(this.#own), { mode: 0o600 });
    try {
      linkSync(draft, this.#path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #read(): string | undefined {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #moveAway(stale: string): void {
    const aside = `${this.#path}.${this.#own.bootId}.stale`;
    try {
      renameSync(this.#path, aside);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    try {
      if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, this.#path);
    } catch (error) {
      // A third starter was quicker; the owner of the moved file sees that before it listens.
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }
}

function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startTime, bootId } = value as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof startTime !== 'number' || typeof bootId !== 'string') return undefined;
  return { pid, startTime, bootId };
}

function isAlive(holder: Holder): boolean {
  if (process.platform === 'linux') return readProcess(holder.pid)?.startTime === holder.startTime;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM') return true;
    throw error;
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
