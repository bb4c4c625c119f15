import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { checkPicture, createPictureFiles } from './pictures.ts';

const cleanup = cleanupAfterEach();
const WEBP = Buffer.from('RIFF\x04\x00\x00\x00WEBPVP8 ', 'latin1');
const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');

async function setUp() {
  const clock = new ManualClock();
  const directory = join(await cleanup.temporaryDirectory('tuic-pictures-'), 'screenshots');
  let number = 0;
  return { clock, directory, files: createPictureFiles({ directory, clock, ids: { uuid: () => `id${++number}` } }) };
}

describe('the files of pictures', () => {
  it('UI-5: are for this user alone, in a folder of their own', async () => {
    const { directory, files } = await setUp();
    await mkdir(directory);
    await chmod(directory, 0o755);
    const path = await files.save({ type: 'image/webp', bytes: WEBP });
    expect(path).toMatch(/^\/.*\/screenshots\/\d+-id1\.webp$/);
    expect(await readFile(path)).toEqual(WEBP);
    expect([(await stat(path)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await files.save({ type: 'image/png', bytes: PNG })).toMatch(/-id2\.png$/);
  });

  it('go after a day, and when there are more than the newest; files of others stay', async () => {
    const { clock, directory, files } = await setUp();
    await files.sweep();
    const old = await files.save({ type: 'image/png', bytes: PNG });
    await writeFile(join(directory, 'mine.png'), 'x');
    clock.advance(DEADLINES.pictureKept);
    await files.sweep();
    expect(await readdir(directory)).toContain(old.slice(directory.length + 1));
    clock.advance(1);
    await files.sweep();
    expect(await readdir(directory)).toEqual(['mine.png']);
    const paths: string[] = [];
    for (let count = 0; count < LIMITS.pictures + 3; count++) {
      clock.advance(1);
      paths.push(await files.save({ type: 'image/webp', bytes: WEBP }));
    }
    const kept = await readdir(directory);
    expect(kept).toHaveLength(LIMITS.pictures + 1);
    for (const path of paths.slice(3)) expect(kept).toContain(path.slice(directory.length + 1));
  });

  it('that cannot be written are told', async () => {
    const { directory, files } = await setUp();
    await writeFile(directory, 'a file in its place');
    await expect(files.save({ type: 'image/webp', bytes: WEBP })).rejects.toMatchObject({ code: 'storage_failed' });
  });
});

describe('what a window sends', () => {
  it('is a picture of the kind that it says', () => {
    expect(checkPicture('image/webp', WEBP)).toEqual({ type: 'image/webp', bytes: WEBP });
    for (const [type, bytes] of [
      ['image/webp', PNG],
      ['image/png', WEBP],
      ['image/png', Buffer.alloc(0)],
      ['image/svg+xml', Buffer.from('<svg/>')],
      [undefined, PNG],
    ] as const) {
      expect(() => checkPicture(type, bytes)).toThrow('must be a picture');
    }
  });
});
