/** Reads many lines of a session's log. One answer holds at most LIMITS.logText of text, so it takes several for long lines. */
import type { Client } from '../../src/client/index.ts';
import { LIMITS, type LogLine } from '../../src/contract/index.ts';

export interface LogPages {
  /** In order, none missing between the first and the last. */
  lines: LogLine[];
  /** The screen as it was when the last of the lines was read. */
  screen: LogLine[];
}

/** What is read of the client. */
export interface LogSource {
  sessions: Pick<Client['sessions'], 'logOutput'>;
}

/** The lines from `from` up to `end` (absolute, exclusive), or up to the newest one when `end` is undefined. */
export async function readLogPages(
  source: LogSource,
  id: string,
  window: { from: number; end?: number | undefined; signal?: AbortSignal | undefined },
): Promise<LogPages> {
  const lines: LogLine[] = [];
  const signal = window.signal === undefined ? {} : { signal: window.signal };
  for (let offset = window.from; ; ) {
    const limit = window.end === undefined ? LIMITS.logLines : window.end - offset;
    if (limit <= 0) return { lines, screen: [] };
    const page = await source.sessions.logOutput(id, { offset, limit, ...signal });
    lines.push(...page.lines);
    offset = page.offset + page.lines.length;
    const isEnd = page.lines.length === 0 || offset >= Math.min(window.end ?? page.total_lines, page.total_lines);
    if (isEnd) return { lines, screen: page.screen };
  }
}
