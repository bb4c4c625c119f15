import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import { AppError, type EventData } from '../../contract/index.ts';
import type { SecretStore } from '../../platform/secrets/index.ts';
import { createConfigFiles, DEFAULT_CONFIG, openConfigService } from './index.ts';

const cleanup = cleanupAfterEach();
const HASH = `$2b$12$${'a'.repeat(53)}`;
let folder: string;
let secrets: MemorySecrets;
let events: EventData['config-changed'][];
let logged: string;

/** A secret store that can be locked. */
class MemorySecrets implements SecretStore {
  readonly values = new Map<string, string>();
  isLocked = false;

  #refuseLocked(): void {
    if (this.isLocked) throw new AppError('secrets_unavailable', { detail: 'it is locked' });
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  async get(name: string): Promise<string | undefined> {
    this.#refuseLocked();
    return this.values.get(name);
  }

  async set(name: string, value: string | undefined): Promise<void> {
    this.#refuseLocked();
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
  }

  report() {
    return { store: 'file', state: 'ready', detail: '', location: '' } as const;
  }
}

beforeEach(async () => {
  folder = await cleanup.temporaryDirectory('tuic-config-');
  secrets = new MemorySecrets();
  events = [];
  logged = '';
});

const configPath = () => join(folder, 'config.json');
const stored = async () => JSON.parse(await readFile(configPath(), 'utf8')) as Record<string, unknown>;

function open(configDirectory = folder) {
  const note = (fields: object, message: string) => {
    logged += JSON.stringify(fields) + message;
  };
  return openConfigService({
    configDirectory,
    clock: new ManualClock(),
    log: { error: note, warn: note },
    publish: (_name, data) => events.push(data),
    secrets,
  });
}

describe('saving the configuration (http.md 10)', () => {
  it('merges a part, keeps unknown keys, writes what differs from the defaults only, private and whole', async () => {
    await writeFile(configPath(), '{"own":{"a":1,"b":2},"theme":"x"}', { mode: 0o644 });
    const config = await open();
    const changes: [string, string][] = [];
    config.onChange(({ before, after }) => changes.push([before.theme, after.theme]));
    const { etag } = await config.save({ own: { b: 3 }, theme: 'y', services: { server: { port: 4_000 } } });
    expect(await stored()).toEqual({ own: { a: 1, b: 3 }, theme: 'y', services: { server: { port: 4_000 } } });
    expect((await stat(configPath())).mode & 0o777).toBe(0o600);
    expect(config.current.services.server).toEqual({ enabled: false, port: 4_000, ipv6_enabled: false });
    expect(changes).toEqual([['x', 'y']]);
    expect(events).toEqual([{ file: 'config', etag }]);
    expect(config.read().etag).toBe(etag);
    expect(await readdir(folder)).toEqual(['config.json']);
  });

  it('refuses a value that does not fit, names its key, and writes nothing', async () => {
    const config = await open();
    const wrong: [object, RegExp][] = [
      [{ mcp_port: 'x' }, /mcp_port/],
      [{ services: null }, /services/],
      [{ services: { auth: { password_hash: 'plain' } } }, /password_hash.*bcrypt/],
      [{ services: { auth: { password_hash: `$2b$31$${'a'.repeat(53)}` } } }, /password_hash/],
      [{ services: { auth: { username: 'a:b' } } }, /username/],
      [{ services: { tls: { mode: 'manual', cert_path: '/c' } } }, /key_path/],
      [{ services: { relay: { token: 5 } } }, /relay-token/],
      [{ max_sessions: 1_001 }, /max_sessions/],
    ];
    for (const [body, message] of wrong) {
      await expect(config.save({ ...body })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(message),
      });
    }
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    await expect(config.save(deep)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await readdir(folder)).toEqual([]);
    expect([events, config.current]).toEqual([[], DEFAULT_CONFIG]);
  });

  it('two writers at once: every change is kept', async () => {
    const config = await open();
    await Promise.all(Array.from({ length: 50 }, (_, at) => config.save({ own: { [`key${at}`]: at } })));
    expect(Object.keys((await stored()).own as object)).toHaveLength(50);
    expect(events).toHaveLength(50);
  });

  it('two writers at once with the same tag: one is told, and nothing of it is written', async () => {
    const config = await open();
    const ifMatch = config.read().etag;
    const results = await Promise.allSettled([
      config.save({ theme: 'a' }, { ifMatch }),
      config.save({ ide: 'b' }, { ifMatch }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(results[1]).toMatchObject({ reason: { code: 'precondition_failed' } });
    expect(await stored()).toEqual({ theme: 'a' });
  });

  it('takes what somebody wrote by hand since, and refuses to write over what it cannot read', async () => {
    const config = await open();
    await config.save({ theme: 'a' });
    await writeFile(configPath(), '{"theme":"by hand","ide":"e"}');
    await config.save({ language: 'fr' });
    expect(await stored()).toEqual({ theme: 'by hand', ide: 'e', language: 'fr' });
    expect(config.current).toMatchObject({ theme: 'by hand', ide: 'e', language: 'fr' });
    const half = '{"theme":"canary';
    await writeFile(configPath(), half);
    await expect(config.save({ theme: 'x' })).rejects.toMatchObject({ code: 'config_unreadable', status: 500 });
    expect(await readFile(configPath(), 'utf8')).toBe(half);
    await rm(configPath());
    await mkdir(configPath());
    await expect(config.save({ theme: 'x' })).rejects.toMatchObject({ code: 'config_unreadable' });
  });

  it('keeps a copy of values that were not valid when it writes without them', async () => {
    await writeFile(configPath(), '{"mcp_port":"x","theme":"t"}');
    const config = await open();
    expect(config.current.mcp_port).toBe(9_876);
    await config.save({ ide: 'e' });
    expect(await stored()).toEqual({ theme: 't', ide: 'e' });
    const [copy] = (await readdir(folder)).filter((name) => name.startsWith('config.json.invalid-'));
    expect(await readFile(join(folder, copy ?? ''), 'utf8')).toBe('{"mcp_port":"x","theme":"t"}');
    await config.save({ ide: 'f' });
    expect((await readdir(folder)).length).toBe(2);
  });

  it('leaves a link in place and replaces what it leads to', async () => {
    const target = join(await cleanup.temporaryDirectory('tuic-dots-'), 'mine.json');
    await writeFile(target, '{"theme":"a"}');
    await symlink(target, configPath());
    const config = await open();
    await config.save({ ide: 'e' });
    expect((await lstat(configPath())).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ theme: 'a', ide: 'e' });
  });

  it('a full disk: the old file, the memory and the secrets stay as they were', async () => {
    const path = await mountSmall(cleanup, 64);
    const config = await open(path);
    await config.save({ theme: 'before', services: { relay: { token: 'old' } } });
    await fillDisk(path);
    const change = { theme: 'x'.repeat(60_000), services: { relay: { token: 'new' } } };
    await expect(config.save(change)).rejects.toMatchObject({ code: 'storage_failed', status: 500 });
    expect(JSON.parse(await readFile(join(path, 'config.json'), 'utf8'))).toMatchObject({ theme: 'before' });
    expect([config.current.theme, secrets.values.get('relay-token')]).toEqual(['before', 'old']);
    expect((await readdir(path)).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('removes what a killed writer left, and nothing of a living one', async () => {
    await writeFile(join(folder, '.config.json.999999999.0123abcd.draft'), '{');
    await writeFile(join(folder, `.config.json.${process.pid}.0123abcd.draft`), '{');
    await open();
    expect(await readdir(folder)).toEqual([`.config.json.${process.pid}.0123abcd.draft`]);
  });
});

describe('secrets of the configuration', () => {
  const all = {
    services: {
      auth: { session_token: 'canary-1' },
      relay: { token: 'canary-2' },
      push: { vapid_private_key: 'canary-3' },
    },
  };

  it('live in the store, never in the file, the answer or the log; flags tell that they are there', async () => {
    const config = await open();
    expect(config.read().value).toMatchObject({
      services: {
        auth: { session_token_exists: false, password_hash_exists: false },
        relay: { token_exists: false },
        push: { vapid_private_key_exists: false },
      },
    });
    await config.save({ services: { ...all.services, auth: { session_token: 'canary-1', password_hash: HASH } } });
    const { value } = config.read();
    expect(value).toMatchObject({
      services: {
        auth: { session_token_exists: true, password_hash_exists: true },
        relay: { token_exists: true },
        push: { vapid_private_key_exists: true },
      },
    });
    const file = await readFile(configPath(), 'utf8');
    expect(JSON.stringify(value) + file + logged + JSON.stringify(events)).not.toContain('canary');
    expect(JSON.stringify(value)).not.toContain(HASH);
    expect(file).toContain(HASH);
    expect(Object.fromEntries(secrets.values)).toEqual({
      'session-token': 'canary-1',
      'relay-token': 'canary-2',
      'vapid-private-key': 'canary-3',
    });
  });

  it('a redacted configuration that comes back deletes nothing; an empty text does', async () => {
    const config = await open();
    await config.save({ services: { ...all.services, auth: { session_token: 'canary-1', password_hash: HASH } } });
    await config.save(config.read().value);
    expect(secrets.values.size).toBe(3);
    expect(config.current.services.auth.password_hash).toBe(HASH);
    expect(JSON.stringify(await stored())).not.toContain('_exists');
    await config.save({ services: { relay: { token: '' }, auth: { password_hash: '' } } });
    expect([secrets.values.size, config.current.services.auth.password_hash]).toEqual([2, '']);
  });

  it('a locked store refuses the change as a whole, loses nothing, and turns no flag', async () => {
    const config = await open();
    await config.save(all);
    secrets.isLocked = true;
    await expect(config.save({ theme: 'x', services: { relay: { token: 'new' } } })).rejects.toMatchObject({
      code: 'secrets_unavailable',
      status: 503,
    });
    expect(config.current.theme).toBe(DEFAULT_CONFIG.theme);
    expect(config.read().value).toMatchObject({ services: { relay: { token_exists: true } } });
    await config.save({ theme: 'y' });
    secrets.isLocked = false;
    expect(await secrets.get('relay-token')).toBe('canary-2');
  });

  it('move out of a file that somebody wrote them into', async () => {
    await writeFile(configPath(), JSON.stringify({ theme: 't', ...all }));
    const config = await open();
    expect(await readFile(configPath(), 'utf8')).not.toContain('canary');
    expect([secrets.values.size, config.current.theme]).toEqual([3, 't']);
    expect(logged).not.toContain('canary');
  });
});

describe('other files (http.md 10.1)', () => {
  const files = () => createConfigFiles({ configDirectory: folder, publish: (_name, data) => events.push(data) });

  it('answers the default of each listed file, and knows no other', async () => {
    const own = files();
    expect((await own.read('notes')).value).toEqual({});
    expect((await own.read('keybindings')).value).toEqual([]);
    expect((await own.read('repo-defaults')).value).toMatchObject({
      worktree_storage: 'sibling',
      after_merge: 'archive',
    });
    expect((await own.read('notifications')).value).toMatchObject({ volume: 0.5, sounds: { attention: true } });
    expect((await own.read('agents')).value).toEqual({ agents: {} });
    for (const name of [
      'config',
      'mcp-upstreams',
      'secrets',
      'state',
      '../config',
      '__proto__',
      'constructor',
      '',
      'notes.json',
    ]) {
      await expect(own.read(name)).rejects.toMatchObject({ code: 'not_found' });
      await expect(own.write(name, {})).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('replaces a document as a whole, keeps unknown keys, and says the new tag', async () => {
    const own = files();
    const empty = await own.read('agents');
    const value = { agents: { claude: { run_configs: [], own: 1 } }, also: true };
    const { etag } = await own.write('agents', value, { ifMatch: empty.etag });
    expect(JSON.parse(await readFile(join(folder, 'agents.json'), 'utf8'))).toEqual(value);
    expect((await stat(join(folder, 'agents.json'))).mode & 0o777).toBe(0o600);
    const read = await own.read('agents');
    expect(read).toMatchObject({
      etag,
      value: { also: true, agents: { claude: { own: 1, auto_retry_on_error: false } } },
    });
    expect(events).toEqual([{ file: 'agents', etag }]);
  });

  it('412 for a tag that is not current, with nothing written; without one the write goes through', async () => {
    const own = files();
    const { etag } = await own.write('notes', { a: 1 });
    const both = await Promise.allSettled([
      own.write('notes', { a: 2 }, { ifMatch: etag }),
      own.write('notes', { a: 3 }, { ifMatch: etag }),
    ]);
    expect(both).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'precondition_failed', status: 412 } },
    ]);
    expect((await own.read('notes')).value).toEqual({ a: 2 });
    await expect(own.write('notes', {}, { ifMatch: `W/${etag}` })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(own.write('activity', {}, { ifMatch: '*' })).rejects.toMatchObject({ code: 'precondition_failed' });
    await own
      .write('notes', { a: 4 }, { ifMatch: '"x", *' })
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'precondition_failed' }));
    await own.write('notes', { a: 5 }, { ifMatch: '*' });
    await own.write('notes', { a: 6 });
    expect((await own.read('notes')).value).toEqual({ a: 6 });
  });

  it('400 for the wrong JSON type or a failed check, with the file untouched', async () => {
    const own = files();
    await own.write('repo-defaults', { after_merge: 'delete' });
    const wrong: [string, unknown][] = [
      ['notes', []],
      ['notes', null],
      ['notes', 'x'],
      ['notes', undefined],
      ['keybindings', {}],
      ['repo-defaults', { after_merge: 'burn' }],
      ['notifications', { volume: 2 }],
      ['agents', { agents: { claude: { run_configs: [{ name: 1 }] } } }],
      ['repo-settings', { repos: { '/r': {} } }],
    ];
    for (const [name, value] of wrong) {
      await expect(own.write(name, value)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    expect((await own.read('repo-defaults')).value).toMatchObject({ after_merge: 'delete' });
    expect(await readdir(folder)).toEqual(['repo-defaults.json']);
  });

  it('500 for a file that is there and cannot be used, so that nobody takes it for an empty one', async () => {
    const own = files();
    await writeFile(join(folder, 'notes.json'), '{"half":');
    await writeFile(join(folder, 'activity.json'), '');
    await writeFile(join(folder, 'notifications.json'), '{"volume":"loud"}');
    for (const name of ['notes', 'activity', 'notifications']) {
      await expect(own.read(name)).rejects.toMatchObject({ code: 'config_unreadable', status: 500 });
    }
    await expect(own.write('notes', {}, { ifMatch: '"x"' })).rejects.toMatchObject({ code: 'config_unreadable' });
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('{"half":');
  });
});
