import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { createLogFile } from './log-file.ts';

const cleanup = cleanupAfterEach();

describe('log of the host', () => {
  it('writes lines for its owner and starts anew above 1 MiB', async () => {
    const path = join(await cleanup.temporaryDirectory(), 'host.log');
    const log = createLogFile(path, new ManualClock(0));
    log('hello');
    expect(readFileSync(path, 'utf8')).toBe(`1970-01-01T00:00:00.000Z ${process.pid} hello\n`);
    expect(statSync(path).mode & 0o077).toBe(0);
    writeFileSync(path, 'x'.repeat(1_048_577));
    log('again');
    expect(readFileSync(path, 'utf8')).toContain('again');
    expect(statSync(path).size).toBeLessThan(100);
    expect(statSync(`${path}.1`).size).toBe(1_048_577);
  });

  it('loses a line, nothing else, on a full disk or without its folder', async () => {
    const clock = new ManualClock();
    createLogFile('/dev/full', clock)('lost');
    createLogFile(join(await cleanup.temporaryDirectory(), 'gone', 'host.log'), clock)('lost');
  });
});
