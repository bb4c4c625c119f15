import { describe, expect, it } from 'vitest';
import { processEntry as entry, FakeProcesses } from '../../../test/kit/fake-processes.ts';
import { ManualClock, settle } from '../../../test/kit/manual-clock.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';
import type { ProcessRoot } from '../sessions/index.ts';
import { createProcessMonitor } from './index.ts';

function setUp() {
  const clock = new ManualClock();
  const processes = new FakeProcesses();
  processes.entries = [
    entry(50, 1, { name: 'node', residentBytes: 100 * 1_048_576 }),
    entry(60, 1, { residentBytes: 20 * 1_048_576 }),
    entry(100, 60, { name: 'bash', session: 100, foregroundGroup: 101 }),
    entry(101, 100, { name: 'cargo', session: 100, foregroundGroup: 101, state: 'R' }),
    entry(300, 1, { name: 'stranger' }),
  ];
  const roots: ProcessRoot[] = [
    { sessionId: 'session-a-long-id', mark: 'mark-a', name: 'api', label: 'the api', pid: 100 },
  ];
  const warnings: string[] = [];
  const monitor = createProcessMonitor({
    inspector: processes,
    clock,
    serverPid: 50,
    ownMemory: () => 5 * 1_048_576,
    hostPid: () => 60,
    roots: () => roots,
    log: { warn: (_fields, message) => warnings.push(message) },
  });
  /** Answers of a monitor that has to take its first samples. */
  const first = async <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = ask();
    answer.catch(() => undefined);
    await clock.advanceAsync(DEADLINES.processFirst);
    return answer;
  };
  const sample = () => clock.advanceAsync(DEADLINES.processSample);
  return { clock, processes, roots, monitor, warnings, first, sample };
}

const codeOf = (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error));

describe('http.md 7: process statistics', () => {
  it('lists the server first, then the host, then each session as a tree', async () => {
    const { monitor, processes, first } = setUp();
    processes.commands.set(101, ['cargo', 'test', '--', '\u001b[2J']);
    const rows = await first(() => monitor.stats());
    expect(rows.map(({ name, pid, session_id, kind }) => [name, pid, session_id, kind])).toEqual([
      ['TUICommander', 50, null, 'server'],
      ['Terminal host', 60, null, 'host'],
      ['api', 100, 'session-a-long-id', 'session'],
      ['cargo', 101, 'session-a-long-id', 'process'],
    ]);
    expect(rows[3]).toEqual({
      session_id: 'session-a-long-id',
      name: 'cargo',
      pid: 101,
      rss_kb: 1_024,
      cpu_pct: 0,
      kind: 'process',
      parent_pid: 100,
      program: 'cargo',
      command: 'cargo test -- \ufffd[2J',
      start_ticks: 1_010,
      age_secs: 989,
      state: 'R',
      is_foreground: true,
    });
    expect(rows[2]).toMatchObject({ program: 'bash', command: '[bash]', is_foreground: false });
  });

  it('CPU is a share of one processor since the sample before, the first of two quick looks', async () => {
    const { monitor, processes, clock, sample } = setUp();
    const answer = monitor.stats();
    await clock.timerArmed();
    // 20 ticks of 10 ms in 250 ms.
    processes.change(101, { cpuTicks: 20 });
    await clock.advanceAsync(DEADLINES.processFirst);
    expect((await answer).map(({ cpu_pct }) => cpu_pct)).toEqual([0, 0, 0, 80]);
    // Three seconds on two processors, and one that began two seconds ago and used one of them.
    processes.change(101, { cpuTicks: 20 + 600 });
    processes.entries?.push(entry(102, 101, { session: 100, cpuTicks: 100, startTicks: 100_000 - 200 }));
    await sample();
    expect((await monitor.stats()).map(({ pid, cpu_pct }) => [pid, cpu_pct])).toEqual([
      [50, 0],
      [60, 0],
      [100, 0],
      [101, 200],
      [102, 50],
    ]);
  });

  it('samples only while somebody looks, all viewers share them, and a new look compares with nothing old', async () => {
    const { monitor, processes, clock, first } = setUp();
    expect(clock.pendingTimers).toBe(0);
    await Promise.all([first(() => monitor.stats()), monitor.stats(), monitor.history(0)]);
    expect(processes.looks).toBe(2);
    await clock.advanceAsync(10_000);
    await monitor.stats();
    expect(processes.looks).toBe(5);
    await clock.advanceAsync(60_000);
    expect(clock.pendingTimers).toBe(0);
    const looks = processes.looks;
    await clock.advanceAsync(600_000);
    expect(processes.looks).toBe(looks);
    processes.change(101, { cpuTicks: 30_000 });
    const rows = await first(() => monitor.stats());
    expect(rows.at(-1)?.cpu_pct).toBe(0);
    // What is older than a quarter of an hour is gone, the rest shows the pause.
    const { samples } = await monitor.history(0);
    const agos = samples.map(({ ago_ms }) => ago_ms);
    expect(agos.at(-1)).toBe(0);
    expect(Math.min(...agos.slice(0, -1))).toBeGreaterThan(500_000);
    monitor.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps a bounded history that a reader follows by id, in time that nobody sets', async () => {
    const { monitor, clock, roots, first, sample } = setUp();
    await first(() => monitor.stats());
    for (let count = 0; count < LIMITS.processHistory + 20; count++) {
      await sample();
      await monitor.stats();
    }
    clock.jump(-86_400_000);
    const all = await monitor.history(0);
    expect(all.samples).toHaveLength(LIMITS.processHistory);
    expect(all.newest_id).toBe(LIMITS.processHistory + 21);
    expect(all.samples.at(-1)).toEqual({
      id: all.newest_id,
      ago_ms: 0,
      process_count: 4,
      total: { cpu_pct: 0, rss_kb: 122 * 1_024 },
      server: { cpu_pct: 0, rss_kb: 100 * 1_024 },
      host: { cpu_pct: 0, rss_kb: 20 * 1_024 },
      sessions: { 'session-a-long-id': { cpu_pct: 0, rss_kb: 2_048 } },
    });
    expect(all.names).toEqual({ 'session-a-long-id': 'the api' });
    expect(all.machine).toEqual({ cores: 2, memory_kb: 8_388_608, memory_used_kb: 1_048_576, cpu_pct: 0 });
    expect((await monitor.history(all.newest_id - 2)).samples.map(({ id }) => id)).toEqual([
      all.newest_id - 1,
      all.newest_id,
    ]);
    // A session that ended keeps its place and its name.
    roots.length = 0;
    await sample();
    const later = await monitor.history(0);
    expect(later.samples.at(-1)?.sessions).toEqual({});
    expect(later.names).toEqual({ 'session-a-long-id': 'the api' });
  });

  it('keeps a process that left its parent and its terminal, and asks each stranger once', async () => {
    const { monitor, processes, first, sample } = setUp();
    processes.entries?.push(entry(500, 1), entry(501, 500));
    processes.marks.set(500, 'mark-a');
    const rows = await first(() => monitor.stats());
    expect(rows.filter(({ session_id }) => session_id !== null).map(({ pid }) => pid)).toEqual([100, 101, 500, 501]);
    expect(processes.asked.filter((pid) => pid === 300)).toEqual([300]);
    // Seen in its session, it stays there when all that tied it to it is gone.
    processes.change(101, { parent: 1, session: 101 });
    await sample();
    expect((await monitor.stats()).find(({ pid }) => pid === 101)?.session_id).toBe('session-a-long-id');
    // The number alone is not the process.
    processes.change(101, { startTicks: 99_999 });
    await sample();
    expect((await monitor.stats()).find(({ pid }) => pid === 101)).toBeUndefined();
  });

  it('a fork bomb fills neither the answer nor hides itself', async () => {
    const { monitor, processes, first } = setUp();
    for (let pid = 10_000; pid < 10_000 + LIMITS.processRows + 500; pid++) {
      processes.entries?.push(entry(pid, 101, { session: 100 }));
    }
    expect(await first(() => monitor.stats())).toHaveLength(LIMITS.processRows);
    const { samples } = await monitor.history(0);
    expect(samples.at(-1)?.process_count).toBe(LIMITS.processRows + 504);
    expect(samples.at(-1)?.sessions['session-a-long-id']?.rss_kb).toBe((LIMITS.processRows + 502) * 1_024);
  });

  it('D16: where the kernel cannot be asked there is a list all the same, with 0', async () => {
    const { monitor, processes, first } = setUp();
    processes.entries = null;
    processes.machineState = null;
    const rows = await first(() => monitor.stats());
    expect(rows.map(({ name, pid, rss_kb, cpu_pct }) => [name, pid, rss_kb, cpu_pct])).toEqual([
      ['TUICommander', 50, 5_120, 0],
      ['Terminal host', 60, 0, 0],
      ['api', 100, 0, 0],
    ]);
    expect((await monitor.history(0)).machine).toBeNull();
    await expect(monitor.kill({ pid: 101, start_ticks: 1_010, mode: 'end' })).rejects.toThrow(/Close the session/);
  });

  it('a look that fails is told, and the next one counts', async () => {
    const { monitor, processes, warnings, first, sample, clock } = setUp();
    processes.beforeLook = async () => {
      throw new Error('no descriptors left');
    };
    await expect(first(() => monitor.stats())).rejects.toThrow('no descriptors left');
    expect(clock.pendingTimers).toBe(0);
    processes.beforeLook = async () => {};
    await first(() => monitor.stats());
    processes.beforeLook = async () => {
      throw new Error('no descriptors left');
    };
    await sample();
    expect(warnings).toEqual(['the processes could not be looked at']);
    processes.beforeLook = async () => {};
    await sample();
    expect((await monitor.history(0)).newest_id).toBe(2);
  });

  it('a slow look is not overtaken by the next', async () => {
    const { monitor, processes, first, sample } = setUp();
    await first(() => monitor.stats());
    let release = () => {};
    processes.beforeLook = () => new Promise((resolve) => (release = resolve));
    const before = processes.looks;
    await sample();
    await sample();
    await sample();
    expect(processes.looks).toBe(before + 1);
    processes.beforeLook = async () => {};
    release();
    await settle();
    expect((await monitor.history(0)).newest_id).toBe(2);
  });
});

describe('ending a process', () => {
  const ask = { pid: 101, start_ticks: 1_010, mode: 'end' as const };

  it('asks or kills a process of a session, whether or not anybody looked before', async () => {
    const { monitor, processes } = setUp();
    expect(await monitor.kill(ask)).toEqual({ ok: true, session_id: 'session-a-long-id', program: 'cargo' });
    await monitor.kill({ ...ask, mode: 'kill' });
    await monitor.kill({ pid: 100, start_ticks: 1_000, mode: 'kill' });
    expect(processes.signals).toEqual(['SIGTERM 101', 'SIGKILL 101', 'SIGKILL 100']);
  });

  it('never hits the server, the host, a stranger, or who got the number later', async () => {
    const { monitor, processes } = setUp();
    const refusals: string[] = [];
    for (const [pid, start_ticks] of [
      [50, 500],
      [60, 600],
      [300, 3_000],
      [101, 1_011],
      [999, 9_990],
    ] as const) {
      await monitor.kill({ pid, start_ticks, mode: 'kill' }).catch((error: unknown) => refusals.push(codeOf(error)));
    }
    const notOurs = 'forbidden: Refused: only processes of a session can be ended here';
    const ended = (pid: number) => `not_found: Not found: process ${pid}; it has ended. Look at the list again`;
    expect(refusals).toEqual([notOurs, notOurs, notOurs, ended(101), ended(999)]);
    expect(processes.signals).toEqual([]);
  });

  it('looks again right before the signal, and says whose it is when the system refuses', async () => {
    const { monitor, processes } = setUp();
    const get = processes.get.bind(processes);
    processes.get = async (pid) => {
      processes.change(pid, { startTicks: 7 });
      return get(pid);
    };
    await expect(monitor.kill(ask)).rejects.toThrow(/has ended/);
    expect(processes.signals).toEqual([]);
    const other = setUp();
    other.processes.refused.add(101);
    await expect(other.monitor.kill(ask)).rejects.toThrow(/runs as another user/);
    other.processes.change(101, { state: 'Z' });
    await expect(other.monitor.kill(ask)).rejects.toThrow(/has ended/);
  });
});
