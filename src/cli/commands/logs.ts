/** tuic logs, logs access: what the server said, and who changed what. */
import { type AccessEntry, LIMITS, LOG_LEVELS, type LogEntry, type LogLevel } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { follow } from '../follow.ts';
import { lookUpSession } from '../session-ref.ts';
import { formatCount, formatDateTime, toSafeText } from '../text.ts';

const USUAL_ENTRIES = 50;

export interface LogOptions {
  lines?: number;
  follow?: boolean;
  level?: LogLevel;
  source?: string;
  audience?: 'user' | 'diagnostic';
  json?: boolean;
}

function describeData(text: string | undefined): string {
  if (text === undefined) return '';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return toSafeText(text);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toSafeText(text);
  return Object.entries(value)
    .map(([key, inner]) => toSafeText(`${key}=${typeof inner === 'string' ? inner : JSON.stringify(inner)}`))
    .join('  ');
}

function logPrinter(context: Context, isJson: boolean): (entry: LogEntry) => void {
  const { style } = context;
  const colours: Record<LogLevel, (text: string) => string> = {
    debug: style.dim,
    info: style.green,
    warn: style.yellow,
    error: style.red,
  };
  return (entry) => {
    if (isJson) return context.printJsonLine(entry);
    const repeated = entry.repeat_count === undefined ? '' : `  (repeated ${formatCount(entry.repeat_count, 'time')})`;
    const parts = [
      style.dim(formatDateTime(entry.timestamp_ms)),
      colours[entry.level](entry.level.padEnd(5)),
      style.bold(toSafeText(entry.source)),
      toSafeText(entry.message) + repeated,
      style.dim(describeData(entry.data_json)),
    ];
    context.print(parts.filter((part) => part !== '').join('  '));
  };
}

export async function showLogs(context: Context, options: LogOptions): Promise<void> {
  const { source, audience } = options;
  const least = LOG_LEVELS.indexOf(options.level ?? 'debug');
  const isWanted = ({ level }: LogEntry) => LOG_LEVELS.indexOf(level) >= least;
  const query = { ...(source === undefined ? {} : { source }), ...(audience === undefined ? {} : { audience }) };
  const print = logPrinter(context, options.json === true);
  const lines = options.lines ?? USUAL_ENTRIES;
  if (options.follow !== true) {
    const entries = (await (await context.connect()).logs.list(query)).filter(isWanted);
    for (const entry of lines === 0 ? [] : entries.slice(-lines)) print(entry);
    return;
  }
  let newest: LogEntry | undefined;
  let isFirst = true;
  await follow(context, async (client, isNewServer) => {
    if (isNewServer) newest = undefined;
    // The newest one again: it may have come another time.
    const after = newest === undefined ? {} : { after: newest.id - 1 };
    const entries = await client.logs.list({ ...query, ...after });
    const fresh = entries.filter((entry) => {
      return newest === undefined || entry.id > newest.id || entry.repeat_count !== newest.repeat_count;
    });
    const wanted = fresh.filter(isWanted);
    const shown = isFirst ? (lines === 0 ? [] : wanted.slice(-lines)) : wanted;
    for (const entry of shown) print(entry);
    newest = entries.at(-1) ?? newest;
    isFirst = false;
    return false;
  });
}

export interface AccessOptions {
  lines?: number;
  follow?: boolean;
  since?: number;
  session?: string;
  json?: boolean;
}

function accessPrinter(context: Context, isJson: boolean): (entry: AccessEntry) => void {
  const { style } = context;
  return (entry) => {
    if (isJson) return context.printJsonLine(entry);
    const status = String(entry.status);
    const parts = [
      style.dim(formatDateTime(entry.time_ms)),
      entry.listener.padEnd(6),
      (entry.status >= 500 ? style.red : entry.status >= 400 ? style.yellow : style.green)(status),
      entry.method.padEnd(6),
      style.bold(toSafeText(entry.route)),
      `${Math.round(entry.duration_ms)} ms`,
      style.dim(toSafeText(entry.client === entry.credential ? entry.client : `${entry.client} (${entry.credential})`)),
      style.dim(toSafeText(entry.session_id ?? '')),
    ];
    context.print(parts.filter((part) => part !== '').join('  '));
  };
}

/** Entries of `now` that are not in `before`, each as often as it is there: equal writes are different writes. */
function whatIsNew(before: readonly AccessEntry[], now: readonly AccessEntry[]): AccessEntry[] {
  const known = new Map<string, number>();
  for (const entry of before) {
    const key = JSON.stringify(entry);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  return now.filter((entry) => {
    const key = JSON.stringify(entry);
    const left = known.get(key) ?? 0;
    if (left > 0) known.set(key, left - 1);
    return left === 0;
  });
}

export async function showAccess(context: Context, options: AccessOptions): Promise<void> {
  const client = await context.connect();
  const lines = options.lines ?? USUAL_ENTRIES;
  const session = options.session === undefined ? undefined : await lookUpSession(client, options.session);
  const query = {
    ...(options.since === undefined ? {} : { since: options.since }),
    ...(session === undefined ? {} : { session_id: session.session_id }),
  };
  const print = accessPrinter(context, options.json === true);
  if (options.follow !== true) {
    if (lines > 0) for (const entry of await client.logs.access({ ...query, limit: lines })) print(entry);
    return;
  }
  // By what the entries are, not by their time: a clock may be set back. The file outlives a server, so nothing begins anew.
  let before: AccessEntry[] | undefined;
  await follow(context, async (server) => {
    let now = await server.logs.access({ ...query, limit: LIMITS.accessFollow });
    let fresh = before === undefined ? [] : whatIsNew(before, now);
    if (before !== undefined && fresh.length === now.length && now.length === LIMITS.accessFollow) {
      now = await server.logs.access({ ...query, limit: LIMITS.accessEntries });
      fresh = whatIsNew(before, now);
    }
    if (before === undefined) fresh = lines === 0 ? [] : now.slice(-lines);
    for (const entry of fresh) print(entry);
    before = now;
    return false;
  });
}
