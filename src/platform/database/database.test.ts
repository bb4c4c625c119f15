import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { countDescriptors } from '../../../test/kit/processes.ts';
import { AppError } from '../../contract/index.ts';
import { bind, countPlaceholders, type SqlInput } from './binding.ts';
import { type Database, type Migration, openDatabase } from './index.ts';

const migrations: Migration[] = [{ version: 1, statements: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text)'] }];

let directory: string;
const open: Database[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'database-'));
});
afterEach(async () => {
  for (const database of open.splice(0)) database.close();
  await rm(directory, { recursive: true, force: true });
});

function start(more: Migration[] = migrations, name = 'state.db'): Database {
  const database = openDatabase(join(directory, name), { migrations: more });
  open.push(database);
  return database;
}

function refusal(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('bind', () => {
  it('lets through what SQL knows, and turns booleans into 0 and 1', () => {
    expect(bind([null, 1, 1.5, 9n, 'text', true, false, Uint8Array.of(1, 2)], 8)).toEqual([
      null,
      1,
      1.5,
      9n,
      'text',
      1,
      0,
      Buffer.from([1, 2]),
    ]);
  });

  it('refuses what libsql would abort on, round or change without a word', () => {
    const bad: unknown[] = [
      undefined,
      new Date(),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      {},
      () => 1,
      2n ** 64n,
    ];
    for (const value of bad) expect(() => bind([value as SqlInput], 1)).toThrow();
    expect(() => bind([1], 2)).toThrow('takes 2 parameters, got 1');
    expect(() => bind([1, 2], 1)).toThrow('takes 1 parameters, got 2');
  });

  it('counts placeholders outside of texts and comments', () => {
    expect(countPlaceholders(`SELECT ?, '?''?', "a?" -- ?\n, /* ? */ ?`)).toBe(2);
  });
});

describe('openDatabase', () => {
  it('stores, finds and removes; rows carry nothing but their columns', () => {
    const database = start();
    expect(database.run('INSERT INTO notes (id, text) VALUES (?, ?)', [1, true]).changes).toBe(1);
    expect(database.get('SELECT * FROM notes WHERE id = ?', [1])).toEqual({ id: 1, text: 1 });
    expect(database.get('SELECT * FROM notes WHERE id = ?', [2])).toBeUndefined();
    database.run('UPDATE notes SET text = ?', [Uint8Array.of(7, 8)]);
    expect(database.all('SELECT text FROM notes')).toEqual([{ text: Buffer.from([7, 8]) }]);
    expect(database.get('INSERT INTO notes (text) VALUES (?) RETURNING id', ['x'])).toEqual({ id: 2 });
    expect(database.all('SELECT id FROM notes')).toHaveLength(2);
  });

  it('takes a transaction back as a whole', () => {
    const database = start();
    expect(() =>
      database.transaction(() => {
        database.run('INSERT INTO notes (text) VALUES (?)', ['a']);
        throw new Error('changed my mind');
      }),
    ).toThrow('changed my mind');
    expect(database.all('SELECT * FROM notes')).toEqual([]);
    database.transaction(() => database.run('INSERT INTO notes (text) VALUES (?)', ['b']));
    expect(database.all('SELECT * FROM notes')).toHaveLength(1);
  });

  it('runs new migrations once, each as a whole', () => {
    start().close();
    const broken: Migration[] = [...migrations, { version: 2, statements: ['CREATE TABLE more (a)', 'NONSENSE'] }];
    expect(() => start(broken)).toThrow();
    const good: Migration[] = [...migrations, { version: 2, statements: ['CREATE TABLE more (a)'] }];
    start(good).close();
    expect(start(good).all('SELECT * FROM more')).toEqual([]);
    expect(() => start([{ version: 2, statements: [] }], 'other.db')).toThrow('migration 1 is missing');
  });

  it('refuses a file of a newer version and leaves it alone', () => {
    start([...migrations, { version: 2, statements: ['CREATE TABLE more (a)'] }]).close();
    const error = refusal(() => start());
    expect(error.code).toBe('storage_newer');
    expect(error.message).toContain('schema 2, this one knows 1');
  });

  it('says what is wrong with the file and what to do, and never crashes', async () => {
    await writeFile(join(directory, 'bad.db'), 'no database '.repeat(1_000));
    expect(refusal(() => start(migrations, 'bad.db'))).toMatchObject({ code: 'storage_damaged' });
    await mkdir(join(directory, 'folder.db'));
    expect(refusal(() => start(migrations, 'folder.db')).message).toContain('cannot be opened');
    await writeFile(join(directory, 'file'), '');
    expect(refusal(() => start(migrations, 'file/state.db'))).toMatchObject({ code: 'storage_failed' });
    expect(refusal(() => start(migrations, 'missing/state.db')).message).toContain('TUIC_CONFIG_DIR');
  });

  it('writes the log back from another connection, which no writer waits for', async () => {
    const database = start();
    for (let row = 0; row < 2_000; row++) database.run('INSERT INTO notes (text) VALUES (?)', ['x'.repeat(500)]);
    const before = (await stat(join(directory, 'state.db'))).size;
    await database.writeBack();
    expect((await stat(join(directory, 'state.db'))).size).toBeGreaterThan(before + 500_000);
    const log = (await stat(join(directory, 'state.db-wal'))).size;
    for (let row = 0; row < 1_000; row++) database.run('INSERT INTO notes (text) VALUES (?)', ['x'.repeat(500)]);
    // The log starts again from its beginning instead of growing.
    expect((await stat(join(directory, 'state.db-wal'))).size).toBeLessThanOrEqual(log);
  });

  it('keeps one descriptor of a write-back, however many there are', async () => {
    const database = start();
    const held = () => countDescriptors(process.pid)[join(directory, 'state.db')];
    expect(held()).toBe(1);
    for (let time = 0; time < 5; time++) {
      database.run('INSERT INTO notes (text) VALUES (?)', ['x']);
      await database.writeBack();
      expect(held()).toBeLessThanOrEqual(2);
    }
  });

  it('writes back by itself after many writes, and tells when that fails', async () => {
    const clock = new ManualClock();
    const failures: string[] = [];
    let failed: () => void = () => undefined;
    const told = new Promise<void>((resolve) => {
      failed = resolve;
    });
    const database = openDatabase(join(directory, 'state.db'), {
      migrations,
      clock,
      onWriteBackFailure: (error) => {
        failures.push(error.message);
        failed();
      },
    });
    for (let row = 0; row < 1_000; row++) database.run('INSERT INTO notes (text) VALUES (?)', ['x']);
    // What SQLite meets there is no database any more.
    await rm(join(directory, 'state.db'));
    await mkdir(join(directory, 'state.db'));
    clock.advance(30_000);
    await told;
    expect(failures).toHaveLength(1);
    database.close();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('P2', () => {
  it('kill -9 loses nothing that was answered, tears no transaction and damages no file', async () => {
    const program = join(directory, 'writer.mjs');
    await build({
      configFile: false,
      logLevel: 'silent',
      build: {
        ssr: join(import.meta.dirname, 'index.ts'),
        outDir: directory,
        emptyOutDir: false,
        rollupOptions: { external: [/^node:/, 'libsql'], output: { entryFileNames: 'database.mjs' } },
      },
      ssr: { noExternal: true, external: ['libsql'] },
    });
    // The bundle lies outside of the project: it finds the package through this folder.
    const libsql = createRequire(import.meta.url).resolve('libsql');
    await mkdir(join(directory, 'node_modules/libsql'), { recursive: true });
    await writeFile(
      join(directory, 'node_modules/libsql/index.js'),
      `module.exports = require(${JSON.stringify(libsql)});`,
    );
    await writeFile(
      program,
      `import { openDatabase } from './database.mjs';
       const database = openDatabase(process.argv[2], { migrations: ${JSON.stringify(migrations)} });
       const last = database.get('SELECT max(id) AS id FROM notes')?.id ?? 0;
       for (let id = last + 1; ; id += 2) {
         database.transaction(() => {
           database.run('INSERT INTO notes (id, text) VALUES (?, ?)', [id, 'x'.repeat(300)]);
           database.run('INSERT INTO notes (id, text) VALUES (?, ?)', [id + 1, 'y'.repeat(300)]);
         });
         // Waits until it is out: a full pipe would keep what follows in this process for ever.
         await new Promise((resolve) => process.stdout.write((id + 1) + '\\n', resolve));
       }`,
    );
    const path = join(directory, 'state.db');
    let answered = 0;
    for (let life = 0; life < 5; life++) {
      const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        let text = '';
        child.stdout.setEncoding('utf8');
        child.stdout.on('data', (data: string) => {
          text += data;
          if (text.split('\n').length > 300 + life * 211) child.kill('SIGKILL');
        });
        const [code, signal] = await once(child, 'close');
        expect([code, signal]).toEqual([null, 'SIGKILL']);
        answered = Number(text.split('\n').at(-2));
      } finally {
        child.kill('SIGKILL');
      }
      const database = start();
      const { count, last } = database.get('SELECT count(*) AS count, max(id) AS last FROM notes') ?? {};
      expect(Number(last)).toBeGreaterThanOrEqual(answered);
      expect(Number(count)).toBe(Number(last));
      expect(Number(count) % 2).toBe(0);
      expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    }
  }, 60_000);
});
