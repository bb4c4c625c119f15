/** Reading a session's output at rest (http.md 3): raw bytes, the screen as text, the log with styles. */
import {
  type Gap,
  LIMITS,
  type LogOutput,
  type Output,
  type OutputQuery,
  type RawOutput,
} from '../../contract/index.ts';
import { readLogWindow } from './log-window.ts';
import type { Terminal } from './terminal.ts';
import { continuationLength, danglingLength, decodeUtf8 } from './utf8.ts';

const RAW_LIMIT = 8_192;

/** Call when the terminal is parsed. */
export async function readOutput(terminal: Terminal, query: OutputQuery): Promise<Output> {
  switch (query.format) {
    case 'raw':
      return readRaw(terminal, query);
    case 'text':
      return readText(terminal, query);
    case 'log':
      return readLog(terminal, query);
  }
}

/** The newest `limit` bytes, or those from `offset` on; never more than the ring (the bound comes before decoding: T07). */
async function readRaw(terminal: Terminal, query: OutputQuery): Promise<RawOutput> {
  const total = terminal.engine.ingestedOffset;
  const limit = Math.min(query.limit ?? RAW_LIMIT, LIMITS.ring);
  const from = query.offset === undefined ? Math.max(0, total - limit) : Math.min(query.offset, total);
  const to = Math.min(total, from + limit);
  const read = await terminal.readRing(from, to);
  if (read === undefined) return readLostRaw(terminal, limit);
  const hasMore = read.offset + read.bytes.length < total || terminal.end === undefined;
  const start = read.offset > 0 ? continuationLength(read.bytes) : 0;
  const end = read.bytes.length - (hasMore ? danglingLength(read.bytes) : 0);
  const data = decodeUtf8(read.bytes.subarray(start, Math.max(start, end)));
  const output: RawOutput = { data, data_length: Buffer.byteLength(data), total_written: total };
  if (query.offset !== undefined && read.offset > from) {
    output.gap = { from, to: read.offset, reason: 'evicted' };
  }
  return output;
}

/** The host took its ring with it: the last screen stands for the bytes, and the gap says so. */
function readLostRaw(terminal: Terminal, limit: number): RawOutput {
  const { data: screen, offset } = terminal.snapshot();
  const total = terminal.engine.ingestedOffset;
  const bytes = Buffer.from(screen);
  const window = bytes.subarray(Math.max(0, bytes.length - limit));
  const data = decodeUtf8(window.subarray(window.length < bytes.length ? continuationLength(window) : 0));
  const gap: Gap = { from: 0, to: offset, reason: 'evicted' };
  return { data, data_length: Buffer.byteLength(data), total_written: total, gap };
}

function readText(terminal: Terminal, query: OutputQuery): RawOutput {
  const grid = terminal.engine.text();
  const rows = terminal.engine.rows;
  let lines = grid;
  if (query.offset !== undefined) {
    lines = grid.slice(query.offset, query.offset + (query.limit ?? rows));
  } else if (query.limit !== undefined && query.limit < grid.length) {
    // The newest rows are those above the blank rest of the screen.
    const used = grid.findLastIndex((line) => line !== '') + 1;
    lines = grid.slice(Math.max(0, used - query.limit), Math.max(used, query.limit));
  }
  const data = lines.join('\n');
  return { data, data_length: Buffer.byteLength(data), total_written: rows };
}

function readLog(terminal: Terminal, query: OutputQuery): LogOutput {
  const { log } = terminal;
  const window = readLogWindow(log, {
    offset: query.offset,
    limit: Math.min(query.limit ?? LIMITS.logLines, LIMITS.logLines),
    most: LIMITS.logText,
  });
  const output: LogOutput = {
    lines: window.lines,
    total_lines: log.total,
    offset: window.offset,
    screen: terminal.screenView().lines,
  };
  if (window.gap !== undefined) output.gap = window.gap;
  return output;
}
