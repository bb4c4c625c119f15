/**
 * Owns `logs/access.log` and its older files: one line a write, never content (http.md 19). Recording never waits for the disk and never
 * fails the request it belongs to; a disk that takes nothing is told once, and what is missing is told when it does again.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { type AccessEntry, type AccessQuery, accessEntrySchema, LIMITS } from '../../contract/index.ts';
import { RotatingFile } from '../../platform/log/index.ts';

export interface AccessLog {
  record(entry: AccessEntry): void;
  /** The newest that match, newest last. */
  read(query: AccessQuery): Promise<AccessEntry[]>;
  close(): Promise<void>;
}

export interface AccessLogOptions {
  /** The folder `logs`. */
  directory: string;
  clock: Clock;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  fileLimit?: number;
}

/** A line that is damaged or from another hand is none. */
function parseEntry(line: string): AccessEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return accessEntrySchema.safeParse(value).data;
}

export function createAccessLog(options: AccessLogOptions): AccessLog {
  const { directory, clock, log } = options;
  const path = join(directory, 'access.log');
  const file = new RotatingFile({
    path,
    limit: options.fileLimit ?? LIMITS.accessFile,
    keep: LIMITS.accessFilesKept,
    clock,
    onFailure: (error) =>
      log.error(
        { source: 'access-log', audience: 'user', path, reason: error.message },
        'the access log cannot be written; the server goes on without it and tries again',
      ),
    onRecovered: (lost) =>
      log.warn({ source: 'access-log', audience: 'user', path, lost }, 'the access log is written again'),
  });
  return {
    record: (entry) => file.append(JSON.stringify(entry)),
    async read({ limit, since, session_id }) {
      const found: AccessEntry[] = [];
      for await (const line of file.newestFirst()) {
        const entry = parseEntry(line);
        if (entry === undefined) continue;
        if (since !== undefined && entry.time_ms < since) continue;
        if (session_id !== undefined && entry.session_id !== session_id) continue;
        found.push(entry);
        if (found.length === limit) break;
      }
      return found.reverse();
    },
    close: () => file.close(),
  };
}
