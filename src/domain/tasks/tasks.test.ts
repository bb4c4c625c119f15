import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../../test/kit/session-info.ts';
import { Bus } from '../../base/index.ts';
import { AppError, type AppEvent, DEADLINES, type SessionInfo, type SessionState } from '../../contract/index.ts';
import { type Database, openDatabase } from '../../platform/database/index.ts';
import { claimsOf, ownerOf } from '../peers/index.ts';
import { createTaskService, followTasks, type TaskService, taskMigrations } from './index.ts';

const ONE = '11111111-2222-4333-8444-555555555555';
const TWO = '22222222-2222-4333-8444-555555555555';

let clock: ManualClock;
let database: Database;
let tasks: TaskService;
let bus: Bus<AppEvent>;
let infos: SessionInfo[];
let following: { dispose(): void };
let number = 0;

function start(): void {
  bus = new Bus();
  tasks = createTaskService({ database, clock, ids: { uuid: () => `task-${++number}` } });
  following = followTasks({
    bus,
    clock,
    tasks,
    sessions: { list: () => infos, settled: Promise.resolve() },
    log: { error: (fields) => expect(fields).toBeUndefined() },
  });
}

beforeEach(() => {
  clock = new ManualClock();
  database = openDatabase(':memory:', {
    migrations: taskMigrations.map((migration, index) => ({ ...migration, version: index + 1 })),
    clock,
  });
  infos = [sessionInfo('s')];
  start();
});
afterEach(() => {
  following.dispose();
  database.close();
});

const create = (owner = ONE) => tasks.create({ sessionId: 's', owner }).task_id;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}
async function end(
  exit_code: number | undefined,
  reason: 'process_exit' | 'host_lost' = 'process_exit',
): Promise<void> {
  infos = [sessionInfo('s', { lifecycle: 'exited', ...(exit_code === undefined ? {} : { exit_code }) })];
  bus.publish({ name: 'session-closed', data: { session_id: 's', reason } });
  await settle();
}

describe('tasks', () => {
  it('TSK-1, TSK-3: working, then completed with the exit code, with nobody listening', async () => {
    const id = create();
    expect(tasks.get(id, [ONE])).toEqual({ task_id: id, status: 'working', poll_interval_ms: 1_000 });
    await end(0);
    expect(tasks.get(id, [ONE])).toMatchObject({ status: 'completed', result: { session_id: 's', exit_code: 0 } });
  });

  it('TSK-3, TSK-4: a non-zero exit and a lost host are failures with a reason, and no error', async () => {
    const [first, second] = [create(), create()];
    tasks.sessionEnded('s', { kind: 'exited', exitCode: 7 });
    const failed = tasks.get(first, [ONE]);
    expect(failed).toMatchObject({
      status: 'failed',
      result: { exit_code: 7 },
      error_detail: expect.stringContaining('7'),
    });
    expect(failed).not.toHaveProperty('error');
    expect(tasks.get(second, [ONE])).toMatchObject({ status: 'failed' });
    const third = create();
    await end(undefined, 'host_lost');
    expect(tasks.get(third, [ONE])).toMatchObject({ status: 'failed', error_detail: 'terminal host lost' });
    const fourth = create();
    await end(undefined);
    expect(tasks.get(fourth, [ONE])).toMatchObject({ status: 'completed', result: { session_id: 's' } });
  });

  it('TSK-2, TSK-5: cancel and exit cannot both win, in either order', async () => {
    const id = create();
    expect(tasks.cancel(id, [ONE])).toMatchObject({ status: 'cancelled', cancelled: true });
    await end(1);
    expect(tasks.get(id, [ONE]).status).toBe('cancelled');
    infos = [sessionInfo('s')];
    const other = create();
    await end(0);
    expect(tasks.cancel(other, [ONE])).toMatchObject({ status: 'completed', cancelled: false });
  });

  it('TSK-6: a handle from before the identity still works; others see nothing', () => {
    const before = { identity: undefined, protocolSession: 'p' };
    const after = { identity: ONE, protocolSession: 'p' };
    const id = create(ownerOf(before));
    expect(tasks.get(id, claimsOf(after)).status).toBe('working');
    for (const caller of [{ identity: TWO, protocolSession: 'q' }, { identity: undefined }]) {
      expect(codeOf(() => tasks.get(id, claimsOf(caller)))).toBe('forbidden');
      expect(codeOf(() => tasks.cancel(id, claimsOf(caller)))).toBe('forbidden');
    }
    const local = create(ownerOf({ identity: undefined }));
    expect(tasks.get(local, claimsOf({ identity: undefined })).status).toBe('working');
  });

  it('TSK-7: durable; known a day after its end, and then not any more', async () => {
    const id = create();
    following.dispose();
    start();
    await settle();
    expect(tasks.get(id, [ONE]).status).toBe('working');
    clock.jump(3 * DEADLINES.taskKept);
    expect(tasks.get(id, [ONE]).status).toBe('working');
    await end(0);
    clock.jump(DEADLINES.taskKept - 1);
    expect(tasks.get(id, [ONE]).status).toBe('completed');
    clock.jump(1);
    expect(codeOf(() => tasks.get(id, [ONE]))).toBe('not_found');
  });

  it('TSK-3: an end that no server saw is recorded at the next start', async () => {
    const id = create();
    following.dispose();
    infos = [sessionInfo('s', { lifecycle: 'exited', exit_code: 2 })];
    start();
    await settle();
    expect(tasks.get(id, [ONE])).toMatchObject({ status: 'failed', result: { exit_code: 2 } });
  });

  it('TSK-8: an open question is told, and working again after it', async () => {
    const id = create();
    const state: SessionState = {
      awaiting_input: true,
      question_confident: true,
      rate_limited: false,
      last_activity_ms: 1,
    };
    const tell = async (next: SessionState) => {
      bus.publish({ name: 'session-state', data: { session_id: 's', state: next } });
      await settle();
      return tasks.get(id, [ONE]).status;
    };
    expect(await tell(state)).toBe('input_required');
    const { question_confident: _, ...unsure } = state;
    expect(await tell({ ...unsure, awaiting_input: false })).toBe('working');
    expect(await tell(unsure)).toBe('working');
  });
});
