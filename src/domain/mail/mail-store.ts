/** Tables of the mail room: messages, inboxes, keys of sends, parents, and what waits to be typed. Written by this room alone. */
import { z } from 'zod';
import type { Database, Migration } from '../../platform/database/index.ts';
import { type Box, type Letter, openGate } from './model.ts';

export const mailMigrations: readonly Migration[] = [
  {
    version: 6,
    statements: [
      `CREATE TABLE messages (
        id TEXT PRIMARY KEY,
        recipient TEXT NOT NULL,
        stamp INTEGER NOT NULL,
        sender TEXT NOT NULL,
        sender_name TEXT NOT NULL,
        content TEXT NOT NULL,
        reply_to TEXT,
        thread TEXT,
        priority TEXT,
        child TEXT,
        state TEXT,
        exit_code INTEGER,
        owner TEXT NOT NULL,
        shown TEXT NOT NULL,
        buffered_at INTEGER NOT NULL,
        shown_at INTEGER,
        observed_at INTEGER,
        left_at INTEGER
      ) STRICT`,
      'CREATE INDEX messages_left ON messages (left_at)',
      `CREATE TABLE mailboxes (
        identity TEXT PRIMARY KEY,
        newest INTEGER NOT NULL,
        cursor INTEGER NOT NULL,
        missed INTEGER NOT NULL,
        gate TEXT NOT NULL
      ) STRICT`,
      `CREATE TABLE sent_keys (
        sender TEXT NOT NULL,
        client_key TEXT NOT NULL,
        digest TEXT NOT NULL,
        message_id TEXT NOT NULL,
        answer TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (sender, client_key)
      ) STRICT`,
      'CREATE TABLE parents (child TEXT PRIMARY KEY, parent TEXT NOT NULL) STRICT',
      `CREATE TABLE typing_queue (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        message_id TEXT,
        from_name TEXT,
        created_at INTEGER NOT NULL,
        started_at INTEGER
      ) STRICT`,
    ],
  },
];

const letterRow = z.object({
  id: z.string(),
  recipient: z.string(),
  stamp: z.number(),
  sender: z.string(),
  sender_name: z.string(),
  reply_to: z.string().nullable(),
  thread: z.string().nullable(),
  priority: z.literal('interrupt').nullable(),
  child: z.string().nullable(),
  state: z.string().nullable(),
  exit_code: z.number().nullable(),
  owner: z.enum(['none', 'waiter', 'channel', 'terminal']),
  shown: z.enum(['no', 'yes', 'uncertain']),
  buffered_at: z.number(),
  shown_at: z.number().nullable(),
  observed_at: z.number().nullable(),
  left_at: z.number().nullable(),
});

const gateShape = z.object({
  isPending: z.boolean(),
  attempts: z.number(),
  exhausted: z.enum(['untouched', 'uncertain']).nullable(),
  uncertainAt: z.number().nullable(),
  startedAt: z.number().nullable(),
});
const boxRow = z.object({
  identity: z.string(),
  newest: z.number(),
  cursor: z.number(),
  missed: z.number(),
  gate: z.string().transform((text) => ({ ...openGate(), ...gateShape.parse(JSON.parse(text)) })),
});

const keyRow = z.object({
  digest: z.string(),
  message_id: z.string(),
  answer: z.string(),
  created_at: z.number(),
});
export type SentKey = z.infer<typeof keyRow>;

const COLUMNS =
  'id, recipient, stamp, sender, sender_name, reply_to, thread, priority, child, state, exit_code, owner, shown, ' +
  'buffered_at, shown_at, observed_at, left_at';

/** What the mailbox writes through; a test keeps it in memory. */
export interface MailStore {
  load(): { boxes: Box[]; letters: Letter[] };
  transaction<T>(work: () => T): T;
  add(letter: Letter, content: string): void;
  /** Place and delivery of one that is there. */
  save(letter: Letter): void;
  /** It lies in no inbox any more; its status is kept for a while (MSG-90). */
  leave(id: string, at: number): void;
  content(id: string): string;
  find(id: string): { letter: Letter; leftAt: number | null } | undefined;
  saveBox(box: Box): void;
  removeBox(identity: string): void;
  findKey(sender: string, key: string): SentKey | undefined;
  saveKey(sender: string, key: string, sent: SentKey): void;
  forgetBefore(time: number): void;
}

export class SqlMailStore implements MailStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  load(): { boxes: Box[]; letters: Letter[] } {
    return {
      boxes: this.#database.all('SELECT * FROM mailboxes').map((row) => boxRow.parse(row)),
      letters: this.#database
        .all(`SELECT ${COLUMNS} FROM messages WHERE left_at IS NULL ORDER BY recipient, stamp`)
        .map((row) => toLetter(row).letter),
    };
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  add(letter: Letter, content: string): void {
    this.#database.run(
      `INSERT INTO messages (${COLUMNS}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
      [
        letter.id,
        letter.recipient,
        letter.stamp,
        letter.sender,
        letter.senderName,
        letter.replyTo,
        letter.thread,
        letter.priority,
        letter.child,
        letter.state,
        letter.exitCode,
        letter.owner,
        letter.shown,
        letter.bufferedAt,
        letter.shownAt,
        letter.observedAt,
        content,
      ],
    );
  }

  save(letter: Letter): void {
    this.#database.run(
      'UPDATE messages SET recipient = ?, stamp = ?, owner = ?, shown = ?, shown_at = ?, observed_at = ? WHERE id = ?',
      [letter.recipient, letter.stamp, letter.owner, letter.shown, letter.shownAt, letter.observedAt, letter.id],
    );
  }

  leave(id: string, at: number): void {
    this.#database.run('UPDATE messages SET left_at = ? WHERE id = ?', [at, id]);
  }

  content(id: string): string {
    const row = this.#database.get('SELECT content FROM messages WHERE id = ?', [id]);
    return z.object({ content: z.string() }).parse(row).content;
  }

  find(id: string): { letter: Letter; leftAt: number | null } | undefined {
    const row = this.#database.get(`SELECT ${COLUMNS} FROM messages WHERE id = ?`, [id]);
    return row === undefined ? undefined : toLetter(row);
  }

  saveBox(box: Box): void {
    this.#database.run(
      `INSERT INTO mailboxes (identity, newest, cursor, missed, gate) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (identity) DO UPDATE SET newest = excluded.newest, cursor = excluded.cursor, missed = excluded.missed,
         gate = excluded.gate`,
      [box.identity, box.newest, box.cursor, box.missed, JSON.stringify(box.gate)],
    );
  }

  removeBox(identity: string): void {
    this.#database.run('DELETE FROM mailboxes WHERE identity = ?', [identity]);
  }

  findKey(sender: string, key: string): SentKey | undefined {
    const row = this.#database.get('SELECT * FROM sent_keys WHERE sender = ? AND client_key = ?', [sender, key]);
    return row === undefined ? undefined : keyRow.parse(row);
  }

  saveKey(sender: string, key: string, sent: SentKey): void {
    this.#database.run(
      `INSERT INTO sent_keys (sender, client_key, digest, message_id, answer, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (sender, client_key) DO UPDATE SET digest = excluded.digest, message_id = excluded.message_id,
         answer = excluded.answer, created_at = excluded.created_at`,
      [sender, key, sent.digest, sent.message_id, sent.answer, sent.created_at],
    );
  }

  forgetBefore(time: number): void {
    this.#database.run('DELETE FROM messages WHERE left_at <= ?', [time]);
    this.#database.run('DELETE FROM sent_keys WHERE created_at <= ?', [time]);
  }
}

function toLetter(row: unknown): { letter: Letter; leftAt: number | null } {
  const read = letterRow.parse(row);
  return {
    leftAt: read.left_at,
    letter: {
      id: read.id,
      recipient: read.recipient,
      stamp: read.stamp,
      sender: read.sender,
      senderName: read.sender_name,
      replyTo: read.reply_to,
      thread: read.thread,
      priority: read.priority,
      child: read.child,
      state: read.state,
      exitCode: read.exit_code,
      bufferedAt: read.buffered_at,
      owner: read.owner,
      shown: read.shown,
      shownAt: read.shown_at,
      observedAt: read.observed_at,
    },
  };
}
