import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';

const cleanup = cleanupAfterEach();

async function setUp(change: Partial<RotatingFileOptions> = {}) {
  const directory = await cleanup.temporaryDirectory('tuic-rf-');
  const clock = new ManualClock();
  const failures: string[] = [];
  const recoveries: number[] = [];
  const path = join(directory, 'logs', 'a.log');
  const options: RotatingFileOptions = {
    path,
    limit: 1_000,
    keep: 2,
    clock,
    onFailure: (error) => failures.push(error.message),
    onRecovered: (lost) => recoveries.push(lost),
    ...change,
  };
  const make = () => {
    const file = new RotatingFile(options);
    cleanup.defer(() => file.close());
    return file;
  };
  return { file: make(), make, clock, failures, recoveries, path: options.path };
}

async function read(file: RotatingFile): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of file.newestFirst()) lines.push(line);
  return lines;
}

describe('rotating file', () => {
  it('keeps the newest lines in files of bounded size and number, private, in order', async () => {
    const { file, path } = await setUp();
    const all = Array.from({ length: 300 }, (_, index) => `line ${index} ${'ü'.repeat(index % 7)}`);
    for (const [index, line] of all.entries()) {
      file.append(line);
      // Batches of every size, so that a rotation falls on each border.
      if (index % 5 === 0) await file.idle();
    }
    const lines = await read(file);
    expect(lines).toEqual(all.slice(-lines.length).reverse());
    expect(lines.length).toBeGreaterThan(50);
    const folder = join(path, '..');
    expect((await readdir(folder)).sort()).toEqual(['a.log', 'a.log.1', 'a.log.2']);
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name));
      expect(found.size).toBeLessThanOrEqual(1_000);
      expect(found.mode & 0o777).toBe(0o600);
    }
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('reads backwards over the borders of its blocks', async () => {
    const { file } = await setUp({ limit: 10_000_000 });
    const all = Array.from({ length: 400 }, (_, index) => `${index} ${'é'.repeat((index * 37) % 900)}`);
    all.push('x'.repeat(200_000), 'last');
    for (const line of all) file.append(line);
    expect(await read(file)).toEqual([...all].reverse());
  });

  it('goes on behind a line that a killed process left unfinished', async () => {
    const { file, make, path } = await setUp();
    file.append('one');
    await file.close();
    await appendFile(path, '{"torn');
    const next = make();
    next.append('two');
    expect(await read(next)).toEqual(['two', '{"torn', 'one']);
  });

  it('a full disk: tells it once, leaves no half line, tries again later and tells how many are missing', async () => {
    const mount = await mountSmall(cleanup, 64);
    const path = join(mount, 'a.log');
    const { file, clock, failures, recoveries } = await setUp({ path, limit: 1_000_000 });
    file.append('before');
    await file.idle();
    await fillDisk(mount);
    for (let index = 0; index < 40; index++) {
      file.append(`${index} ${'x'.repeat(500)}`);
      await file.idle();
    }
    expect(failures).toEqual([expect.stringMatching(/ENOSPC/)]);
    const kept = await read(file);
    expect(kept.at(-1)).toBe('before');
    // The page that was begun may take some lines still, whole ones.
    for (const line of kept.slice(0, -1)) expect(line).toMatch(/^\d+ x{500}$/);
    await rm(join(mount, 'filler'));
    file.append('too early');
    await file.idle();
    expect(recoveries).toEqual([]);
    clock.advance(DEADLINES.logRetry);
    file.append('after');
    await file.idle();
    expect(recoveries).toEqual([40 - (kept.length - 1) + 1]);
    expect((await readFile(path, 'utf8')).endsWith('\nafter\n')).toBe(true);
    expect(failures).toHaveLength(1);
  });

  it('a folder that cannot be made, and one that has become a file: told once each, no throw', async () => {
    const { file, clock, failures, recoveries, path } = await setUp();
    await writeFile(join(path, '..'), '');
    file.append('one');
    await file.idle();
    clock.advance(DEADLINES.logRetry);
    file.append('two');
    await file.idle();
    expect(failures).toHaveLength(1);
    await rm(join(path, '..'));
    clock.advance(DEADLINES.logRetry);
    file.append('three');
    await file.idle();
    expect(recoveries).toEqual([2]);
    expect(await read(file)).toEqual(['three']);
  });

  it('a disk that does not answer: lines wait up to a bound, further ones are counted', async () => {
    const { file, recoveries } = await setUp({ limit: 100_000_000 });
    const line = 'x'.repeat(100_000);
    const fits = Math.floor(LIMITS.logPending / (line.length + 1));
    for (let index = 0; index < fits + 5; index++) file.append(line);
    await file.idle();
    // The first batch left the queue before the others came, or not: either way nothing is uncounted.
    const kept = (await read(file)).length;
    expect(kept).toBeGreaterThanOrEqual(fits);
    expect(recoveries).toEqual([fits + 5 - kept]);
  });

  it('a file that somebody made unreadable does not stop the reader with a wrong answer', async () => {
    const { file, path } = await setUp();
    file.append('one');
    await file.close();
    await mkdir(`${path}.1`);
    await chmod(`${path}.1`, 0o700);
    await expect(read(file)).rejects.toThrow(/EISDIR/);
  });
});
