import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { environmentOf, listProcesses } from '../../../test/kit/processes.ts';
import { openProgram, programRequest } from '../../../test/kit/recording-sink.ts';
import { createHost } from '../index.ts';
import { TreeKiller } from './kill-tree.ts';
import { createProcessTable, type ProcessRecord, type ProcessTable } from './process-table.ts';

const cleanup = cleanupAfterEach();

function newHost() {
  const host = createHost({ bootId: 'boot', build: 'test' });
  cleanup.defer(() => host.shutdown());
  return host;
}

function marked(marker: string) {
  return listProcesses().filter((entry) => environmentOf(entry.pid)?.TUIC_SESSION === marker);
}

const TREE = `
  trap '' HUP
  setsid sh -c "trap '' HUP TERM; echo up; while :; do sleep 100; done" &
  sh -c "sleep 98762" &
  sh -c 'kill -STOP $$; sleep 98763' &
  (setsid sh -c 'sleep 98764 & echo up' &)
  sleep 0.2
  echo ready
  cat
`;

describe('kill-tree', () => {
  it.each(['close', 'kill'] as const)(
    'T19: %s ends the whole tree: own groups, HUP and TERM ignored, stopped, escaped',
    async (mode) => {
      const host = newHost();
      const request = programRequest('/bin/bash', ['-c', TREE]);
      const marker = request.env.TUIC_SESSION ?? '';
      const bystander = await openProgram(host, programRequest('/bin/cat'));
      const { id, sink } = await openProgram(host, request);
      await sink.untilText('ready');
      expect(marked(marker).length).toBeGreaterThanOrEqual(6);
      await host.kill(id, mode);
      expect(marked(marker)).toEqual([]);
      await sink.untilEnd();
      expect(sink.exitStatus?.code).toBeGreaterThan(128);
      await host.write(bystander.id, Buffer.from('untouched\r'));
      await bystander.sink.untilText('untouched\r\nuntouched');
    },
  );

  it('T19: sweeps what an ended session left behind', async () => {
    const host = newHost();
    const request = programRequest('/bin/sh', ['-c', "trap '' HUP; sleep 98765 & exit 0"]);
    const { id, sink } = await openProgram(host, request);
    await sink.untilExit();
    expect(marked(request.env.TUIC_SESSION ?? '')).toHaveLength(1);
    await host.kill(id, 'close');
    expect(marked(request.env.TUIC_SESSION ?? '')).toEqual([]);
  });

  it('a kill hurries a close that is under way', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(
      host,
      programRequest('/bin/sh', ['-c', "trap '' INT HUP TERM; echo ready; while :; do sleep 100; done"]),
    );
    await sink.untilText('ready');
    const closing = host.kill(id, 'close');
    await host.kill(id, 'kill');
    await closing;
    await sink.untilExit();
    expect(sink.exitStatus?.signal).toBe('SIGKILL');
  });

  it('a well-behaved program ends by the Ctrl-C and is not signalled', async () => {
    const host = newHost();
    const { id, sink } = await openProgram(
      host,
      programRequest('/bin/sh', ['-c', "trap 'exit 5' INT; echo ready; while :; do sleep 0.01; done"]),
    );
    await sink.untilText('ready');
    await host.kill(id, 'close');
    await sink.untilExit();
    expect(sink.exitStatus).toEqual({ code: 5, signal: null });
  });
});

describe('a program that may not be signalled', () => {
  it('loses its terminal, and the kill ends with its death', async () => {
    const clock = new ManualClock();
    const table: ProcessTable = { ...createProcessTable(), signal: () => 'refused' };
    const host = createHost({ bootId: 'boot', build: 'test', clock, processes: table });
    const { id, sink } = await openProgram(host, programRequest('/bin/sh', ['-c', 'echo ready; sleep 98766']));
    await sink.untilText('ready');
    const done = host.kill(id, 'kill');
    // The flush of the output may have armed a shorter timer.
    await eventually(
      'the wait for a death that does not come',
      () => clock.pendingTimers > 0 && clock.nextTimer === 2_000,
    );
    clock.advance(2_000);
    await done;
    await sink.untilEnd();
    expect(sink.exitStatus).toEqual({ code: 129, signal: 'SIGHUP' });
  });
});

/** A table that the test writes, and what was signalled. */
function fakeTable(
  records: ProcessRecord[],
  options: { marked?: number[]; immortal?: number[]; refused?: number[]; nestedHost?: number } = {},
) {
  let processes = records;
  const signals: string[] = [];
  const table: ProcessTable = {
    list: async () => [...processes],
    find: (pid) => processes.find((record) => record.pid === pid),
    hasVariable: (pid, name) =>
      name === 'TUIC_SESSION' ? (options.marked ?? []).includes(pid) : pid === options.nestedHost,
    signal(pid, signal) {
      if (options.refused?.includes(Math.abs(pid))) return 'refused';
      signals.push(`${signal} ${pid}`);
      if (signal !== 'SIGKILL' || options.immortal?.includes(pid)) return 'sent';
      processes = processes.filter((record) => record.pid !== pid);
      return 'sent';
    },
  };
  return {
    table,
    signals,
    replace: (next: ProcessRecord[]) => {
      processes = next;
    },
  };
}

function entry(pid: number, parent: number, session: number, startTime = 100): ProcessRecord {
  return { pid, parent, group: session, session, startTime };
}

async function run(clock: ManualClock, killer: TreeKiller): Promise<void> {
  let isDone = false;
  const done = killer.run().finally(() => (isDone = true));
  done.catch(() => undefined);
  while (!isDone) await clock.advanceAsync(20);
  return done;
}

const target = { root: 5000, rootStart: 100, marker: 'm', others: [], interrupt: () => {} };

describe('kill-tree rules', () => {
  it('T19: never signals a process that has the root’s number but another start time', async () => {
    const clock = new ManualClock();
    const { table, signals } = fakeTable([entry(5000, 1, 5000, 999)]);
    await run(clock, new TreeKiller(clock, table, target));
    expect(signals).toEqual([]);
  });

  it('T19: a number that is given out again during the grace time is not killed', async () => {
    const clock = new ManualClock();
    const { table, signals, replace } = fakeTable([entry(5000, 1, 5000)]);
    const killer = new TreeKiller(clock, table, target);
    const done = killer.run();
    await clock.advanceAsync(100);
    expect(signals).toEqual(['SIGHUP -5000', 'SIGCONT -5000']);
    replace([entry(5000, 1, 5000, 777)]);
    await clock.advanceAsync(20);
    await done;
    expect(signals).toHaveLength(2);
  });

  it('keeps to the grace times and adds what was born meanwhile', async () => {
    const clock = new ManualClock();
    const { table, signals, replace } = fakeTable([entry(5000, 1, 5000), entry(5001, 5000, 5000)]);
    const done = new TreeKiller(clock, table, target).run();
    await clock.advanceAsync(99);
    expect(signals).toEqual([]);
    await clock.advanceAsync(1);
    expect(signals).toEqual(['SIGHUP -5000', 'SIGCONT -5000']);
    // The root is gone; its child has started a session of its own, with a child.
    replace([entry(5001, 1, 5000), entry(5002, 5001, 5002), entry(5003, 1, 5002)]);
    await clock.advanceAsync(499);
    expect(signals).toHaveLength(2);
    await clock.advanceAsync(1);
    expect(signals.slice(2)).toEqual(['SIGTERM -5000', 'SIGTERM -5002', 'SIGCONT -5000', 'SIGCONT -5002']);
    await clock.advanceAsync(2_000);
    await clock.advanceAsync(20);
    await done;
    expect(signals.slice(6).sort()).toEqual(['SIGKILL 5001', 'SIGKILL 5002', 'SIGKILL 5003']);
  });

  it('spares this process, its parents, init and the trees of other sessions, whatever carries the mark', async () => {
    const clock = new ManualClock();
    const records = [
      entry(1, 0, 1),
      entry(process.ppid, 1, process.ppid),
      entry(process.pid, process.ppid, process.pid),
      entry(5000, process.pid, 5000),
      entry(6000, process.pid, 6000),
      entry(6001, 6000, 6001),
      entry(7000, 1, 7000),
    ];
    const all = records.map((record) => record.pid);
    const { table, signals } = fakeTable(records, { marked: all });
    const killer = new TreeKiller(clock, table, { ...target, others: [6000] });
    killer.hurry();
    await run(clock, killer);
    expect(signals.sort()).toEqual(['SIGKILL 5000', 'SIGKILL 7000']);
  });

  it('spares the pty host of another server that somebody runs in the session, and its terminals', async () => {
    const clock = new ManualClock();
    const records = [entry(5000, 1, 5000), entry(5001, 5000, 5001), entry(5002, 5001, 5002), entry(5003, 5000, 5000)];
    const { table, signals } = fakeTable(records, { nestedHost: 5001 });
    const killer = new TreeKiller(clock, table, target);
    killer.hurry();
    await run(clock, killer);
    expect(signals.sort()).toEqual(['SIGKILL 5000', 'SIGKILL 5003']);
  });

  it('T19: ends what carries the mark in a group of others one by one, and leaves the others in it alone', async () => {
    const clock = new ManualClock();
    const records = [
      entry(5000, 1, 5000),
      // A script outside that started 7001 with the mark, in its own group.
      entry(7000, 1, 7000),
      entry(7001, 7000, 7000),
    ];
    const { table, signals } = fakeTable(records, { marked: [7001] });
    await run(clock, new TreeKiller(clock, table, target));
    expect(signals.slice(0, 4)).toEqual(['SIGHUP 7001', 'SIGHUP -5000', 'SIGCONT 7001', 'SIGCONT -5000']);
    expect(signals.filter((each) => each.endsWith('7000'))).toEqual([]);
    expect(signals.slice(-2).sort()).toEqual(['SIGKILL 5000', 'SIGKILL 7001']);
  });

  it('signals the program itself where the system lists no processes', async () => {
    const clock = new ManualClock();
    let isAlive = true;
    const signals: string[] = [];
    const table: ProcessTable = {
      list: async () => [],
      find: (pid) => (pid === 5000 && isAlive ? entry(5000, 0, 5000, 0) : undefined),
      hasVariable: () => false,
      signal(pid, signal) {
        signals.push(`${signal} ${pid}`);
        if (signal === 'SIGTERM') isAlive = false;
        return 'sent';
      },
    };
    await run(clock, new TreeKiller(clock, table, { ...target, rootStart: 0 }));
    expect(signals).toEqual(['SIGHUP -5000', 'SIGCONT -5000', 'SIGTERM -5000']);
  });

  it('does not wait for what the system refuses to signal, and reports what cannot die', async () => {
    const clock = new ManualClock();
    const refused = fakeTable([entry(5000, 1, 5000), entry(5001, 5000, 5000)], { refused: [5001] });
    const first = new TreeKiller(clock, refused.table, target);
    first.hurry();
    await run(clock, first);
    expect(refused.signals).toEqual(['SIGKILL 5000']);

    const stuck = fakeTable([entry(5000, 1, 5000)], { immortal: [5000] });
    const second = new TreeKiller(clock, stuck.table, target);
    second.hurry();
    await expect(run(clock, second)).rejects.toMatchObject({ code: 'kill_failed', data: { count: 1 } });
  });
});
