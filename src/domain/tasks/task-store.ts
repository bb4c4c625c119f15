/** Table of the tasks (TSK-7). Written by the task service alone. */
import { z } from 'zod';
import { TASK_STATUSES } from '../../contract/index.ts';
import type { Database, Migration } from '../../platform/database/index.ts';

export const taskMigrations: readonly Migration[] = [
  {
    version: 5,
    statements: [
      `CREATE TABLE tasks (
        task_id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL,
        owner TEXT NOT NULL,
        status TEXT NOT NULL,
        status_message TEXT,
        exit_code INTEGER,
        error_detail TEXT,
        created_at INTEGER NOT NULL,
        ended_at INTEGER
      ) STRICT`,
      'CREATE INDEX tasks_session ON tasks (session_id)',
    ],
  },
];

const recordSchema = z.object({
  task_id: z.string(),
  session_id: z.string(),
  /** An identity, a pending marker or the local bucket. */
  owner: z.string(),
  status: z.enum(TASK_STATUSES),
  status_message: z.string().nullable(),
  exit_code: z.number().nullable(),
  error_detail: z.string().nullable(),
  created_at: z.number(),
  ended_at: z.number().nullable(),
});
export type TaskRecord = z.infer<typeof recordSchema>;

const OPEN = "status IN ('working', 'input_required')";

export class TaskStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(taskId: string): TaskRecord | undefined {
    const row = this.#database.get('SELECT * FROM tasks WHERE task_id = ?', [taskId]);
    return row === undefined ? undefined : recordSchema.parse(row);
  }

  open(): TaskRecord[] {
    return this.#database
      .all(`SELECT * FROM tasks WHERE ${OPEN} ORDER BY created_at, task_id`)
      .map((row) => recordSchema.parse(row));
  }

  add(task: TaskRecord): void {
    this.#database.run(
      `INSERT INTO tasks (task_id, session_id, owner, status, status_message, exit_code, error_detail, created_at, ended_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        task.task_id,
        task.session_id,
        task.owner,
        task.status,
        task.status_message,
        task.exit_code,
        task.error_detail,
        task.created_at,
        task.ended_at,
      ],
    );
  }

  /** TSK-2: one step looks and writes, so what has ended stays as it ended. True when it wrote. */
  end(taskId: string, end: Pick<TaskRecord, 'status' | 'status_message' | 'exit_code' | 'error_detail' | 'ended_at'>) {
    const { changes } = this.#database.run(
      `UPDATE tasks SET status = ?, status_message = ?, exit_code = ?, error_detail = ?, ended_at = ?
       WHERE task_id = ? AND ${OPEN}`,
      [end.status, end.status_message, end.exit_code, end.error_detail, end.ended_at, taskId],
    );
    return changes > 0;
  }

  setOpenStatus(sessionId: string, status: 'working' | 'input_required', message: string | null): void {
    this.#database.run(`UPDATE tasks SET status = ?, status_message = ? WHERE session_id = ? AND ${OPEN}`, [
      status,
      message,
      sessionId,
    ]);
  }

  moveOwner(from: string, to: string): void {
    this.#database.run('UPDATE tasks SET owner = ? WHERE owner = ?', [to, from]);
  }

  removeEndedBefore(time: number): void {
    this.#database.run('DELETE FROM tasks WHERE ended_at IS NOT NULL AND ended_at <= ?', [time]);
  }
}
