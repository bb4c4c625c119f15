/**
 * Owns `<config_dir>/secrets.json` (0600): either the secrets themselves, or the names of those that lie in the system's keyring.
 *
 * Which store is used is decided once, when there is no such file yet, by a probe that writes, reads and removes a value; it then
 * stays, so that a keyring that is locked today never makes its secrets look absent, nor splits them over two places.
 * Order of a change in the keyring: value first, then the name in the file; a name without value reads as absent.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { KeyedMutex } from '../../base/index.ts';
import { AppError, LIMITS, type SecretsReport } from '../../contract/index.ts';
import { readSmallFile, writeFileAtomically } from '../fs/index.ts';
import type { Keyring } from './keyring.ts';
import type { SecretStore } from './model.ts';

const SERVICE = 'tuicommander';

const fileSchema = z.discriminatedUnion('store', [
  z.object({ version: z.literal(1), store: z.literal('file'), secrets: z.record(z.string(), z.string()) }),
  z.object({ version: z.literal(1), store: z.literal('keyring'), names: z.array(z.string()) }),
]);

type SecretsFile = z.infer<typeof fileSchema>;

export interface SecretStoreOptions {
  configDirectory: string;
  /** Undefined, with the reason, where there is none to try. */
  openKeyring: () => Promise<Keyring | { absent: string }>;
  log: { warn(fields: object, message: string): void };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readIndex(path: string): Promise<SecretsFile | undefined> {
  const bytes = await readSmallFile(path, LIMITS.configFile);
  if (bytes === undefined) return undefined;
  try {
    return fileSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    // The error is left out: a parser quotes what it read, and that may be a secret.
    throw new AppError('config_unreadable', { path, detail: 'it is damaged' });
  }
}

async function probe(keyring: Keyring, account: string): Promise<string | undefined> {
  const value = randomBytes(16).toString('hex');
  try {
    await keyring.set(account, value);
    const found = await keyring.get(account);
    await keyring.delete(account);
    return found === value ? undefined : 'it does not give back what was stored';
  } catch (error) {
    return describe(error);
  }
}

export async function openSecretStore(options: SecretStoreOptions): Promise<SecretStore> {
  const path = join(options.configDirectory, 'secrets.json');
  const prefix = createHash('sha256').update(options.configDirectory).digest('hex').slice(0, 8);
  const accountOf = (name: string) => `${prefix}/${name}`;
  const mutex = new KeyedMutex();
  let keyring: Keyring | undefined;
  let detail = '';
  let isLocked = false;

  const found = await readIndex(path);
  let index: SecretsFile = found ?? { version: 1, store: 'file', secrets: {} };
  if (found?.store !== 'file') {
    const opened = await options.openKeyring();
    if ('absent' in opened) {
      detail = opened.absent;
      isLocked = found !== undefined;
    } else {
      const problem = found === undefined ? await probe(opened, accountOf('probe')) : undefined;
      if (problem === undefined) {
        keyring = opened;
        detail = 'the keyring of the system';
        if (found === undefined) index = { version: 1, store: 'keyring', names: [] };
      } else detail = `the keyring cannot be used: ${problem}`;
    }
  } else detail = 'chosen when the first secret was stored; remove nothing to keep it';
  if (isLocked) options.log.warn({ detail }, 'the keyring that holds the secrets cannot be used now');

  function unavailable(reason: string, cause?: unknown): AppError {
    isLocked = true;
    return new AppError('secrets_unavailable', { detail: reason }, { cause });
  }

  async function store(next: SecretsFile): Promise<void> {
    try {
      await writeFileAtomically(path, `${JSON.stringify(next, null, 2)}\n`);
    } catch (error) {
      throw new AppError('storage_failed', { detail: describe(error) }, { cause: error });
    }
    index = next;
  }

  async function ask<T>(work: (ring: Keyring) => Promise<T>): Promise<T> {
    if (keyring === undefined) throw unavailable(detail);
    try {
      const answer = await work(keyring);
      isLocked = false;
      return answer;
    } catch (error) {
      throw unavailable(describe(error), error);
    }
  }

  function has(name: string): boolean {
    return index.store === 'file' ? Object.hasOwn(index.secrets, name) : index.names.includes(name);
  }

  async function change(name: string, value: string | undefined): Promise<void> {
    if (index.store === 'file') {
      const secrets = { ...index.secrets };
      if (value === undefined) delete secrets[name];
      else secrets[name] = value;
      return store({ ...index, secrets });
    }
    const others = index.names.filter((known) => known !== name);
    const { names } = index;
    if (value === undefined) {
      await ask((ring) => ring.delete(accountOf(name)));
      if (names.includes(name)) await store({ ...index, names: others });
      return;
    }
    await ask((ring) => ring.set(accountOf(name), value));
    if (!names.includes(name)) await store({ ...index, names: [...others, name] });
  }

  return {
    has,
    async get(name) {
      if (index.store === 'file') return Object.hasOwn(index.secrets, name) ? index.secrets[name] : undefined;
      if (!has(name)) return undefined;
      return ask((ring) => ring.get(accountOf(name)));
    },
    set: (name, value) => mutex.run('write', () => change(name, value)),
    report: (): SecretsReport => ({
      store: index.store,
      state: isLocked ? 'locked' : 'ready',
      detail,
      location: index.store === 'file' ? path : SERVICE,
    }),
  };
}
