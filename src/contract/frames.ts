/** Frames of a session's WebSocket (http.md 5). All text frames are JSON; format=bytes adds binary frames. */
import type { LogLine, SessionState } from './actions/session.ts';
import type { CloseReason } from './close-reason.ts';
import type { Gap } from './gap.ts';

export type StreamFormat = 'raw' | 'text' | 'log' | 'bytes';

/** Server to client. */
export type StreamFrame =
  | { type: 'output'; data: string; total_written?: number }
  | { type: 'log'; offset: number; total_lines: number; lines?: LogLine[]; screen?: LogLine[]; input_line?: string }
  | { type: 'state'; state: SessionState }
  | ({ type: 'gap' } & Gap)
  /**
   * Text that redraws the whole screen on a reset terminal of this size; output goes on at `offset`. At most 64 KiB.
   * `total_lines` is the log's line count at that moment: lines below it stand above this screen, later ones come with
   * the output. So a viewer can put history and screen together without a seam.
   */
  | { type: 'snapshot'; data: string; offset: number; rows: number; cols: number; total_lines?: number }
  /** format=bytes: the terminal has this size from byte `offset` on. */
  | { type: 'size'; offset: number; rows: number; cols: number }
  | { type: 'exit'; session_id: string; exit_code?: number }
  | { type: 'closed'; session_id: string; reason: CloseReason }
  /** What this viewer sent was refused; no byte of it reached the program. The stream goes on. */
  | { type: 'error'; code: string; error: string }
  /** Answer to a paste; with `error`, nothing of it was written. */
  | { type: 'pasted'; id: number; code?: string; error?: string }
  | { type: 'event'; event: string; data: unknown };

/** Client to server, format=bytes only. Input is a binary frame. */
export type StreamControl =
  | { type: 'ack'; offset: number }
  | { type: 'resize'; rows: number; cols: number }
  | { type: 'visible'; visible: boolean }
  /** The next binary frames, `bytes` in all, are written as one: whole or not at all. */
  | { type: 'paste'; id: number; bytes: number };

/** Binary frame of format=bytes: u64 LE offset, then the bytes from that offset on. */
export const BYTES_HEADER = 8;
