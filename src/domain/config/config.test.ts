import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { mountReadOnly } from '../../../test/kit/mounts.ts';
import { LIMITS, resolveConfigDirectory } from '../../contract/index.ts';
import { DEFAULT_CONFIG, loadConfig, prepareConfigDirectory, resolveLocalPort } from './index.ts';

const NOW = 1_700_000_000_000;
const cleanup = cleanupAfterEach();
let folder: string;
const lines: { fields: object; message: string }[] = [];
const log = {
  error: (fields: object, message: string) => lines.push({ fields, message }),
  warn: (fields: object, message: string) => lines.push({ fields, message }),
};

beforeEach(async () => {
  lines.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'tuic-config-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const CONFIG = () => join(folder, 'config.json');

async function load(text: string) {
  await writeFile(CONFIG(), text);
  return (await loadConfig({ configDirectory: folder, log, now: () => NOW })).config;
}

describe('configuration', () => {
  it('X05: is closed by default', async () => {
    const { config } = await loadConfig({ configDirectory: folder, log, now: () => NOW });
    expect(config).toEqual(DEFAULT_CONFIG);
    expect(config).toMatchObject({ allowed_hosts: [], services: { server: { enabled: false } } });
    expect(lines).toEqual([]);
  });

  it('reads what is set and leaves unknown keys alone', async () => {
    const config = await load('{"mcp_port":1234,"own":"x","services":{"auth":{"auth_rate_limit_max":0},"push":{}}}');
    expect(config.mcp_port).toBe(1_234);
    expect(config.own).toBe('x');
    expect(config.services.auth).toEqual({ ...DEFAULT_CONFIG.services.auth, auth_rate_limit_max: 0 });
    expect(lines).toEqual([]);
  });

  it('sets a half-written or hostile file aside, says so without quoting it, and takes the defaults', async () => {
    const secret = '$2b$12$canary';
    const texts = [
      `{"services":{"auth":{"password_hash":"${secret}`,
      '[]',
      '"x"',
      'null',
      `{"mcp_port": 1 ${secret}`,
      '['.repeat(100_000),
      `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
      '\u0000\u0000\u0000',
    ];
    for (const [at, text] of texts.entries()) {
      lines.length = 0;
      expect(await load(text)).toEqual(DEFAULT_CONFIG);
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(lines)).not.toContain('canary');
      const names = (await readdir(folder)).filter((name) => name.startsWith('config.json.broken-20231114T221320Z'));
      expect(names).toHaveLength(at + 1);
      expect(await readdir(folder)).not.toContain('config.json');
    }
    const kept = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    expect(kept.sort()).toEqual([...texts].sort());
  });

  it('takes an empty file and a byte order mark as they are meant', async () => {
    expect(await load('')).toEqual(DEFAULT_CONFIG);
    expect((await load('\uFEFF{"theme":"own"}')).theme).toBe('own');
    expect(lines).toEqual([]);
    await writeFile(CONFIG(), Buffer.from([0x7b, 0xff, 0x7d]));
    await loadConfig({ configDirectory: folder, log, now: () => NOW });
    expect(lines).toHaveLength(1);
  });

  it('sets aside what is no plain file or far too large, and never waits for a pipe', async () => {
    await mkdir(CONFIG());
    expect((await loadConfig({ configDirectory: folder, log, now: () => NOW })).config).toEqual(DEFAULT_CONFIG);
    execFileSync('mkfifo', [CONFIG()]);
    expect((await loadConfig({ configDirectory: folder, log, now: () => NOW })).config).toEqual(DEFAULT_CONFIG);
    await writeFile(CONFIG(), '');
    await truncate(CONFIG(), LIMITS.configFile + 1);
    expect((await loadConfig({ configDirectory: folder, log, now: () => NOW })).config).toEqual(DEFAULT_CONFIG);
    expect(lines).toHaveLength(3);
  });

  it('replaces only the keys that are not valid, and names each', async () => {
    const text =
      '{"mcp_port":0,"max_sessions":7,"allowed_hosts":["a",1,2],"services":{"tls":{"mode":"manual","cert_path":"c"},' +
      '"auth":{"auth_rate_limit_max":-1,"session_token_duration_secs":5,"password_hash":"$2b$31$x"},"relay":7}}';
    const config = await load(text);
    expect(config).toMatchObject({ mcp_port: 9_876, max_sessions: 7, allowed_hosts: [] });
    expect(config.services.auth).toMatchObject({ auth_rate_limit_max: 5, session_token_duration_secs: 5 });
    expect(config.services).toMatchObject({ tls: { mode: 'off' }, relay: { enabled: false } });
    expect(lines.map(({ fields }) => ('key' in fields ? fields.key : '')).sort()).toEqual([
      'allowed_hosts.1',
      'mcp_port',
      'services.auth.auth_rate_limit_max',
      'services.auth.password_hash',
      'services.relay',
      'services.tls.key_path',
    ]);
    expect(await readFile(CONFIG(), 'utf8')).toBe(text);
  });

  it('folds the flat keys of earlier versions when there are no services', async () => {
    const flat = '"remote_access_enabled":true,"remote_access_port":4000,"remote_access_username":"me"';
    const config = await load(`{${flat}}`);
    expect(config.services).toMatchObject({ server: { enabled: true, port: 4_000 }, auth: { username: 'me' } });
    expect((await load(`{${flat},"services":{}}`)).services.server.enabled).toBe(false);
    expect('remote_access_port' in config).toBe(false);
  });

  it('lets TUIC_PORT override the port, and refuses what is no port', () => {
    const at = (TUIC_PORT?: string) => resolveLocalPort(DEFAULT_CONFIG, { TUIC_PORT });
    expect([at(), at(''), at('0'), at('81'), at('65535')]).toEqual([9_876, 9_876, 0, 81, 65_535]);
    for (const text of ['65536', '-1', 'x', '1.5', '0x10', ' 80', '999999']) {
      expect(() => at(text)).toThrow(/TUIC_PORT must be a port number/);
    }
  });

  it('finds the directory of each platform', () => {
    const at = (platform: string, env: Record<string, string>) => resolveConfigDirectory({ platform, env, home: '/h' });
    expect(at('linux', {})).toBe('/h/.config/tuicommander');
    expect(at('linux', { XDG_CONFIG_HOME: '/x' })).toBe('/x/tuicommander');
    expect(at('linux', { XDG_CONFIG_HOME: 'relative' })).toBe('/h/.config/tuicommander');
    expect(at('darwin', { XDG_CONFIG_HOME: '/x' })).toBe('/h/Library/Application Support/tuicommander');
    expect(at('win32', { APPDATA: 'C:\\A' })).toBe('C:\\A\\tuicommander');
    expect(at('linux', { TUIC_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/x' })).toBe('/own');
  });
});

describe('configuration directory', () => {
  it('is created private, with its parents', async () => {
    const before = process.umask(0);
    try {
      await prepareConfigDirectory(join(folder, 'a', 'b'), log);
      expect((await stat(join(folder, 'a', 'b'))).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it('becomes private when it is ours, and keeps its mode when it serves others too', async () => {
    await chmod(folder, 0o755);
    await prepareConfigDirectory(folder, log);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'diary'), '');
    await prepareConfigDirectory(folder, log);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    await writeFile(join(folder, 'token'), '');
    await chmod(folder, 0o1777);
    await prepareConfigDirectory(folder, log);
    expect((await stat(folder)).mode & 0o7777).toBe(0o1777);
    expect(lines).toHaveLength(3);
  });

  it('gives one clear error on a read-only mount, and creates nothing there', async () => {
    const path = await mountReadOnly(cleanup);
    const refusal = {
      code: 'storage_failed',
      message: expect.stringMatching(/read-only file system.*TUIC_CONFIG_DIR/i),
    };
    await expect(prepareConfigDirectory(path, log)).rejects.toMatchObject(refusal);
    await expect(prepareConfigDirectory(join(path, 'below'), log)).rejects.toMatchObject(refusal);
  });

  it('gives one clear error below a file, and in a directory of another user', async () => {
    await writeFile(join(folder, 'file'), '');
    const refusal = { code: 'storage_failed', message: expect.stringContaining('TUIC_CONFIG_DIR') };
    await expect(prepareConfigDirectory(join(folder, 'file', 'x'), log)).rejects.toMatchObject(refusal);
    await expect(prepareConfigDirectory(join(folder, 'file'), log)).rejects.toMatchObject(refusal);
    if (process.getuid?.() !== 0) throw new Error('this test needs root: it gives a directory away');
    await mkdir(join(folder, 'theirs'));
    await chown(join(folder, 'theirs'), 65_534, 65_534);
    await expect(prepareConfigDirectory(join(folder, 'theirs'), log)).rejects.toMatchObject(refusal);
  });
});
