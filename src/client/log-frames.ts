/** Reads the frames of a format=log stream. What it does not know is no frame: newer servers may say more. */
import { CLOSE_REASONS, GAP_REASONS, type LogLine, type SessionState, type StreamFrame } from '../contract/index.ts';

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lines are taken as declared but for what would break a reader that walks through them. */
function readLines(value: unknown): LogLine[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((line: unknown) => {
    const spans = isObject(line) && Array.isArray(line.spans) ? line.spans : [];
    return { spans: spans.filter((span: unknown) => isObject(span) && typeof span.text === 'string') } as LogLine;
  });
}

export function readLogFrame(text: string): StreamFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isObject(frame)) return undefined;
  const { type, offset, from, to } = frame;
  switch (type) {
    case 'log': {
      if (!isCount(offset)) return undefined;
      const lines = readLines(frame.lines);
      const screen = readLines(frame.screen);
      return {
        type,
        offset,
        total_lines: isCount(frame.total_lines) ? frame.total_lines : offset + (lines?.length ?? 0),
        ...(lines === undefined ? {} : { lines }),
        ...(screen === undefined ? {} : { screen }),
      };
    }
    case 'gap': {
      const reason = GAP_REASONS.find((known) => known === frame.reason) ?? 'evicted';
      return isCount(from) && isCount(to) ? { type, from, to, reason } : undefined;
    }
    case 'state':
      return isObject(frame.state) ? { type, state: frame.state as unknown as SessionState } : undefined;
    case 'exit': {
      const code = frame.exit_code;
      const session_id = String(frame.session_id);
      return Number.isInteger(code) ? { type, session_id, exit_code: Number(code) } : { type, session_id };
    }
    case 'closed': {
      const reason = CLOSE_REASONS.find((known) => known === frame.reason);
      return reason === undefined ? undefined : { type, session_id: String(frame.session_id), reason };
    }
    default:
      return undefined;
  }
}
