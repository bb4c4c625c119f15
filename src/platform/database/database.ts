/**
 * The one door to SQLite (D6). Owns the connection to <config_dir>/state.db.
 *
 * Promises: calls are synchronous and in order; what `run` or `transaction` returned from survives kill -9 of the process;
 * a full, damaged, unwritable or too new file is an AppError, never a crash. Order at opening: busy timeout, then
 * journal mode, then the rest, then migrations, each in its own transaction. The write-ahead log is written back by a
 * short-lived worker connection, so that no call here waits for it.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import Libsql from 'libsql';
import { type Clock, type Disposable, systemClock } from '../../base/index.ts';
import { AppError } from '../../contract/index.ts';
import { bind, countPlaceholders, type SqlInput } from './binding.ts';

export type SqlValue = null | number | bigint | string | Buffer;
export type SqlRow = Record<string, SqlValue>;

export interface Migration {
  /** 1, 2, 3 ... without holes over all rooms. */
  version: number;
  statements: readonly string[];
}

export interface Database {
  readonly path: string;
  run(sql: string, parameters?: readonly SqlInput[]): { changes: number };
  get(sql: string, parameters?: readonly SqlInput[]): SqlRow | undefined;
  all(sql: string, parameters?: readonly SqlInput[]): SqlRow[];
  /** Runs `work` in one transaction; an exception rolls it back. Not nested. */
  transaction<T>(work: () => T): T;
  /** Writes the log back into the file by another connection; resolves when that is done. */
  writeBack(): Promise<void>;
  close(): void;
}

export interface OpenDatabaseOptions {
  migrations: readonly Migration[];
  clock?: Clock;
  /** Told when writing back fails; the data is safe in the log then. */
  onWriteBackFailure?: (error: Error) => void;
}

const BUSY_TIMEOUT = 2_000;
const WRITE_BACK_EVERY = 30_000;
/** Fewer writes than this are not worth a worker. */
const WRITE_BACK_AFTER = 1_000;

interface Prepared {
  statement: ReturnType<Libsql.Database['prepare']>;
  parameters: number;
}

/** Opens or creates the file and brings it to the newest schema. Throws storage_failed, storage_damaged or storage_newer. */
export function openDatabase(path: string, options: OpenDatabaseOptions): Database {
  const clock = options.clock ?? systemClock;
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw translate(error, path);
    }
  };
  const connection = guard(() => new Libsql(path, { timeout: BUSY_TIMEOUT / 1_000 }));
  try {
    guard(() => {
      for (const pragma of [
        `busy_timeout=${BUSY_TIMEOUT}`,
        'journal_mode=WAL',
        'synchronous=NORMAL',
        'wal_autocheckpoint=0',
        'foreign_keys=ON',
      ]) {
        connection.prepare(`PRAGMA ${pragma}`).all([]);
      }
      migrate(connection, options.migrations, path);
    });
  } catch (error) {
    connection.close();
    throw error;
  }

  const statements = new Map<string, Prepared>();
  let writes = 0;
  let closed = false;
  let inTransaction = false;
  let writingBack: Promise<void> | undefined;

  const prepare = (sql: string): Prepared => {
    if (closed) throw new Error('the database is closed');
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      prepared = { statement: connection.prepare(sql), parameters: countPlaceholders(sql) };
      statements.set(sql, prepared);
    }
    return prepared;
  };

  const writeBack = (): Promise<void> => {
    writingBack ??= runWriteBack(path).finally(() => {
      writingBack = undefined;
    });
    return writingBack;
  };

  const timer: Disposable = clock.every(WRITE_BACK_EVERY, () => {
    if (writes < WRITE_BACK_AFTER) return;
    writes = 0;
    writeBack().catch((error: unknown) => {
      options.onWriteBackFailure?.(error instanceof Error ? error : new Error(String(error)));
    });
  });

  return {
    path,
    run: (sql, parameters = []) =>
      guard(() => {
        const { statement, parameters: expected } = prepare(sql);
        writes++;
        return { changes: statement.run(bind(parameters, expected)).changes };
      }),
    get: (sql, parameters = []) =>
      guard(() => {
        const { statement, parameters: expected } = prepare(sql);
        const row = statement.get(bind(parameters, expected));
        return row === undefined || row === null ? undefined : toRow(row);
      }),
    all: (sql, parameters = []) =>
      guard(() => {
        const { statement, parameters: expected } = prepare(sql);
        return statement.all(bind(parameters, expected)).map(toRow);
      }),
    transaction: (work) => {
      if (inTransaction) throw new Error('transactions do not nest');
      guard(() => connection.exec('BEGIN IMMEDIATE'));
      inTransaction = true;
      try {
        const result = work();
        guard(() => connection.exec('COMMIT'));
        return result;
      } catch (error) {
        // A full disk rolls back by itself; then there is nothing to undo.
        if (connection.inTransaction) connection.exec('ROLLBACK');
        throw error;
      } finally {
        inTransaction = false;
      }
    },
    writeBack,
    close: () => {
      if (closed) return;
      closed = true;
      timer.dispose();
      statements.clear();
      // Closing the last connection writes the log back by itself.
      connection.close();
    },
  };
}

/** libsql adds `_metadata` to what get() returns, and all() gives blobs as ArrayBuffer: nothing here may depend on either. */
function toRow(row: unknown): SqlRow {
  const result: SqlRow = {};
  for (const [name, value] of Object.entries(row as Record<string, SqlValue | ArrayBuffer>)) {
    if (name !== '_metadata') result[name] = value instanceof ArrayBuffer ? Buffer.from(value) : value;
  }
  return result;
}

function migrate(connection: Libsql.Database, migrations: readonly Migration[], path: string): void {
  const ordered = [...migrations].sort((left, right) => left.version - right.version);
  ordered.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new Error(`migration ${index + 1} is missing`);
  });
  const known = ordered.length;
  const row = connection.prepare('PRAGMA user_version').all([])[0] as { user_version: number } | undefined;
  const found = row?.user_version ?? 0;
  if (found > known) throw new AppError('storage_newer', { path, found, known });
  for (const migration of ordered.slice(found)) {
    connection.exec('BEGIN IMMEDIATE');
    try {
      for (const statement of migration.statements) connection.exec(statement);
      connection.exec(`PRAGMA user_version=${migration.version}`);
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Turns what SQLite says about the file into the table's errors; programming errors pass unchanged. */
function translate(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  const text = typeof code === 'string' ? code : '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(text) || /malformed|not a database/.test(error.message)) {
    return new AppError('storage_damaged', { path }, { cause: error });
  }
  if (
    /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM|BUSY|LOCKED|AUTH)/.test(text) ||
    /unable to open/i.test(error.message)
  ) {
    return new AppError('storage_failed', { detail: `${path}: ${reason(text)}` }, { cause: error });
  }
  return error;
}

function reason(code: string): string {
  if (code.startsWith('SQLITE_FULL')) return 'the disk is full. Free some space and try again';
  if (code.startsWith('SQLITE_READONLY')) return 'it is read-only. Make it writable or set TUIC_CONFIG_DIR';
  if (code.startsWith('SQLITE_BUSY')) return 'another program holds it. End that program and try again';
  if (code.startsWith('SQLITE_IOERR')) return 'reading or writing failed. Check the disk and its free space';
  return 'it cannot be opened. Check that its folder exists and that you may write there, or set TUIC_CONFIG_DIR';
}

const WORKER = `
const { workerData } = require('node:worker_threads');
const Database = require(workerData.module);
const connection = new Database(workerData.path);
connection.prepare('PRAGMA busy_timeout=2000').all([]);
connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').all([]);
connection.close();
`;

/** PASSIVE never makes a writer wait; once all is written back, the log starts again from its beginning. */
function runWriteBack(path: string): Promise<void> {
  const module = createRequire(import.meta.url).resolve('libsql');
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { eval: true, workerData: { module, path } });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`write-back worker ended with ${code}`));
    });
  });
}
