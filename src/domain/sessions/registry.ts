/**
 * All sessions of this server, by id, and the three addresses of each (ADR-1..9). Owns the map and the rows behind it:
 * what is changed here is changed in the table in the same step.
 */
import { type Ids, isCanonicalUuid } from '../../base/index.ts';
import { AppError } from '../../contract/index.ts';
import { choosePrefix, directoryName, parseAlias } from './aliases.ts';
import type { SessionLog } from './ports.ts';
import { Session } from './session.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

export class Registry {
  readonly #store: SessionStore;
  readonly #log: SessionLog;
  readonly #sessions = new Map<string, Session>();
  /** Ids that a create under way has taken. */
  readonly #reserved = new Set<string>();
  /** Rows the table refused; tried again by the sweep. */
  readonly #unsaved = new Set<string>();

  constructor(store: SessionStore, log: SessionLog) {
    this.#store = store;
    this.#log = log;
  }

  load(): void {
    for (const record of this.#store.load()) this.#sessions.set(record.id, new Session(record));
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  byId(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Sessions that count against the cap, with those that are being created. */
  get runningCount(): number {
    let count = this.#reserved.size;
    for (const session of this.#sessions.values()) {
      if (session.isRunning && !this.#reserved.has(session.id)) count++;
    }
    return count;
  }

  reserve(id: string): void {
    this.#reserved.add(id);
  }

  releaseReservation(id: string): void {
    this.#reserved.delete(id);
  }

  isReserved(id: string): boolean {
    return this.#reserved.has(id);
  }

  /** A session's identity is its id when that can be one. */
  identityFor(id: string, ids: Ids): string {
    return isCanonicalUuid(id) ? id : ids.uuid();
  }

  isTaken(id: string): boolean {
    return this.#sessions.has(id) || this.#reserved.has(id);
  }

  /** Id, then identity, then alias; of several with one identity the newest. Unknown: unchanged (ADR-2, ADR-8). */
  resolve(ref: string): string {
    const direct = this.#sessions.get(ref);
    if (direct?.isAddressable) return ref;
    const addressable = this.all().filter((session) => session.isAddressable);
    const found =
      addressable.findLast((session) => session.record.tuic_session === ref && session.lifecycle === 'live') ??
      addressable.findLast((session) => session.record.tuic_session === ref) ??
      addressable.find((session) => session.record.alias === ref);
    return found?.id ?? ref;
  }

  find(ref: string): Session | undefined {
    const session = this.#sessions.get(this.resolve(ref));
    return session?.record.lifecycle === 'starting' ? undefined : session;
  }

  get(ref: string): Session {
    const session = this.find(ref);
    if (session === undefined) throw new AppError('session_not_found');
    return session;
  }

  /** Stores a new row; a refusal of the disk is the caller's error. */
  add(record: SessionRecord): Session {
    this.#store.save(record);
    const session = new Session(record);
    this.#sessions.set(record.id, session);
    return session;
  }

  /**
   * Changes a row. The change holds even when the disk refuses it (a session's end cannot be undone): that is logged, and
   * the row is written again later.
   */
  update(session: Session, change: Partial<SessionRecord>): void {
    session.record = { ...session.record, ...change };
    this.#save(session);
  }

  retryUnsaved(): void {
    for (const id of [...this.#unsaved]) {
      const session = this.#sessions.get(id);
      this.#unsaved.delete(id);
      if (session !== undefined) this.#save(session);
    }
  }

  #save(session: Session): void {
    this.#guard(session.id, () => this.#store.save(session.record));
  }

  remove(session: Session): void {
    this.#sessions.delete(session.id);
    this.#unsaved.delete(session.id);
    this.#guard(session.id, () => this.#store.remove(session.id));
  }

  #guard(id: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (this.#sessions.has(id)) this.#unsaved.add(id);
      this.#log.error({ session: id, reason: error.message }, 'the session table was not written');
    }
  }

  /** A restored alias is honoured when it is well formed and free; else a fresh one is minted (ADR-5). */
  assignAlias(
    requested: string | undefined,
    cwd: string,
    inherited: Session | undefined,
  ): { alias: string; name: string } {
    const name = directoryName(cwd);
    const holders = this.all()
      .filter((session) => (session.isAddressable || session.record.lifecycle === 'starting') && session !== inherited)
      .map(({ record }) => ({ alias: record.alias, name: record.alias_name }));
    for (const wanted of [requested, inherited?.record.alias]) {
      const parsed = wanted === undefined ? undefined : parseAlias(wanted);
      if (wanted === undefined || parsed === undefined || holders.some((holder) => holder.alias === wanted)) continue;
      this.#store.raiseAliasNumber(parsed.prefix, parsed.number);
      return { alias: wanted, name };
    }
    const prefix = choosePrefix(name, holders);
    return { alias: `${prefix}-${this.#store.nextAliasNumber(prefix)}`, name };
  }
}
