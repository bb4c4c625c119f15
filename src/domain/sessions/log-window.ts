/** Reading the log with a bound on bytes before the bound on lines (T07), and telling what a cursor missed. */
import type { Gap, LogLine } from '../../contract/index.ts';
import type { LogReader } from './screen/model.ts';

export interface LogWindowQuery {
  /** First line wanted; undefined: the newest `limit` lines. */
  offset: number | undefined;
  limit: number;
  /** Most bytes of text, at least one line is given. */
  most: number;
}

export interface LogWindowResult {
  offset: number;
  lines: LogLine[];
  gap?: Gap;
}

/** Lines are read in steps, so that a window of huge lines costs no more than its bound. */
const STEP = 64;

export function readLogWindow(log: LogReader, query: LogWindowQuery): LogWindowResult {
  const oldest = Math.min(Math.max(log.oldest, log.clearedAt), log.total);
  return query.offset === undefined ? readNewest(log, oldest, query) : readFrom(log, oldest, query.offset, query);
}

function readFrom(log: LogReader, oldest: number, asked: number, { limit, most }: LogWindowQuery): LogWindowResult {
  const start = Math.min(Math.max(asked, oldest), log.total);
  const lines: LogLine[] = [];
  let bytes = 0;
  while (lines.length < limit && start + lines.length < log.total && bytes < most) {
    const step = log.read(start + lines.length, Math.min(STEP, limit - lines.length)).lines;
    if (step.length === 0) break;
    for (const line of step) {
      bytes += lineBytes(line);
      if (bytes > most && lines.length > 0) break;
      lines.push(line);
    }
  }
  const result: LogWindowResult = { offset: start, lines };
  if (asked < oldest) {
    const reason = log.clearedAt >= log.oldest ? 'cleared by program' : 'evicted';
    result.gap = { from: asked, to: oldest, reason };
  }
  return result;
}

function readNewest(log: LogReader, oldest: number, { limit, most }: LogWindowQuery): LogWindowResult {
  const lines: LogLine[] = [];
  let start = log.total;
  let bytes = 0;
  const lowest = Math.max(oldest, log.total - limit);
  while (start > lowest && bytes < most) {
    const from = Math.max(lowest, start - STEP);
    const step = log.read(from, start - from).lines;
    if (step.length === 0) break;
    for (const line of step.reverse()) {
      bytes += lineBytes(line);
      if (bytes > most && lines.length > 0) break;
      lines.push(line);
      start--;
    }
  }
  return { offset: start, lines: lines.reverse() };
}

function lineBytes(line: LogLine): number {
  return line.spans.reduce((sum, span) => sum + Buffer.byteLength(span.text), 2);
}
