/**
 * Owns the application log in memory: what the server, its workspaces and pages have to say, the newest LIMITS.logRing entries and
 * LIMITS.logRingText of text. Ids only grow, also over `clear`, so a reader that follows misses nothing that is kept. What clients send is
 * shown as text and nothing else; secrets are taken out like everywhere.
 */
import type { Clock } from '../../base/index.ts';
import {
  LIMITS,
  type LogAudience,
  type LogEntry,
  type LogInput,
  type LogLevel,
  type LogQuery,
} from '../../contract/index.ts';
import { scrubSecrets } from '../../platform/log/index.ts';

const DEBUG_BELOW = 30;
const WARN_FROM = 40;
const ERROR_FROM = 50;

function levelOf(value: unknown): LogLevel {
  if (typeof value !== 'number' || value >= ERROR_FROM) return 'error';
  if (value >= WARN_FROM) return 'warn';
  return value < DEBUG_BELOW ? 'debug' : 'info';
}

function sizeOf(entry: LogEntry): number {
  return entry.message.length + entry.source.length + (entry.data_json?.length ?? 0);
}

export class ApplicationLog {
  readonly #clock: Clock;
  #entries: LogEntry[] = [];
  #text = 0;
  #nextId = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ level, source, message, data_json, audience }: LogInput): void {
    const entry: LogEntry = {
      id: this.#nextId,
      timestamp_ms: this.#clock.now(),
      level,
      source: scrubSecrets(source),
      message: scrubSecrets(message),
      ...(data_json === null || data_json === undefined ? {} : { data_json: scrubSecrets(data_json) }),
      audience,
    };
    this.#push(entry);
  }

  /** A finished line of the server's own log. */
  addLine(line: string): void {
    const { level, time, msg, source, audience, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const timestamp = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    this.#push({
      id: this.#nextId,
      timestamp_ms: Number.isNaN(timestamp) ? this.#clock.now() : timestamp,
      level: levelOf(level),
      source: typeof source === 'string' ? source : 'server',
      message: typeof msg === 'string' ? msg : '',
      ...(Object.keys(rest).length === 0 ? {} : { data_json: JSON.stringify(rest) }),
      audience: audience === 'user' ? 'user' : ('diagnostic' satisfies LogAudience),
    });
  }

  /** Oldest first. The limit comes before the filters (http.md 19). */
  list(query: LogQuery): LogEntry[] {
    const newest = query.limit === 0 ? this.#entries : this.#entries.slice(-query.limit);
    return newest
      .filter(
        (entry) =>
          (query.level === undefined || entry.level === query.level) &&
          (query.source === undefined || entry.source === query.source) &&
          (query.audience === undefined || entry.audience === query.audience) &&
          (query.after === undefined || entry.id > query.after),
      )
      .map((entry) => ({ ...entry }));
  }

  clear(): void {
    this.#entries = [];
    this.#text = 0;
  }

  #push(entry: LogEntry): void {
    const newest = this.#entries.at(-1);
    if (newest !== undefined && isSame(newest, entry)) {
      newest.repeat_count = (newest.repeat_count ?? 0) + 1;
      return;
    }
    this.#nextId++;
    this.#entries.push(entry);
    this.#text += sizeOf(entry);
    let gone = 0;
    while (this.#entries.length - gone > LIMITS.logRing || this.#text > LIMITS.logRingText) {
      const oldest = this.#entries[gone];
      if (oldest === undefined) break;
      this.#text -= sizeOf(oldest);
      gone++;
    }
    if (gone > 0) this.#entries.splice(0, gone);
  }
}

function isSame(one: LogEntry, other: LogEntry): boolean {
  return (
    one.level === other.level &&
    one.source === other.source &&
    one.message === other.message &&
    one.data_json === other.data_json &&
    one.audience === other.audience
  );
}
