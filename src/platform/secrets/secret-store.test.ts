import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES } from '../../contract/index.ts';
import { type Keyring, openKeyring, openSecretStore } from './index.ts';

let folder: string;
let warnings: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tuic-secrets-'));
  warnings = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A keyring in memory that can be locked. */
class FakeKeyring implements Keyring {
  readonly values = new Map<string, string>();
  isLocked = false;
  isForgetful = false;

  #check(): void {
    if (this.isLocked) throw new Error('the collection is locked');
  }

  async get(account: string): Promise<string | undefined> {
    this.#check();
    return this.values.get(account);
  }

  async set(account: string, value: string): Promise<void> {
    this.#check();
    if (!this.isForgetful) this.values.set(account, value);
  }

  async delete(account: string): Promise<void> {
    this.#check();
    this.values.delete(account);
  }
}

const open = (keyring: Keyring | { absent: string }) =>
  openSecretStore({
    configDirectory: folder,
    openKeyring: async () => keyring,
    log: { warn: (_, message) => warnings.push(message) },
  });

const readStored = () => readFile(join(folder, 'secrets.json'), 'utf8');

describe('secret store', () => {
  it('keeps secrets in the keyring where there is one, and only their names in the file', async () => {
    const keyring = new FakeKeyring();
    const store = await open(keyring);
    await store.set('a', 'canary');
    expect([await store.get('a'), store.has('a'), store.report().store]).toEqual(['canary', true, 'keyring']);
    expect(await readStored()).toContain('"a"');
    expect(await readStored()).not.toContain('canary');
    expect([...keyring.values.values()]).toEqual(['canary']);
    expect(await (await open(keyring)).get('a')).toBe('canary');
    await store.set('a', undefined);
    expect([await store.get('a'), keyring.values.size]).toEqual([undefined, 0]);
  });

  it('uses a private file where there is none, or one that is locked, forgets, or fails, and reports it', async () => {
    const locked = new FakeKeyring();
    locked.isLocked = true;
    const forgetful = new FakeKeyring();
    forgetful.isForgetful = true;
    for (const [keyring, reason] of [
      [{ absent: 'there is no session bus' }, 'no session bus'],
      [locked, 'locked'],
      [forgetful, 'does not give back'],
    ] as const) {
      const store = await open(keyring);
      await store.set('a', 'value');
      expect(store.report()).toMatchObject({ store: 'file', state: 'ready', location: join(folder, 'secrets.json') });
      expect(store.report().detail).toContain(reason);
      expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['secrets.json']);
      // Chosen once: a keyring that can be opened later does not hide what is in the file.
      const later = await open(new FakeKeyring());
      expect([await later.get('a'), later.report().store]).toEqual(['value', 'file']);
      await rm(join(folder, 'secrets.json'));
    }
  });

  it('a keyring that is locked later: reads and writes are refused, flags stay, nothing moves into a file', async () => {
    const keyring = new FakeKeyring();
    const store = await open(keyring);
    await store.set('a', 'canary');
    keyring.isLocked = true;
    await expect(store.get('a')).rejects.toMatchObject({ code: 'secrets_unavailable' });
    await expect(store.set('a', 'other')).rejects.toMatchObject({ code: 'secrets_unavailable' });
    await expect(store.set('b', 'other')).rejects.toMatchObject({ code: 'secrets_unavailable' });
    expect([store.has('a'), store.has('b'), store.report().state]).toEqual([true, false, 'locked']);
    expect(await readStored()).not.toMatch(/canary|other/);
    const without = await open({ absent: 'there is no session bus' });
    expect(without.report()).toMatchObject({ store: 'keyring', state: 'locked' });
    expect(warnings).toHaveLength(1);
    await expect(without.set('a', 'other')).rejects.toMatchObject({ code: 'secrets_unavailable' });
    keyring.isLocked = false;
    expect([await store.get('a'), store.report().state]).toEqual(['canary', 'ready']);
  });

  it('a damaged file is refused with its name and without its content, and stays as it is', async () => {
    const path = join(folder, 'secrets.json');
    for (const text of ['{"version":1,"store":"file","secrets":{"a":"canary', '{"version":2,"a":"canary"}', '[]']) {
      await writeFile(path, text);
      const refusal = await open(new FakeKeyring()).catch((error: Error) => error);
      expect(refusal).toMatchObject({ code: 'config_unreadable', message: expect.stringContaining(path) });
      expect(String(refusal)).not.toContain('canary');
      expect(await readStored()).toBe(text);
    }
  });

  it('two writers at once lose nothing', async () => {
    const store = await open({ absent: 'none' });
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.set(`name-${index}`, `value-${index}`)));
    const again = await open({ absent: 'none' });
    for (let index = 0; index < 20; index++) expect(await again.get(`name-${index}`)).toBe(`value-${index}`);
  });
});

describe('the keyring of the system', () => {
  it('is not tried where none can be reached, or the file is asked for', async () => {
    const clock = new ManualClock();
    for (const env of [{}, { XDG_RUNTIME_DIR: folder }, { TUIC_SECRETS: 'file', DBUS_SESSION_BUS_ADDRESS: 'x' }]) {
      expect(await openKeyring({ env, platform: 'linux', clock })).toHaveProperty('absent');
    }
    expect(DEADLINES.keyring).toBeLessThanOrEqual(10_000);
  });
});
