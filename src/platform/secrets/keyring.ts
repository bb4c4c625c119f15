/**
 * The system's keyring behind a small port. On Linux only the secret service counts: the library's fallback, the kernel's own
 * keyring, looks fine and forgets everything at the next boot. Each call ends after DEADLINES.keyring, since a locked keyring may
 * wait for a person who is not there.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, delay } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

const SERVICE = 'tuicommander';

export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  delete(account: string): Promise<void>;
}

async function hasSessionBus(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  if (env.DBUS_SESSION_BUS_ADDRESS !== undefined && env.DBUS_SESSION_BUS_ADDRESS !== '') return true;
  if (env.XDG_RUNTIME_DIR === undefined || env.XDG_RUNTIME_DIR === '') return false;
  try {
    await access(join(env.XDG_RUNTIME_DIR, 'bus'));
    return true;
  } catch {
    // Whatever the reason: nobody can be reached there.
    return false;
  }
}

/** Bounds a call by the clock; the call itself is told by its signal. */
async function limit<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const call = new AbortController();
  const patience = new AbortController();
  const tooLate = delay(clock, DEADLINES.keyring, patience.signal).then(
    () => {
      call.abort();
      throw new Error('the keyring does not answer; it may be locked');
    },
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work(call.signal), tooLate]);
  } finally {
    patience.abort();
  }
}

export interface OpenKeyringOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  clock: Clock;
}

/** Loads the keyring; says why when there is none on this machine. */
export async function openKeyring({ env, platform, clock }: OpenKeyringOptions): Promise<Keyring | { absent: string }> {
  if (env.TUIC_SECRETS === 'file') return { absent: 'TUIC_SECRETS asks for the file' };
  if (platform === 'linux' && !(await hasSessionBus(env))) {
    return { absent: 'there is no session bus, so no keyring can be reached' };
  }
  let library: typeof import('@napi-rs/keyring');
  try {
    library = await import('@napi-rs/keyring');
  } catch (error) {
    return {
      absent: `the keyring module cannot be loaded (${error instanceof Error ? error.message : String(error)})`,
    };
  }
  const { AsyncEntry } = library;
  const entry = (account: string) => new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
  return {
    get: (account) => limit(clock, async (signal) => (await entry(account).getPassword(signal)) ?? undefined),
    set: (account, value) => limit(clock, (signal) => entry(account).setPassword(value, signal)),
    async delete(account) {
      await limit(clock, (signal) => entry(account).deleteCredential(signal));
    },
  };
}
