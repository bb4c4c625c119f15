/**
 * The sessions table. A row exists before its spawn is sent, so that a session can never run without one (D15).
 * Rows are written whole by their owner, the service; nothing else writes them.
 */
import { z } from 'zod';
import type { Database, Migration } from '../../platform/database/index.ts';

export const sessionMigrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        tuic_session TEXT NOT NULL,
        alias TEXT NOT NULL,
        alias_name TEXT NOT NULL,
        display_name TEXT,
        display_name_is_custom INTEGER NOT NULL DEFAULT 0,
        agent_type TEXT,
        cwd TEXT NOT NULL,
        file TEXT NOT NULL,
        args TEXT NOT NULL,
        rows INTEGER NOT NULL,
        cols INTEGER NOT NULL,
        is_remote INTEGER NOT NULL,
        lifecycle TEXT NOT NULL CHECK (lifecycle IN ('starting', 'live', 'exited', 'lost')),
        exit_code INTEGER,
        close_reason TEXT,
        created_at INTEGER NOT NULL,
        ended_at INTEGER,
        host_boot_id TEXT,
        parent TEXT,
        title TEXT
      ) STRICT`,
      'CREATE INDEX sessions_identity ON sessions (tuic_session)',
      'CREATE TABLE alias_counters (prefix TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT',
    ],
  },
  { version: 3, statements: ['ALTER TABLE sessions ADD COLUMN hook_nonce TEXT'] },
  { version: 7, statements: ['ALTER TABLE sessions ADD COLUMN agent_session TEXT'] },
  { version: 8, statements: ['ALTER TABLE sessions ADD COLUMN pty_description TEXT'] },
];

const flag = z.number().transform((value) => value !== 0);
const recordSchema = z.object({
  id: z.string(),
  tuic_session: z.string(),
  alias: z.string(),
  alias_name: z.string(),
  display_name: z.string().nullable(),
  display_name_is_custom: flag,
  agent_type: z.string().nullable(),
  cwd: z.string(),
  file: z.string(),
  args: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  rows: z.number(),
  cols: z.number(),
  is_remote: flag,
  lifecycle: z.enum(['starting', 'live', 'exited', 'lost']),
  exit_code: z.number().nullable(),
  close_reason: z.enum(['process_exit', 'explicit_close', 'killed', 'host_lost']).nullable(),
  created_at: z.number(),
  ended_at: z.number().nullable(),
  host_boot_id: z.string().nullable(),
  parent: z.string().nullable(),
  title: z.string().nullable(),
  /** What a hook marker of its programs must name (STM-51). Null: it began before there were any. Goes into no log and no answer. */
  hook_nonce: z.string().nullable(),
  /** The agent's own id of its conversation, as a hook told it. */
  agent_session: z.string().nullable(),
  pty_description: z.string().nullable(),
});

/** One row. `close_reason` on a live row means: an end was asked for and must be carried through. */
export type SessionRecord = z.infer<typeof recordSchema>;

const COLUMNS = Object.keys(recordSchema.shape) as (keyof SessionRecord)[];
const SAVE = `INSERT INTO sessions (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${COLUMNS.filter((column) => column !== 'id')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

export class SessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  load(): SessionRecord[] {
    return this.#database
      .all('SELECT * FROM sessions ORDER BY created_at, id LIMIT 100000')
      .map((row) => recordSchema.parse(row));
  }

  save(record: SessionRecord): void {
    this.#database.run(
      SAVE,
      COLUMNS.map((column) => (column === 'args' ? JSON.stringify(record.args) : toSql(record[column]))),
    );
  }

  remove(id: string): void {
    this.#database.run('DELETE FROM sessions WHERE id = ?', [id]);
  }

  /** The next number of a prefix; never given twice. */
  nextAliasNumber(prefix: string): number {
    const row = this.#database.get(
      `INSERT INTO alias_counters (prefix, last) VALUES (?, 1)
       ON CONFLICT (prefix) DO UPDATE SET last = last + 1 RETURNING last`,
      [prefix],
    );
    return z.object({ last: z.number() }).parse(row).last;
  }

  /** A restored alias: the counter moves past it. */
  raiseAliasNumber(prefix: string, number: number): void {
    this.#database.run(
      `INSERT INTO alias_counters (prefix, last) VALUES (?, ?)
       ON CONFLICT (prefix) DO UPDATE SET last = max(last, excluded.last)`,
      [prefix, number],
    );
  }
}

function toSql(value: string | number | boolean | null | string[]): string | number | boolean | null {
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
