/** Settles tasks by what happens to their sessions. */
import { type Bus, type Clock, type Disposable, toDisposable } from '../../base/index.ts';
import { type AppEvent, DEADLINES, type SessionInfo } from '../../contract/index.ts';
import type { TaskService } from './service.ts';

export interface FollowTasks {
  bus: Bus<AppEvent>;
  clock: Clock;
  tasks: TaskService;
  sessions: {
    list(options?: { includeExited?: boolean }): SessionInfo[];
    readonly settled: Promise<void>;
  };
  log: { error(fields: object, message: string): void };
}

export function followTasks({ bus, clock, tasks, sessions, log }: FollowTasks): Disposable {
  let isScheduled = false;
  let isDisposed = false;
  /** Sessions with an open question. */
  const asking = new Set<string>();

  const catchUp = () => tasks.catchUp(sessions.list({ includeExited: true }));

  function take(event: AppEvent): void {
    if (event.name === 'session-state') {
      const { session_id, state } = event.data;
      const isAsking = state.awaiting_input && state.question_confident === true;
      if (isAsking === asking.has(session_id)) return;
      if (isAsking) asking.add(session_id);
      else asking.delete(session_id);
      tasks.questionChanged(session_id, isAsking);
    } else if (event.name === 'session-closed') {
      const { session_id, reason } = event.data;
      asking.delete(session_id);
      const info = sessions.list({ includeExited: true }).find((session) => session.session_id === session_id);
      tasks.sessionEnded(
        session_id,
        reason === 'host_lost' ? { kind: 'lost' } : { kind: 'exited', exitCode: info?.exit_code },
      );
    }
  }

  function guard(work: () => void): void {
    if (isDisposed) return;
    try {
      work();
    } catch (error) {
      // What was missed is caught up with at the next sweep.
      log.error({ err: error }, 'the tasks were not settled');
    }
  }

  function drain(): void {
    isScheduled = false;
    for (let read = cursor.read(); read !== undefined && !isDisposed; read = cursor.read()) {
      if (read.kind === 'lagged') guard(catchUp);
      else {
        const { event } = read.record;
        guard(() => take(event));
      }
    }
  }

  const cursor = bus.subscribe(() => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(drain);
  });
  // Only then is it known what still runs.
  void sessions.settled.then(() => guard(catchUp));
  const sweeping = clock.every(DEADLINES.taskSweep, () =>
    guard(() => {
      catchUp();
      tasks.sweep();
    }),
  );
  return toDisposable(() => {
    isDisposed = true;
    sweeping.dispose();
    cursor.dispose();
  });
}
