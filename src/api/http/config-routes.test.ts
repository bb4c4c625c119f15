import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const cleanup = cleanupAfterEach();

async function start() {
  const front = await startFront(cleanup);
  return { front, api: new ApiClient(front.ipc) };
}

describe('configuration over HTTP (http.md 10)', () => {
  it('GET shows all keys and no secret, PUT takes a part and answers the new tag', async () => {
    const { front, api } = await start();
    const first = await api.get('/config');
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject({
      mcp_port: 9_876,
      theme: 'vscode-dark',
      services: { auth: { password_hash_exists: true }, tls: { mode: 'off' } },
    });
    const put = await api.request('PUT', '/config', {
      body: { theme: 'own', services: { relay: { token: 'canary' } } },
      headers: { 'if-match': first.headers.etag },
    });
    expect([put.status, put.json()]).toEqual([200, { ok: true }]);
    const second = await api.get('/config');
    expect(second.headers.etag).toBe(put.headers.etag);
    expect(second.json()).toMatchObject({ theme: 'own', services: { relay: { token_exists: true } } });
    expect(second.text + front.log.recent().join()).not.toContain('canary');
    const late = await api.request('PUT', '/config', { body: {}, headers: { 'if-match': first.headers.etag } });
    expect(late.status).toBe(412);
    expect(front.bus.lastSequence).toBe(1);
  });

  it('400 names the key and writes nothing, 500 when the file cannot be read', async () => {
    const { front, api } = await start();
    const path = join(front.configDirectory, 'config.json');
    const before = await readFile(path, 'utf8');
    const wrong = await api.request('PUT', '/config', { body: { mcp_port: 'x' } });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('mcp_port')]);
    for (const rawBody of ['[]', '"x"', 'null', '{']) {
      expect((await api.request('PUT', '/config', { rawBody })).status).toBe(400);
    }
    expect(await readFile(path, 'utf8')).toBe(before);
    await writeFile(path, '{"half');
    expect((await api.request('PUT', '/config', { body: {} })).status).toBe(500);
    expect(await readFile(path, 'utf8')).toBe('{"half');
  });

  it('allowed_hosts takes effect at once', async () => {
    const { front, api } = await start();
    const other = new ApiClient(front.local, {
      host: `box.example:${front.local.port}`,
      authorization: `Bearer ${front.token}`,
    });
    expect((await other.get('/health')).status).toBe(403);
    await api.ok('PUT', '/config', { allowed_hosts: ['box.example'] });
    expect((await other.get('/health')).status).toBe(200);
  });

  it('serves the other files with their tags, arrays included', async () => {
    const { api } = await start();
    const empty = await api.get('/config/keybindings');
    expect([empty.status, empty.json()]).toEqual([200, []]);
    const write = (value: unknown, tag?: string) =>
      api.request('PUT', '/config/keybindings', { body: value, ...(tag ? { headers: { 'if-match': tag } } : {}) });
    const put = await write([{ key: 'a' }], empty.headers.etag);
    expect([put.status, put.json()]).toEqual([200, { ok: true }]);
    expect((await write([], empty.headers.etag)).status).toBe(412);
    const read = await api.get('/config/keybindings');
    expect([read.headers.etag, read.json()]).toEqual([put.headers.etag, [{ key: 'a' }]]);
    expect((await write({})).status).toBe(400);
    expect((await write(null)).status).toBe(400);
    expect((await api.request('PUT', '/config/keybindings')).status).toBe(400);
    expect((await api.get('/config/config')).status).toBe(404);
    expect((await api.request('PUT', '/config/unknown', { body: {} })).status).toBe(404);
    expect((await api.get('/config/hash-password')).status).toBe(404);
  });

  it('hashes a password, and refuses one that bcrypt would cut', async () => {
    const { api } = await start();
    for (const path of ['/config/hash-password', '/auth/hash-password']) {
      expect(await api.ok('POST', path, { password: 'x'.repeat(72) })).toEqual({ hash: 'hash of 72 characters' });
      for (const password of ['x'.repeat(73), 'ü'.repeat(37), '', 'a\0b', 5]) {
        const answer = await api.post(path, { password });
        expect([password, answer.status]).toEqual([password, 400]);
      }
    }
  });

  it('says where secrets are kept', async () => {
    const { front, api } = await start();
    expect(await api.ok('GET', '/diagnostics/secrets')).toEqual({
      store: 'file',
      state: 'ready',
      detail: 'a test has none',
      location: join(front.configDirectory, 'secrets.json'),
    });
  });
});
