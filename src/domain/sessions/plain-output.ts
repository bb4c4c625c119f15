/** A session's output as plain text with a line cursor, for agents (SES-6): at most `limit` bytes, cut at line starts. */
import { type Gap, LIMITS, type LogLine, type PlainOutput, type PlainOutputQuery } from '../../contract/index.ts';
import { readLogWindow } from './log-window.ts';
import type { Terminal } from './terminal.ts';

function textOf(line: LogLine): string {
  return line.spans.map((span) => span.text).join('');
}

/** The newest rows that fit into `most` bytes. */
function newestRows(rows: readonly string[], most: number): string[] {
  let bytes = 0;
  let from = rows.length;
  while (from > 0) {
    bytes += Buffer.byteLength(rows[from - 1] ?? '') + 1;
    if (bytes > most && from < rows.length) break;
    from--;
  }
  return rows.slice(from);
}

/** Call when the terminal is parsed. */
export function readPlainOutput(terminal: Terminal, query: PlainOutputQuery): PlainOutput {
  const { log } = terminal;
  const limit = Math.min(query.limit, LIMITS.logText);
  const oldest = Math.min(Math.max(log.oldest, log.clearedAt), log.total);
  const asked = query.since_cursor ?? query.from_line;
  const answer = (lines: readonly string[], cursor: number, gap?: Gap): PlainOutput => {
    const data = lines.join('\n');
    return {
      data,
      data_length: Buffer.byteLength(data),
      cursor,
      total_written: terminal.engine.ingestedOffset,
      scrollback_lines: log.total - oldest,
      oldest_offset: oldest,
      ...(gap === undefined ? {} : { gap }),
    };
  };
  if (asked !== undefined) {
    const window = readLogWindow(log, { offset: asked, limit: LIMITS.logLines, most: limit });
    return answer(window.lines.map(textOf), window.offset + window.lines.length, window.gap);
  }
  const rows = terminal
    .screenView()
    .lines.map(textOf)
    .filter((row) => row.trim() !== '');
  const screen = newestRows(rows, limit);
  // Nothing stands above rows that are left out: it would seem to go on where it does not.
  if (screen.length < rows.length) return answer(screen, log.total);
  const left = limit - screen.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0);
  const above =
    left > 0 ? readLogWindow(log, { offset: undefined, limit: LIMITS.logLines, most: left }).lines.map(textOf) : [];
  // The window gives one line at least, also one that does not fit.
  const fitting =
    above.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) > left && screen.length > 0
      ? above.slice(1)
      : above;
  return answer([...fitting, ...screen], log.total);
}
