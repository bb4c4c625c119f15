import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionFiles } from './index.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'session-files-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value).toString());

describe('session files', () => {
  it('appends only what is new, and reads back what was stored', async () => {
    const files = createSessionFiles(root);
    await files.appendLog('s', [{ number: 3, bytes: bytes('abc') }]);
    await files.appendLog('s', [
      { number: 3, bytes: bytes('abcdef') },
      { number: 4, bytes: bytes('x') },
    ]);
    await files.writeScreen('s', 2 ** 40, bytes('blob'));
    const stored = await createSessionFiles(root).read('s');
    expect(stored.log.map((file) => [file.number, text(file.bytes)])).toEqual([
      [3, 'abcdef'],
      [4, 'x'],
    ]);
    expect(stored.screen?.offset).toBe(2 ** 40);
    expect(text(stored.screen?.blob)).toBe('blob');
  });

  it('keeps the newest output of an ended session with its offset, and takes a cut file for none', async () => {
    const files = createSessionFiles(root);
    expect(await files.readRing('s')).toBeUndefined();
    await files.writeRing('s', 2 ** 33, bytes('rest'));
    const ring = await createSessionFiles(root).readRing('s');
    expect([ring?.offset, text(ring?.bytes)]).toEqual([2 ** 33, 'rest']);
    expect((await stat(join(root, 's/ring'))).mode & 0o777).toBe(0o600);
    await truncate(join(root, 's/ring'), 10);
    expect(await files.readRing('s')).toBeUndefined();
    await files.remove('s');
    expect(await readdir(root)).toEqual([]);
  });

  it('goes on where an earlier process stopped', async () => {
    await createSessionFiles(root).appendLog('s', [{ number: 0, bytes: bytes('one') }]);
    const files = createSessionFiles(root);
    await files.read('s');
    await files.appendLog('s', [{ number: 0, bytes: bytes('one two') }]);
    expect(await readFile(join(root, 's/log.0'), 'utf8')).toBe('one two');
  });

  it('cuts a log back to what the screen knows', async () => {
    const files = createSessionFiles(root);
    await files.appendLog('s', [
      { number: 0, bytes: bytes('known unknown') },
      { number: 1, bytes: bytes('later') },
    ]);
    await files.read('s');
    await files.trimLog('s', [{ number: 0, bytes: bytes('known') }]);
    await files.appendLog('s', [{ number: 0, bytes: bytes('known again') }]);
    expect((await readdir(join(root, 's'))).sort()).toEqual(['log.0']);
    expect(await readFile(join(root, 's/log.0'), 'utf8')).toBe('known again');
  });

  it('drops old chunks and whole sessions', async () => {
    const files = createSessionFiles(root);
    await files.appendLog(
      's',
      [0, 1, 2].map((number) => ({ number, bytes: bytes('x') })),
    );
    await files.dropLogBefore('s', 2);
    expect(await readdir(join(root, 's'))).toEqual(['log.2']);
    expect(await files.list()).toEqual(['s']);
    await files.remove('s');
    await files.remove('s');
    expect(await files.list()).toEqual([]);
    expect(await createSessionFiles(join(root, 'missing')).list()).toEqual([]);
    expect(await files.read('s')).toEqual({ screen: undefined, log: [] });
  });

  it('a screen that is cut or foreign is no screen; the log is still there', async () => {
    const files = createSessionFiles(root);
    await files.appendLog('s', [{ number: 0, bytes: bytes('log') }]);
    await files.writeScreen('s', 5, bytes('blob'));
    await truncate(join(root, 's/screen'), 6);
    expect(await files.read('s')).toMatchObject({ screen: undefined, log: [{ number: 0 }] });
    await writeFile(join(root, 's/screen'), 'something else altogether');
    expect((await files.read('s')).screen).toBeUndefined();
  });

  it('everything is for its owner only', async () => {
    const files = createSessionFiles(root);
    await files.writeScreen('s', 1, bytes('x'));
    await files.appendLog('s', [{ number: 0, bytes: bytes('x') }]);
    expect((await stat(join(root, 's'))).mode & 0o777).toBe(0o700);
    for (const name of ['screen', 'log.0']) expect((await stat(join(root, 's', name))).mode & 0o777).toBe(0o600);
  });

  it('an unwritable place is one clear error, and writing goes on when it is mended', async () => {
    const path = join(root, 'file');
    await writeFile(path, '');
    const files = createSessionFiles(path);
    await expect(files.appendLog('s', [{ number: 0, bytes: bytes('abc') }])).rejects.toMatchObject({
      code: 'storage_failed',
    });
    await expect(files.writeScreen('s', 0, bytes('x'))).rejects.toMatchObject({ code: 'storage_failed' });
    await rm(path);
    await files.appendLog('s', [{ number: 0, bytes: bytes('abc') }]);
    expect(await readFile(join(path, 's/log.0'), 'utf8')).toBe('abc');
  });
});
