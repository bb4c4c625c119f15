import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { systemClock } from '../../base/index.ts';
import { SECRET_MASK, type UpstreamConfig, upstreamConfigSchema } from '../../contract/index.ts';
import { type ConfigChange, UpstreamConfigStore } from './config-store.ts';
import type { Vault } from './secrets.ts';

const cleanup = cleanupAfterEach();
let folder: string;
let kept: Map<string, string>;
let store: UpstreamConfigStore;
let seen: ConfigChange[];

function open(): UpstreamConfigStore {
  const vault: Vault = {
    has: (name) => kept.has(name),
    get: async (name) => kept.get(name),
    set: async (name, value) => void (value === undefined ? kept.delete(name) : kept.set(name, value)),
  };
  const own = () => ({ ports: [9_876] });
  return new UpstreamConfigStore({ configDirectory: folder, clock: systemClock, vault, own });
}

const config = (...servers: object[]): UpstreamConfig => upstreamConfigSchema.parse({ servers });
const program = (id: string, more: object = {}, env: object = {}) => ({
  id,
  name: id,
  transport: { type: 'stdio', command: 'x', env },
  ...more,
});
const text = () => readFile(join(folder, 'mcp-upstreams.json'), 'utf8');

beforeEach(async () => {
  folder = await cleanup.temporaryDirectory('tuic-up-');
  kept = new Map();
  store = open();
  seen = [];
  store.changes.on((change) => seen.push(change));
});

describe('the stored configuration', () => {
  it('is empty when there is no file, and private when there is one', async () => {
    expect(await store.read()).toEqual({ servers: [] });
    await store.save(config(), config(program('a')));
    expect((await stat(join(folder, 'mcp-upstreams.json'))).mode & 0o777).toBe(0o600);
    expect((await store.read()).servers).toMatchObject([{ id: 'a', enabled: true, timeout_secs: 30 }]);
  });

  it('UPC-9: secrets are in the store under the id; file and answers carry masks and flags', async () => {
    const auth = { type: 'bearer', token: 't0ken' };
    await store.save(config(), config(program('a', { auth }, { KEY: 'hush', EMPTY: '' })));
    const read = await store.read();
    expect(read.servers[0]).toMatchObject({
      transport: { env: { KEY: SECRET_MASK, EMPTY: SECRET_MASK } },
      auth: { type: 'bearer', token_exists: true },
    });
    expect(JSON.stringify(read) + (await text())).not.toMatch(/hush|t0ken/);
    expect(await store.secrets.env('a')).toEqual({ KEY: 'hush', EMPTY: '' });
    expect(await store.secrets.token('a')).toBe('t0ken');
    // A rename keeps them; an unchanged mask is no value.
    await store.save(read, { servers: read.servers.map((server) => ({ ...server, name: 'other' })) });
    expect(await store.secrets.env('a')).toEqual({ KEY: 'hush', EMPTY: '' });
    expect(await store.secrets.token('a')).toBe('t0ken');
    // Another text is a new value, an absent key clears, and a removed server leaves nothing.
    const now = await store.read();
    await store.save(
      now,
      config({ ...now.servers[0], transport: { type: 'stdio', command: 'x', env: { KEY: 'new' } } }),
    );
    expect(await store.secrets.env('a')).toEqual({ KEY: 'new' });
    expect([...(seen.at(-1)?.changedSecrets ?? [])]).toEqual(['a']);
    await store.save(await store.read(), config());
    expect([...kept]).toEqual([]);
  });

  it('UPC-3: dropping auth clears its token', async () => {
    await store.save(config(), config(program('a', { auth: { type: 'bearer', token: 't' } })));
    const loaded = await store.read();
    const { auth: _, ...rest } = loaded.servers[0] as object & { auth: unknown };
    await store.save(loaded, config(rest));
    expect([(await store.read()).servers[0]?.auth, [...kept]]).toEqual([undefined, []]);
  });

  it('UPC-9: a mask with nothing behind it is refused', async () => {
    const masked = config(program('a', {}, { KEY: SECRET_MASK }));
    await expect(store.save(config(), masked)).rejects.toThrow(/mask of KEY/);
  });

  it('UPC-9: what somebody wrote into the file in the clear moves to the store at the start', async () => {
    const auth = { type: 'bearer', token: 't0ken' };
    await writeFile(
      join(folder, 'mcp-upstreams.json'),
      JSON.stringify({ note: 'kept', servers: [program('a', { auth, later: 1 }, { KEY: 'hush' })] }),
    );
    expect(JSON.stringify(await store.load())).not.toMatch(/hush|t0ken/);
    expect(JSON.parse(await text())).toMatchObject({ note: 'kept', servers: [{ later: 1 }] });
    expect(await text()).not.toMatch(/hush|t0ken/);
    expect([await store.secrets.env('a'), await store.secrets.token('a')]).toEqual([{ KEY: 'hush' }, 't0ken']);
  });

  it('UPC-7: what is not valid changes nothing, and all that is wrong is told', async () => {
    await store.save(config(), config(program('a')));
    const before = await text();
    const loaded = await store.read();
    const wrong = config(...loaded.servers, program('A B', {}, { K: 'hush' }), { ...program('c'), name: 'a' });
    await expect(store.save(loaded, wrong)).rejects.toThrow(/a-z, 0-9.*; .*two servers/);
    expect([await text(), seen.length, [...kept]]).toEqual([before, 1, []]);
  });

  it('UPC-6: gives exactly what was there before and after', async () => {
    await store.save(config(), config(program('a')));
    const view = await store.read();
    await open().save(view, config(...view.servers, program('b')));
    await store.save(view, config({ ...view.servers[0], bare: true }));
    const { before, after } = seen.at(-1) as ConfigChange;
    expect(before.servers.map(({ id, bare }) => [id, bare])).toEqual([
      ['a', false],
      ['b', false],
    ]);
    expect(after.servers.map(({ id, bare }) => [id, bare])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('a file that cannot be read is never taken for an empty one', async () => {
    await writeFile(join(folder, 'mcp-upstreams.json'), '{"servers": [{"token": "t0ken"');
    await expect(store.read()).rejects.toMatchObject({ code: 'config_unreadable' });
    await expect(store.save(config(), config())).rejects.toMatchObject({ code: 'config_unreadable' });
    await expect(store.read()).rejects.not.toThrow(/t0ken/);
  });

  it('UPC-8: a token is stored and removed by the name of its server', async () => {
    await store.save(config(), config(program('a', { auth: { type: 'bearer' } })));
    await store.setToken('a', 'one');
    expect((await store.read()).servers[0]?.auth).toEqual({ type: 'bearer', token_exists: true });
    await store.setToken('a', undefined);
    expect([(await store.read()).servers[0]?.auth, [...kept]]).toEqual([{ type: 'bearer', token_exists: false }, []]);
    await expect(store.setToken('a', 'two\r\nx: y')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(store.setToken('b', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });
});
