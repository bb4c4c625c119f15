import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import {
  CAPTURE_HEADER,
  CAPTURE_RECORD_HEADER,
  decodeCapture,
  decodeRawCapture,
  LIMITS,
} from '../../contract/index.ts';
import { createCaptureService, replayCapture } from './index.ts';

const cleanup = cleanupAfterEach();

async function setUp(within?: string) {
  const directory = join(within ?? (await cleanup.temporaryDirectory('tuic-cap-')), 'captures');
  const clock = new ManualClock();
  const told: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void told.push(fields) };
  const capture = createCaptureService({ directory, clock, log });
  cleanup.defer(() => capture.close());
  const read = async (session: string) => decodeCapture(await readFile(join(directory, `${session}.tcap`)));
  const say = (session: string, text: string) => capture.output(session, Buffer.from(text));
  return { capture, clock, directory, read, say, told };
}

const texts = ({ records }: { records: { bytes: Uint8Array }[] }) =>
  records.map(({ bytes }) => Buffer.from(bytes).toString());

describe('capture', () => {
  it('FIX-1: is off, records one session, keeps direction, times and boundaries, and stops', async () => {
    const { capture, clock, directory, read, say } = await setUp();
    expect(capture.status()).toEqual({ enabled: false, session_id: null, directory, sessions: {}, ended: {} });
    say('a', 'before');
    await capture.change({ enabled: true, session_id: 'a' });
    const bytes = Buffer.from('one');
    capture.output('a', bytes);
    // The engine changes them afterwards.
    bytes.fill(0);
    clock.advance(1.5);
    capture.input('a', Buffer.from('two'));
    say('b', 'of another session');
    say('a', '');
    const stopped = await capture.change({ enabled: false });
    say('a', 'after');
    expect(stopped).toEqual({
      enabled: false,
      session_id: null,
      directory,
      sessions: { a: CAPTURE_HEADER + 2 * (CAPTURE_RECORD_HEADER + 3) },
      ended: {},
    });
    const { records, trailing } = await read('a');
    expect(records.map((record) => ({ ...record, bytes: Buffer.from(record.bytes).toString() }))).toEqual([
      { direction: 'output', microseconds: 0, bytes: 'one' },
      { direction: 'input', microseconds: 1_500, bytes: 'two' },
    ]);
    expect(trailing).toBe(0);
    expect(await readdir(directory)).toEqual(['a.tcap']);
    expect((await stat(join(directory, 'a.tcap'))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('FIX-1: records all sessions without an id, and a new start has fresh files', async () => {
    const { capture, read, say } = await setUp();
    await capture.change({ enabled: true });
    say('a', 'old a');
    say('b', 'old b');
    // Not waited for: the second start follows the first one's writes.
    const restarted = capture.change({ enabled: true });
    say('a', 'between');
    expect((await restarted).sessions).toEqual({});
    say('a', 'new a');
    expect(capture.status()).toMatchObject({ enabled: true, session_id: null });
    await capture.change({ enabled: false });
    expect(texts(await read('a'))).toEqual(['new a']);
    expect(texts(await read('b'))).toEqual(['old b']);
  });

  it('FIX-1: ends at 512 KiB before a record that does not fit, and says so once', async () => {
    const { capture, read, told } = await setUp();
    await capture.change({ enabled: true });
    const block = Buffer.alloc(10_000, 'x');
    for (let index = 0; index < 60; index++) capture.output('a', block);
    // Would still fit, but it came after what is missing.
    capture.output('a', Buffer.from('small'));
    capture.output('b', Buffer.alloc(LIMITS.captureFile - CAPTURE_HEADER - CAPTURE_RECORD_HEADER, 'y'));
    const { sessions, ended } = await capture.change({ enabled: false });
    const fits = Math.floor((LIMITS.captureFile - CAPTURE_HEADER) / (CAPTURE_RECORD_HEADER + block.length));
    expect(sessions).toEqual({ a: CAPTURE_HEADER + fits * (CAPTURE_RECORD_HEADER + 10_000), b: LIMITS.captureFile });
    expect(ended).toEqual({ a: 'full' });
    expect((await read('a')).records).toHaveLength(fits);
    expect((await read('b')).records).toHaveLength(1);
    expect(told).toMatchObject([{ session: 'a', reason: 'full', audience: 'user' }]);
  });

  it('ends before a gap: no file has a hole', async () => {
    const { capture, read, say } = await setUp();
    await capture.change({ enabled: true });
    capture.gap('a');
    say('a', 'whole');
    capture.gap('a');
    say('a', 'behind the gap');
    expect((await capture.change({ enabled: false })).ended).toEqual({ a: 'gap' });
    expect(texts(await read('a'))).toEqual(['whole']);
  });

  it('P1: a full disk ends the recording with whole records, is told once, and the next start works', async () => {
    const mount = await mountSmall(cleanup, 128);
    const { capture, read, told, directory } = await setUp(mount);
    await capture.change({ enabled: true });
    capture.output('a', Buffer.from('first'));
    await fillDisk(mount);
    for (let index = 0; index < 50; index++) {
      capture.output('a', Buffer.alloc(3_000, 65 + (index % 26)));
      await new Promise((next) => setImmediate(next));
    }
    const { sessions, ended } = await capture.change({ enabled: false });
    expect(ended).toEqual({ a: 'write_failed' });
    expect(told).toMatchObject([{ reason: 'write_failed', detail: expect.stringMatching(/ENOSPC/) }]);
    expect(sessions.a).toBe((await stat(join(directory, 'a.tcap'))).size);
    const { records, trailing } = await read('a');
    expect(trailing).toBe(0);
    expect(records.slice(1).every(({ bytes }, index) => bytes.every((byte) => byte === 65 + (index % 26)))).toBe(true);
    await rm(join(mount, 'filler'));
    await capture.change({ enabled: true });
    capture.output('a', Buffer.from('again'));
    expect((await capture.change({ enabled: false })).ended).toEqual({});
    expect(texts(await read('a'))).toEqual(['again']);
  });

  it('refuses a folder that cannot be made, and writes through no link', async () => {
    const { capture, directory, told, say } = await setUp();
    await writeFile(directory, '');
    await expect(capture.change({ enabled: true })).rejects.toMatchObject({ code: 'storage_failed' });
    expect(capture.status().enabled).toBe(false);
    await rm(directory);
    await mkdir(directory);
    const victim = join(directory, '..', 'victim');
    await writeFile(victim, 'kept');
    await symlink(victim, join(directory, 'a.tcap'));
    await capture.change({ enabled: true });
    say('a', 'x');
    expect((await capture.change({ enabled: false })).ended).toEqual({ a: 'write_failed' });
    expect(told).toHaveLength(1);
    expect(await readFile(victim, 'utf8')).toBe('kept');
  });

  it('records a bounded number of sessions and says which it does not', async () => {
    const { capture, directory, told, say } = await setUp();
    await capture.change({ enabled: true });
    for (let index = 0; index < LIMITS.captureSessions; index++) say(`s${index}`, 'x');
    say('one-more', 'x');
    say('one-more', 'x');
    const { ended } = await capture.change({ enabled: false });
    expect(ended).toEqual({ 'one-more': 'too_many' });
    expect(told).toHaveLength(1);
    expect(await readdir(directory)).toHaveLength(LIMITS.captureSessions);
  });
});

describe('replay', () => {
  it.each(['vim.bin', 'htop.bin', 'colours.bin'])(
    'shows %s the same, however it was cut into records',
    async (name) => {
      const bytes = await readFile(join(import.meta.dirname, '../../../test/fixtures/streams', name));
      const size = { rows: 30, cols: 100 };
      const whole = replayCapture(decodeRawCapture(bytes), size);
      expect(whole.screen.join('').trim().length).toBeGreaterThan(20);
      const { capture, read } = await setUp();
      await capture.change({ enabled: true });
      for (let at = 0; at < bytes.length; at += 1_777) {
        capture.output('a', bytes.subarray(at, at + 1_777));
        capture.input('a', Buffer.from('typed, and not shown by itself'));
      }
      await capture.change({ enabled: false });
      const played = await read('a');
      expect(replayCapture(played, size)).toEqual(whole);
      // Playing changes nothing of what was read.
      expect(
        Buffer.concat(played.records.filter(({ direction }) => direction === 'output').map((r) => r.bytes)),
      ).toEqual(bytes);
    },
  );

  it('gives the lines that have scrolled off', () => {
    const bytes = Buffer.from(Array.from({ length: 10 }, (_, line) => `line ${line}`).join('\r\n'));
    const { lines, screen } = replayCapture(decodeRawCapture(bytes), { rows: 4, cols: 20 });
    expect(lines).toEqual(Array.from({ length: 6 }, (_, line) => `line ${line}`));
    expect(screen).toEqual(['line 6', 'line 7', 'line 8', 'line 9']);
  });
});
