import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../test/kit/cleanup.ts';
import { type CommandLine, prepareCommandLine, type Script } from '../../test/kit/command-line.ts';
import { type AccessEntry, EXIT_CODES, type LogEntry } from '../contract/index.ts';

const cleanup = cleanupAfterEach();

async function withServer(script: Script): Promise<CommandLine> {
  const tuic = await prepareCommandLine(cleanup);
  await tuic.serve(script);
  return tuic;
}

const entry = (id: number, change: Partial<LogEntry> = {}): LogEntry => ({
  id,
  timestamp_ms: 0,
  level: 'info',
  source: 'server',
  message: `message ${id}`,
  audience: 'diagnostic',
  ...change,
});
const write = (time_ms: number, change: Partial<AccessEntry> = {}): AccessEntry => ({
  time_ms,
  listener: 'local',
  client: 'me',
  credential: 'bearer',
  method: 'POST',
  route: '/sessions',
  status: 201,
  duration_ms: 1.4,
  ...change,
});
const withoutTime = (tuic: CommandLine) => tuic.lines.map((line) => line.replace(/^\S+ \S+ {2}/, ''));

/** Runs a verb that would go on for ever, until it has asked this often. */
async function runFor(tuic: CommandLine, questions: number, args: readonly string[]): Promise<void> {
  let left = questions;
  const wait = async () => {
    if (--left === 0) throw new Error('enough');
  };
  await expect(tuic.run(args, { wait })).rejects.toThrow('enough');
}

describe('tuic logs', () => {
  it('X10: prints the newest of a level and worse, with their particulars and without control characters', async () => {
    const entries = [
      entry(1, { level: 'warn' }),
      entry(2),
      entry(3, { level: 'error', message: 'evil\x1b[2J', data_json: '{"port":1,"why":"a\\u001bb"}', repeat_count: 2 }),
    ];
    const tuic = await withServer({ 'GET /logs': { body: entries }, 'GET /logs?source=x': { body: [] } });
    expect(await tuic.run(['logs', '--level', 'warn'])).toBe(0);
    expect(withoutTime(tuic)).toEqual([
      'warn   server  message 1',
      'error  server  evil\ufffd[2J  (repeated 2 times)  port=1  why=a\ufffdb',
    ]);
    await tuic.run(['logs', '-n', '1', '--json']);
    expect(tuic.jsonLines).toEqual([entries[2]]);
    expect(await tuic.run(['logs', '--source', 'x'])).toBe(0);
    expect(tuic.output).toBe('');
    expect(await tuic.run(['logs', '--level', 'loud'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('warn');
  });

  it('P1: follows by id, shows repetitions, and begins anew with another server', async () => {
    let pid = 1;
    const tuic = await withServer({
      'GET /health': () => ({ body: { pid } }),
      'GET /logs': () => ({ body: pid === 1 ? [entry(6), entry(7)] : [entry(1, { message: 'of another server' })] }),
      'GET /logs?after=6': () => ({ body: [entry(7, { repeat_count: 1 }), entry(8)] }),
      'GET /logs?after=7': () => {
        pid = 2;
        return { body: [entry(8)] };
      },
      'GET /logs?after=0': { body: [entry(1, { message: 'of another server' })] },
    });
    await runFor(tuic, 5, ['logs', '-f', '-n', '1']);
    expect(withoutTime(tuic)).toEqual([
      'info   server  message 7',
      'info   server  message 7  (repeated 1 time)',
      'info   server  message 8',
      'info   server  of another server',
    ]);
  });
});

describe('tuic logs access', () => {
  it('prints who changed what', async () => {
    const entries = [
      write(1, { session_id: 'one' }),
      write(2, { listener: 'remote', client: '10.0.0.9', status: 401 }),
    ];
    const tuic = await withServer({ 'GET /logs/access?limit=50': { body: entries } });
    expect(await tuic.run(['logs', 'access'])).toBe(0);
    expect(withoutTime(tuic)).toEqual([
      'local   201  POST    /sessions  1 ms  me (bearer)  one',
      'remote  401  POST    /sessions  1 ms  10.0.0.9 (bearer)',
    ]);
    expect(await tuic.run(['logs', 'access', '--since', 'yesterday'])).toBe(EXIT_CODES.usage);
    expect(tuic.errors).toContain('15m');
  });

  it('P1: follows equal writes and a clock that was set back', async () => {
    const rounds = [
      [write(5), write(5)],
      [write(5), write(5), write(5)],
      [write(5), write(5), write(5), write(1)],
    ];
    let round = 0;
    const tuic = await withServer({
      'GET /health': { body: { pid: 1 } },
      'GET /logs/access?limit=1000': () => ({ body: rounds[Math.min(round++, 2)] }),
    });
    await runFor(tuic, 4, ['logs', 'access', '-f', '-n', '0', '--json']);
    expect(tuic.jsonLines).toEqual([write(5), write(1)]);
  });
});
