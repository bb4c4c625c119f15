import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { mountReadOnly } from '../../../test/kit/mounts.ts';
import { resolveConfigDirectory } from '../../contract/index.ts';
import { DEFAULT_CONFIG, loadConfig, prepareConfigDirectory, resolveLocalPort } from './index.ts';

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

async function load(text: string) {
  await writeFile(join(folder, 'config.json'), text);
  const config = await loadConfig({ configDirectory: folder, log });
  expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe(text);
  return config;
}

describe('configuration', () => {
  it('X05: is closed by default', async () => {
    expect(await loadConfig({ configDirectory: folder, log })).toEqual({
      local_server_enabled: true,
      mcp_port: 9_876,
      allowed_hosts: [],
      max_sessions: 50,
      shell: null,
      services: {
        auth: { session_token_duration_secs: 86_400, auth_rate_limit_max: 5, auth_rate_limit_window_secs: 300 },
      },
    });
    expect(lines).toEqual([]);
  });

  it('reads what is set and leaves unknown keys alone', async () => {
    const config = await load('{"mcp_port":1234,"theme":"x","services":{"auth":{"auth_rate_limit_max":0},"push":{}}}');
    expect(config.mcp_port).toBe(1_234);
    expect(config.services.auth).toEqual({ ...DEFAULT_CONFIG.services.auth, auth_rate_limit_max: 0 });
    expect(lines).toEqual([]);
  });

  it('takes the defaults from a file it cannot read, says so and leaves it', async () => {
    for (const text of ['{', '[]', '"x"', 'null', '{"mcp_port": 1']) {
      lines.length = 0;
      expect(await load(text)).toEqual(DEFAULT_CONFIG);
      expect(lines).toHaveLength(1);
    }
    await rm(join(folder, 'config.json'));
    await mkdir(join(folder, 'config.json'));
    expect(await loadConfig({ configDirectory: folder, log })).toEqual(DEFAULT_CONFIG);
    expect(lines).toHaveLength(2);
  });

  it('replaces only the keys that are not valid, and names each', async () => {
    const config = await load(
      '{"mcp_port":0,"max_sessions":7,"allowed_hosts":["a",1,2],"services":{"auth":{"auth_rate_limit_max":-1,"session_token_duration_secs":5}}}',
    );
    expect(config).toMatchObject({ mcp_port: 9_876, max_sessions: 7, allowed_hosts: [] });
    expect(config.services.auth).toMatchObject({ auth_rate_limit_max: 5, session_token_duration_secs: 5 });
    expect(lines.map(({ fields }) => ('key' in fields ? fields.key : '')).sort()).toEqual([
      'allowed_hosts.1',
      'mcp_port',
      'services.auth.auth_rate_limit_max',
    ]);
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
