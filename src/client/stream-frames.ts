/** Reads the frames of a format=bytes stream. What it does not know is no frame: newer servers may say more. */
import { BYTES_HEADER, CLOSE_REASONS, type CloseReason, GAP_REASONS, type GapReason } from '../contract/index.ts';

export type IncomingFrame =
  | { type: 'bytes'; offset: number; bytes: Uint8Array }
  | { type: 'gap'; from: number; to: number; reason: GapReason }
  | { type: 'snapshot'; data: string; offset: number; rows: number; cols: number; totalLines: number | undefined }
  | { type: 'size'; offset: number; rows: number; cols: number }
  | { type: 'exit'; exitCode: number | undefined }
  | { type: 'closed'; reason: CloseReason }
  /** `error`: nothing of the paste was written, and why. */
  | { type: 'pasted'; id: number; error: string | undefined };

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1;
}

export function readBinaryFrame(data: ArrayBuffer): IncomingFrame | undefined {
  if (data.byteLength < BYTES_HEADER) return undefined;
  const offset = Number(new DataView(data).getBigUint64(0, true));
  if (!isOffset(offset)) return undefined;
  return { type: 'bytes', offset, bytes: new Uint8Array(data, BYTES_HEADER) };
}

export function readTextFrame(text: string): IncomingFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof frame !== 'object' || frame === null) return undefined;
  return readFrame(frame as Record<string, unknown>);
}

function readFrame(frame: Record<string, unknown>): IncomingFrame | undefined {
  const { type, offset, rows, cols, from, to } = frame;
  switch (type) {
    case 'gap': {
      const reason = GAP_REASONS.find((known) => known === frame.reason) ?? 'evicted';
      return isOffset(from) && isOffset(to) ? { type, from, to, reason } : undefined;
    }
    case 'snapshot':
      if (!isOffset(offset) || !isSize(rows) || !isSize(cols) || typeof frame.data !== 'string') return undefined;
      return {
        type,
        data: frame.data,
        offset,
        rows,
        cols,
        totalLines: isOffset(frame.total_lines) ? frame.total_lines : undefined,
      };
    case 'size':
      return isOffset(offset) && isSize(rows) && isSize(cols) ? { type, offset, rows, cols } : undefined;
    case 'exit':
      return { type, exitCode: Number.isInteger(frame.exit_code) ? Number(frame.exit_code) : undefined };
    case 'closed': {
      const reason = CLOSE_REASONS.find((known) => known === frame.reason);
      return reason === undefined ? undefined : { type, reason };
    }
    case 'pasted':
      if (!isOffset(frame.id)) return undefined;
      return { type, id: frame.id, error: typeof frame.error === 'string' ? frame.error : undefined };
    default:
      return undefined;
  }
}
