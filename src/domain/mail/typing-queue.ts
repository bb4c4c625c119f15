/**
 * Owns what waits to be typed at each terminal: peer mail, Compose commands and deferred prompts in one order (MSG-70).
 *
 * Promises: one line at a time a terminal, the oldest first, and only when the program takes one (MSG-63); what was begun is written
 * down before its first byte and settled by its outcome, so one found begun after a restart is told as uncertain and never typed again
 * (MSG-96). A line that did not get a byte out stays in front, and waits for the next sign from its terminal.
 */
import { z } from 'zod';
import type { Clock, Ids } from '../../base/index.ts';
import { AppError, LIMITS } from '../../contract/index.ts';
import type { Database } from '../../platform/database/index.ts';
import type { LineTyper, TypingOutcome } from './ports.ts';

const entryRow = z.object({
  id: z.string(),
  session_id: z.string(),
  number: z.number(),
  kind: z.enum(['command', 'peer', 'prompt']),
  text: z.string(),
  message_id: z.string().nullable(),
  from_name: z.string().nullable(),
  created_at: z.number(),
  started_at: z.number().nullable(),
});
export type QueuedLine = z.infer<typeof entryRow>;
export type NewLine = Pick<QueuedLine, 'kind' | 'text'> & Partial<Pick<QueuedLine, 'message_id' | 'from_name'>>;

/** Where the queue is kept; a test keeps it in memory. */
export interface QueueStore {
  /** Oldest first. */
  load(): QueuedLine[];
  add(entry: QueuedLine): void;
  setStarted(id: string, at: number | null): void;
  setText(id: string, text: string): void;
  remove(id: string): void;
}

export function createQueueStore(database: Database): QueueStore {
  return {
    load: () => database.all('SELECT * FROM typing_queue ORDER BY number').map((row) => entryRow.parse(row)),
    add: ({ id, session_id, number, kind, text, message_id, from_name, created_at }) => {
      database.run(
        `INSERT INTO typing_queue (id, session_id, number, kind, text, message_id, from_name, created_at, started_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
        [id, session_id, number, kind, text, message_id, from_name, created_at],
      );
    },
    setStarted: (id, at) => void database.run('UPDATE typing_queue SET started_at = ? WHERE id = ?', [at, id]),
    setText: (id, text) => void database.run('UPDATE typing_queue SET text = ? WHERE id = ?', [text, id]),
    remove: (id) => void database.run('DELETE FROM typing_queue WHERE id = ?', [id]),
  };
}

export interface TypingQueueDependencies {
  store: QueueStore;
  clock: Clock;
  ids: Ids;
  typer: LineTyper;
  /** How an entry ended, after it is out of the queue; never for `untouched`. */
  onSettled: (entry: QueuedLine, outcome: Exclude<TypingOutcome, 'untouched'>) => void;
  log: { error(fields: object, message: string): void };
}

export class TypingQueue {
  readonly #dependencies: TypingQueueDependencies;
  readonly #lines = new Map<string, QueuedLine[]>();
  /** Terminals at which something is being typed right now, and what. */
  readonly #typing = new Map<string, string>();
  /** Lines that are being typed although they need not be any more. */
  readonly #withdrawn = new Set<string>();
  #number = 0;

  constructor(dependencies: TypingQueueDependencies) {
    this.#dependencies = dependencies;
    for (const entry of dependencies.store.load()) {
      this.#number = Math.max(this.#number, entry.number);
      this.#linesOf(entry.session_id).push(entry);
    }
  }

  /** MSG-96: what a server that is no more had begun; not what this one types already. To be called once, when whoever listens is there. */
  settleBegun(): void {
    for (const entry of [...this.#lines.values()].flat()) {
      if (entry.started_at === null || this.#isBegun(entry)) continue;
      this.#remove(entry);
      this.#dependencies.onSettled(entry, 'uncertain');
    }
  }

  /** Nobody types at terminals. */
  get isOff(): boolean {
    return this.#dependencies.typer.isOff === true;
  }

  list(sessionId: string): readonly QueuedLine[] {
    return this.#lines.get(sessionId) ?? [];
  }

  get sessions(): string[] {
    return [...this.#lines.keys()];
  }

  /** Something is being typed there, or waits to be (SUB-10). */
  isBusy(sessionId: string): boolean {
    return this.#typing.has(sessionId) || this.list(sessionId).length > 0;
  }

  isBeingTyped(messageId: string): boolean {
    return [...this.#lines.values()].flat().some((entry) => entry.message_id === messageId && this.#isBegun(entry));
  }

  push(sessionId: string, { kind, text, message_id = null, from_name = null }: NewLine): QueuedLine {
    const { store, clock, ids } = this.#dependencies;
    const commands = this.list(sessionId).filter((entry) => entry.kind !== 'peer').length;
    if (kind !== 'peer' && commands >= LIMITS.queuedCommands) {
      throw new AppError('invalid_input', { detail: `${commands} lines wait to be typed there already` });
    }
    const entry: QueuedLine = {
      id: ids.uuid(),
      session_id: sessionId,
      number: this.#number + 1,
      kind,
      text,
      message_id,
      from_name,
      created_at: clock.now(),
      started_at: null,
    };
    store.add(entry);
    this.#number = entry.number;
    this.#linesOf(sessionId).push(entry);
    return entry;
  }

  hasMessage(messageId: string): boolean {
    return [...this.#lines.values()].flat().some((entry) => entry.message_id === messageId);
  }

  /** Takes out the entries of these messages; one that is being typed goes when not a byte of it got out. */
  removeMessages(ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const entry of [...this.#lines.values()].flat()) {
      if (entry.message_id === null || !ids.includes(entry.message_id)) continue;
      if (this.#isBegun(entry)) this.#withdrawn.add(entry.id);
      else this.#remove(entry);
    }
  }

  /** Compose commands only; peer mail and prompts keep their places. */
  clearCommands(sessionId: string): number {
    const entries = this.list(sessionId).filter((entry) => entry.kind === 'command' && !this.#isBegun(entry));
    for (const entry of entries) this.#remove(entry);
    return entries.length;
  }

  /** The terminal is over. Gives what was never begun. */
  drop(sessionId: string): QueuedLine[] {
    const entries = this.list(sessionId).filter((entry) => !this.#isBegun(entry));
    for (const entry of entries) this.#remove(entry);
    return entries;
  }

  /** MSG-68: looks whether the oldest may be typed now; at most one, since it makes the program busy. */
  pump(sessionId: string): void {
    const [entry] = this.list(sessionId);
    if (entry === undefined || this.#typing.has(sessionId)) return;
    if (this.#dependencies.typer.refusal(sessionId) !== undefined) return;
    this.#typeEntry(entry).catch((error: unknown) => {
      this.#dependencies.log.error({ err: error, session: sessionId }, 'a line was not typed');
    });
  }

  async #typeEntry(entry: QueuedLine): Promise<void> {
    const { store, clock, typer, onSettled, log } = this.#dependencies;
    const { session_id: sessionId } = entry;
    this.#typing.set(sessionId, entry.id);
    try {
      const startedAt = clock.now();
      store.setStarted(entry.id, startedAt);
      entry.started_at = startedAt;
      const outcome = await typer.type(sessionId, entry.text).catch((error: unknown): TypingOutcome => {
        log.error({ err: error, session: sessionId }, 'whether a line was typed is not known');
        return 'uncertain';
      });
      if (outcome === 'untouched') {
        if (this.#withdrawn.has(entry.id)) return this.#remove(entry);
        entry.started_at = null;
        store.setStarted(entry.id, null);
        return;
      }
      this.#remove(entry);
      onSettled(entry, outcome);
    } finally {
      this.#typing.delete(sessionId);
      this.#withdrawn.delete(entry.id);
    }
  }

  /** Nothing stands before a line that is typed now. */
  canTypeNow(sessionId: string): boolean {
    return !this.isBusy(sessionId) && this.#dependencies.typer.refusal(sessionId) === undefined;
  }

  /** A line that waits in no queue (a notice, MSG-71). */
  typeNow(sessionId: string, text: string): Promise<TypingOutcome> {
    if (!this.canTypeNow(sessionId)) return Promise.resolve('untouched');
    this.#typing.set(sessionId, '');
    return this.#dependencies.typer.type(sessionId, text).finally(() => {
      this.#typing.delete(sessionId);
      // What came meanwhile may go next, should this one have been refused.
      this.pump(sessionId);
    });
  }

  #isBegun(entry: QueuedLine): boolean {
    return this.#typing.get(entry.session_id) === entry.id;
  }

  #remove(entry: QueuedLine): void {
    // Memory first: a row that the disk keeps is uncertain after a restart, an entry that memory keeps would be typed again.
    const rest = this.list(entry.session_id).filter((each) => each !== entry);
    if (rest.length === 0) this.#lines.delete(entry.session_id);
    else this.#lines.set(entry.session_id, rest);
    this.#dependencies.store.remove(entry.id);
  }

  #linesOf(sessionId: string): QueuedLine[] {
    let lines = this.#lines.get(sessionId);
    if (lines === undefined) {
      lines = [];
      this.#lines.set(sessionId, lines);
    }
    return lines;
  }
}
