/** Tables of the journal (PRJ-3). Written by the progress service alone. */
import { z } from 'zod';
import { LIMITS, PROGRESS_KINDS, type ProgressEntry, type ProgressKind } from '../../contract/index.ts';
import type { Database, Migration, SqlRow } from '../../platform/database/index.ts';

export const progressMigrations: readonly Migration[] = [
  {
    version: 9,
    statements: [
      `CREATE TABLE progress (
        id TEXT PRIMARY KEY,
        repo_path TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        step TEXT,
        agent TEXT,
        session_id TEXT,
        created_at INTEGER NOT NULL,
        corrected_at INTEGER
      ) STRICT`,
      'CREATE UNIQUE INDEX progress_order ON progress (repo_path, created_at)',
      // The newest time outlives the entries: a cursor of before a clear still counts.
      `CREATE TABLE progress_repositories (
        repo_path TEXT PRIMARY KEY,
        paused INTEGER NOT NULL,
        newest INTEGER NOT NULL
      ) STRICT`,
    ],
  },
];

const recordSchema = z.object({
  id: z.string(),
  repo_path: z.string(),
  kind: z.enum(PROGRESS_KINDS),
  text: z.string(),
  step: z.string().nullable(),
  agent: z.string().nullable(),
  session_id: z.string().nullable(),
  created_at: z.number(),
  corrected_at: z.number().nullable(),
});
export type ProgressRecord = z.infer<typeof recordSchema>;

const repositorySchema = z.object({ paused: z.number(), newest: z.number() });

export class ProgressStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  repository(path: string): { isPaused: boolean; newest: number } {
    const row = this.#database.get('SELECT paused, newest FROM progress_repositories WHERE repo_path = ?', [path]);
    if (row === undefined) return { isPaused: false, newest: 0 };
    const { paused, newest } = repositorySchema.parse(row);
    return { isPaused: paused === 1, newest };
  }

  setPaused(path: string, isPaused: boolean): void {
    this.#database.run(
      `INSERT INTO progress_repositories (repo_path, paused, newest) VALUES (?, ?, 0)
       ON CONFLICT (repo_path) DO UPDATE SET paused = excluded.paused`,
      [path, isPaused ? 1 : 0],
    );
  }

  /** PRJ-8: its time is later than any before it in its repository, whatever the clock says. */
  append(entry: Omit<ProgressRecord, 'created_at' | 'corrected_at'>, now: number): ProgressRecord {
    return this.#database.transaction(() => {
      const created_at = Math.max(now, this.repository(entry.repo_path).newest + 1);
      this.#database.run(
        `INSERT INTO progress_repositories (repo_path, paused, newest) VALUES (?, 0, ?)
         ON CONFLICT (repo_path) DO UPDATE SET newest = excluded.newest`,
        [entry.repo_path, created_at],
      );
      this.#database.run(
        `INSERT INTO progress (id, repo_path, kind, text, step, agent, session_id, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [entry.id, entry.repo_path, entry.kind, entry.text, entry.step, entry.agent, entry.session_id, created_at],
      );
      this.#database.run(
        `DELETE FROM progress WHERE repo_path = ? AND created_at <= (
           SELECT created_at FROM progress WHERE repo_path = ? ORDER BY created_at DESC LIMIT 1 OFFSET ?)`,
        [entry.repo_path, entry.repo_path, LIMITS.progressEntries],
      );
      return { ...entry, created_at, corrected_at: null };
    });
  }

  find(id: string): ProgressRecord | undefined {
    const row = this.#database.get('SELECT * FROM progress WHERE id = ?', [id]);
    return row === undefined ? undefined : recordSchema.parse(row);
  }

  lastIntent(sessionId: string): string | undefined {
    const row = this.#database.get(
      "SELECT * FROM progress WHERE session_id = ? AND kind = 'intent' ORDER BY created_at DESC LIMIT 1",
      [sessionId],
    );
    return row === undefined ? undefined : recordSchema.parse(row).text;
  }

  correct(id: string, change: Pick<ProgressRecord, 'kind' | 'text' | 'step' | 'corrected_at'>): void {
    this.#database.run('UPDATE progress SET kind = ?, text = ?, step = ?, corrected_at = ? WHERE id = ?', [
      change.kind,
      change.text,
      change.step,
      change.corrected_at,
      id,
    ]);
  }

  /** Oldest first. */
  newest(path: string, limit: number, kind: ProgressKind | undefined): ProgressRecord[] {
    const rows = this.#database.all(
      `SELECT * FROM progress WHERE repo_path = ? AND (? IS NULL OR kind = ?) ORDER BY created_at DESC LIMIT ?`,
      [path, kind ?? null, kind ?? null, limit],
    );
    return rows.reverse().map(toRecord);
  }

  after(path: string, since: number, limit: number, kind: ProgressKind | undefined): ProgressRecord[] {
    return this.#database
      .all(
        `SELECT * FROM progress WHERE repo_path = ? AND created_at > ? AND (? IS NULL OR kind = ?)
         ORDER BY created_at LIMIT ?`,
        [path, since, kind ?? null, kind ?? null, limit],
      )
      .map(toRecord);
  }

  remove(path: string, before: number | undefined): number {
    return this.#database.run('DELETE FROM progress WHERE repo_path = ? AND (? IS NULL OR created_at < ?)', [
      path,
      before ?? null,
      before ?? null,
    ]).changes;
  }
}

const toRecord = (row: SqlRow): ProgressRecord => recordSchema.parse(row);

export function toEntry({ id, kind, text, step, agent, session_id, ...times }: ProgressRecord): ProgressEntry {
  return {
    id,
    kind,
    text,
    ...(step === null ? {} : { step }),
    ...(agent === null ? {} : { agent }),
    ...(session_id === null ? {} : { session_id }),
    created_at: times.created_at,
    ...(times.corrected_at === null ? {} : { corrected_at: times.corrected_at }),
  };
}
