import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { type AccessEntry, DEADLINES, LIMITS, type LogInput } from '../../contract/index.ts';
import { ApplicationLog, createAccessLog } from './index.ts';

const cleanup = cleanupAfterEach();
const all = { limit: 0 };
const input = (message: string, change: Partial<LogInput> = {}): LogInput => ({
  level: 'info',
  source: 'test',
  message,
  audience: 'diagnostic',
  ...change,
});

describe('application log', () => {
  it('numbers its entries, filters after the limit, and follows by id', () => {
    const clock = new ManualClock();
    const log = new ApplicationLog(clock);
    log.add(input('a', { level: 'error', source: 'x' }));
    log.add(input('b', { audience: 'user', data_json: '{"n":1}' }));
    log.add(input('c'));
    expect(log.list(all)).toEqual([
      { id: 1, timestamp_ms: clock.now(), level: 'error', source: 'x', message: 'a', audience: 'diagnostic' },
      {
        id: 2,
        timestamp_ms: clock.now(),
        level: 'info',
        source: 'test',
        message: 'b',
        data_json: '{"n":1}',
        audience: 'user',
      },
      { id: 3, timestamp_ms: clock.now(), level: 'info', source: 'test', message: 'c', audience: 'diagnostic' },
    ]);
    const messages = (query: Parameters<typeof log.list>[0]) => log.list(query).map(({ message }) => message);
    expect(messages({ limit: 2 })).toEqual(['b', 'c']);
    // "a" is the only error, and not among the newest two.
    expect(messages({ limit: 2, level: 'error' })).toEqual([]);
    expect(messages({ ...all, level: 'error' })).toEqual(['a']);
    expect(messages({ ...all, source: 'x' })).toEqual(['a']);
    expect(messages({ ...all, audience: 'user' })).toEqual(['b']);
    expect(messages({ ...all, after: 2 })).toEqual(['c']);
    log.clear();
    expect(log.list(all)).toEqual([]);
    log.add(input('d'));
    expect(log.list({ ...all, after: 3 }).map(({ id }) => id)).toEqual([4]);
  });

  it('counts a repetition of the newest entry instead of keeping it', () => {
    const log = new ApplicationLog(new ManualClock());
    for (const message of ['a', 'a', 'a', 'b', 'a']) log.add(input(message));
    log.add(input('a', { data_json: '{}' }));
    expect(log.list(all).map(({ id, message, repeat_count }) => [id, message, repeat_count])).toEqual([
      [1, 'a', 2],
      [2, 'b', undefined],
      [3, 'a', undefined],
      [4, 'a', undefined],
    ]);
  });

  it('keeps a bounded number of entries and a bounded amount of text', () => {
    const log = new ApplicationLog(new ManualClock());
    for (let index = 0; index < LIMITS.logRing + 7; index++) log.add(input(`${index}`));
    expect(log.list(all)).toHaveLength(LIMITS.logRing);
    expect(log.list(all)[0]?.message).toBe('7');
    const data = 'x'.repeat(LIMITS.logData);
    for (let index = 0; index < 40; index++) log.add(input(`large ${index}`, { data_json: data }));
    const text = log.list(all).reduce((sum, { message, source, data_json = '' }) => {
      return sum + message.length + source.length + data_json.length;
    }, 0);
    expect(text).toBeLessThanOrEqual(LIMITS.logRingText);
    expect(log.list(all).at(-1)?.message).toBe('large 39');
  });

  it('takes the lines of the server with their level, source and particulars', () => {
    const log = new ApplicationLog(new ManualClock());
    const time = '2026-01-02T03:04:05.000Z';
    log.addLine(JSON.stringify({ level: 40, time, msg: 'slow', session: 's', count: 2 }));
    log.addLine(JSON.stringify({ level: 60, time, msg: 'over', source: 'host', audience: 'user' }));
    log.addLine(JSON.stringify({ level: 20, msg: 'small' }));
    expect(log.list(all)).toMatchObject([
      {
        level: 'warn',
        source: 'server',
        message: 'slow',
        timestamp_ms: Date.parse(time),
        data_json: '{"session":"s","count":2}',
        audience: 'diagnostic',
      },
      { level: 'error', source: 'host', audience: 'user' },
      { level: 'debug' },
    ]);
  });

  it('X10: takes secrets out of what clients send', () => {
    const log = new ApplicationLog(new ManualClock());
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ';
    log.add(input(`GET /events?ticket=${secret}`, { data_json: `{"token":"${secret}","a":"Bearer ${secret}"}` }));
    expect(JSON.stringify(log.list(all))).not.toContain(secret);
  });
});

describe('access log', () => {
  it('gives the newest entries that match, newest last, and passes over damaged lines', async () => {
    const directory = await cleanup.temporaryDirectory();
    const log = { warn: () => undefined, error: () => undefined };
    const access = createAccessLog({ directory, clock: new ManualClock(), log, fileLimit: 500 });
    cleanup.defer(() => access.close());
    const entry = (time_ms: number, change: Partial<AccessEntry> = {}): AccessEntry => ({
      time_ms,
      listener: 'local',
      client: 'me',
      credential: 'bearer',
      method: 'POST',
      route: '/sessions',
      status: 201,
      duration_ms: 1,
      ...change,
    });
    expect(await access.read({ limit: 200 })).toEqual([]);
    for (let time = 1; time <= 9; time++) access.record(entry(time, time % 2 === 0 ? { session_id: 'even' } : {}));
    const times = async (query: Parameters<typeof access.read>[0]) =>
      (await access.read(query)).map(({ time_ms }) => time_ms);
    expect(await times({ limit: 200 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await times({ limit: 3 })).toEqual([7, 8, 9]);
    expect(await times({ limit: 200, since: 8 })).toEqual([8, 9]);
    expect(await times({ limit: 2, session_id: 'even' })).toEqual([6, 8]);
    await appendFile(join(directory, 'access.log'), '{"time_ms":"no"}\nnonsense\n');
    access.record(entry(10));
    expect(await access.read({ limit: 2 })).toEqual([entry(9), entry(10)]);
  });

  it('P1: a clock that is set back loses nothing: the order is that of the writes, and a disk is tried again in its time', async () => {
    const directory = await cleanup.temporaryDirectory();
    const clock = new ManualClock(1_700_000_000_000);
    const told: string[] = [];
    const note = (_fields: object, message: string) => told.push(message);
    const logs = join(directory, 'logs');
    // A file where the folder should be: nothing can be written.
    await writeFile(logs, '');
    const access = createAccessLog({ directory: logs, clock, log: { warn: note, error: note } });
    cleanup.defer(() => access.close());
    const record = (route: string) =>
      access.record({
        time_ms: clock.now(),
        listener: 'ipc',
        client: 'me',
        credential: 'ipc',
        method: 'POST',
        route,
        status: 200,
        duration_ms: 1,
      });
    record('/lost');
    await access.read({ limit: 1 }).catch(() => undefined);
    expect(told).toEqual([expect.stringContaining('cannot be written')]);
    await rm(logs);
    clock.jump(-86_400_000);
    record('/lost-too');
    clock.advance(DEADLINES.logRetry);
    record('/first');
    clock.jump(86_400_000);
    record('/second');
    clock.jump(-3_600_000);
    record('/third');
    const entries = await access.read({ limit: 10 });
    expect(entries.map(({ route }) => route)).toEqual(['/first', '/second', '/third']);
    expect(told.at(-1)).toContain('is written again');
    // What came after the jump back is not hidden by older entries with a later time.
    const [first, second] = entries;
    expect((await access.read({ limit: 10, since: first?.time_ms ?? 0 })).map(({ route }) => route)).toEqual([
      '/first',
      '/second',
      '/third',
    ]);
    expect((await access.read({ limit: 10, since: second?.time_ms ?? 0 })).map(({ route }) => route)).toEqual([
      '/second',
    ]);
  });
});
