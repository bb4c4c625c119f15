import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOrCreateSecret } from './secret-file.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tuic-secret-'));
  path = join(folder, 'token');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('secret file', () => {
  it('creates a long secret with mode 0600 and leaves nothing else', async () => {
    const before = process.umask(0);
    try {
      const secret = await readOrCreateSecret({ path });
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect((await readFile(path, 'utf8')).trim()).toBe(secret);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['token']);
      expect(await readOrCreateSecret({ path })).toBe(secret);
    } finally {
      process.umask(before);
    }
  });

  it('gives all that create it together the same secret', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readOrCreateSecret({ path })));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual(['token']);
  });

  it('repairs a mode that lets others read, and says so', async () => {
    const secret = await readOrCreateSecret({ path });
    await chmod(path, 0o644);
    const repaired: string[] = [];
    expect(await readOrCreateSecret({ path, onRepair: (at) => repaired.push(at) })).toBe(secret);
    expect(repaired).toEqual([path]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('X05: replaces an empty or damaged secret instead of accepting a short one', async () => {
    for (const text of ['', '\n', 'short', 'x'.repeat(2_000), '\u0000'.repeat(50)]) {
      await writeFile(path, text);
      expect(await readOrCreateSecret({ path })).toMatch(/^[A-Za-z0-9_-]{43}$/);
    }
  });

  it('refuses what is no file of ours', async () => {
    const refusal = { code: 'storage_failed' };
    await symlink(join(folder, 'elsewhere'), path);
    await expect(readOrCreateSecret({ path })).rejects.toMatchObject(refusal);
    await rm(path);
    await readOrCreateSecret({ path });
    if (process.getuid?.() !== 0) throw new Error('this test needs root: it gives a file away');
    await chown(path, 65_534, 65_534);
    await expect(readOrCreateSecret({ path })).rejects.toMatchObject(refusal);
  });

  it('names the folder that cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(readOrCreateSecret({ path: join(folder, 'file', 'token') })).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(join(folder, 'file', 'token')),
    });
  });
});
