/**
 * Owns the tasks: the handles of agents that were started for somebody (mcp.md 8).
 *
 * Promises: a task ends once and stays as it ended, whichever of cancel, exit and loss comes first (TSK-2); it is answered to its owner
 * only, before anything of it is shown (TSK-6); its end is recorded with nobody listening, also when it was missed while no server ran.
 */
import type { Clock, Ids } from '../../base/index.ts';
import { AppError, DEADLINES, type SessionInfo, type Task } from '../../contract/index.ts';
import type { Database } from '../../platform/database/index.ts';
import { type TaskRecord, TaskStore } from './task-store.ts';

/** How a session ended. */
export type SessionEnd = { readonly kind: 'exited'; readonly exitCode: number | undefined } | { readonly kind: 'lost' };

export interface TaskService {
  /** TSK-1: called when the agent's terminal is live. */
  create(task: { sessionId: string; owner: string }): { task_id: string; poll_interval_ms: number };
  get(taskId: string, claims: readonly string[]): Task;
  cancel(taskId: string, claims: readonly string[]): Task & { cancelled: boolean };
  sessionEnded(sessionId: string, end: SessionEnd): void;
  /** TSK-8. */
  questionChanged(sessionId: string, isOpen: boolean): void;
  /** Ends what ended unseen; `sessions` are all that are known, ended ones among them. */
  catchUp(sessions: readonly Pick<SessionInfo, 'session_id' | 'lifecycle' | 'exit_code'>[]): void;
  /** What one identity owned is another's now. */
  moveOwner(from: string, to: string): void;
  /** TSK-7: forgets what ended long ago. */
  sweep(): void;
}

export interface TaskDependencies {
  database: Database;
  clock: Clock;
  ids: Ids;
}

export function createTaskService({ database, clock, ids }: TaskDependencies): TaskService {
  const store = new TaskStore(database);

  function owned(taskId: string, claims: readonly string[]): TaskRecord {
    const task = store.find(taskId);
    const isExpired = task?.ended_at != null && task.ended_at <= clock.now() - DEADLINES.taskKept;
    if (task === undefined || isExpired) {
      throw new AppError('not_found', { what: `task ${taskId}; it never was, or ended more than a day ago` });
    }
    if (!claims.includes(task.owner)) throw new AppError('forbidden', { reason: 'this task is not yours' });
    return task;
  }

  function end(task: TaskRecord, sessionEnd: SessionEnd): void {
    const isLost = sessionEnd.kind === 'lost';
    const code = isLost ? undefined : sessionEnd.exitCode;
    const failure = isLost
      ? 'terminal host lost'
      : code === undefined || code === 0
        ? null
        : `the program ended with exit code ${code}`;
    store.end(task.task_id, {
      status: failure === null ? 'completed' : 'failed',
      status_message: null,
      exit_code: code ?? null,
      error_detail: failure,
      ended_at: clock.now(),
    });
  }

  return {
    create({ sessionId, owner }) {
      const task_id = ids.uuid();
      store.add({
        task_id,
        session_id: sessionId,
        owner,
        status: 'working',
        status_message: null,
        exit_code: null,
        error_detail: null,
        created_at: clock.now(),
        ended_at: null,
      });
      return { task_id, poll_interval_ms: DEADLINES.taskPoll };
    },

    get: (taskId, claims) => view(owned(taskId, claims)),

    cancel(taskId, claims) {
      const task = owned(taskId, claims);
      const cancelled = store.end(taskId, {
        status: 'cancelled',
        status_message: 'the agent runs on',
        exit_code: null,
        error_detail: null,
        ended_at: clock.now(),
      });
      return { ...view(store.find(taskId) ?? task), cancelled };
    },

    sessionEnded(sessionId, sessionEnd) {
      for (const task of store.open()) if (task.session_id === sessionId) end(task, sessionEnd);
    },

    questionChanged(sessionId, isOpen) {
      if (isOpen) store.setOpenStatus(sessionId, 'input_required', 'the agent asks a question in its terminal');
      else store.setOpenStatus(sessionId, 'working', null);
    },

    catchUp(sessions) {
      const known = new Map(sessions.map((session) => [session.session_id, session]));
      for (const task of store.open()) {
        const session = known.get(task.session_id);
        if (session?.lifecycle === 'live') continue;
        if (session?.lifecycle === 'lost') end(task, { kind: 'lost' });
        else end(task, { kind: 'exited', exitCode: session?.exit_code });
      }
    },

    moveOwner: (from, to) => store.moveOwner(from, to),
    sweep: () => store.removeEndedBefore(clock.now() - DEADLINES.taskKept),
  };
}

function view(task: TaskRecord): Task {
  const { task_id, status, status_message, session_id, exit_code, error_detail } = task;
  const hasResult = status === 'completed' || (status === 'failed' && exit_code !== null);
  return {
    task_id,
    status,
    poll_interval_ms: DEADLINES.taskPoll,
    ...(status_message === null ? {} : { status_message }),
    ...(hasResult ? { result: { session_id, ...(exit_code === null ? {} : { exit_code }) } } : {}),
    ...(error_detail === null ? {} : { error_detail }),
  };
}
