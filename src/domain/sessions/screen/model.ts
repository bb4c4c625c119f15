/**
 * The screen engine's port. One engine a session: it filters the raw output, parses it in bounded slices, answers terminal
 * queries and keeps the compact log. It knows no timers and no sockets: its owner (the session) decides when to parse.
 */
import type { Clock, Disposable } from '../../../base/index.ts';
import type { LogLine } from '../../../contract/index.ts';

/** What `ingest` gives back for viewers: clamped (D10, DESIGN 4), same length and offsets as the program wrote. */
export interface FilteredOutput {
  offset: number;
  bytes: Uint8Array;
}

/** Byte-level findings; they do not wait for the parser. `offset` is just past the sequence. Content is untrusted text. */
export type ScreenSignal =
  | { kind: 'bell'; offset: number }
  | { kind: 'title'; offset: number; title: string }
  | { kind: 'osc'; offset: number; code: number; data: string }
  | { kind: 'mode'; offset: number; mode: 1049 | 2004 | 2026; on: boolean };

/** An answer to a terminal query; `queryOffset` is just past the query. */
export interface TerminalAnswer {
  queryOffset: number;
  data: string;
}

export interface ScreenSnapshot {
  /** Redraws the whole screen (active buffer, normal buffer behind it, modes, cursor) on a reset terminal. <= 64 KiB, no queries. */
  data: string;
  /** Where output goes on: start of the unfinished sequence, or the parsed offset. */
  offset: number;
  rows: number;
  cols: number;
  /** Lines of the log above this screen; the session adds it. */
  totalLines?: number;
}

export interface LogWindow {
  /** Where the returned window starts; later than asked when older lines are gone. */
  offset: number;
  lines: LogLine[];
}

/**
 * One finalised-line store: logical lines that scrolled off, 10,000 kept, absolute numbering that never goes back. A line that
 * wraps is finalised when its last row left the screen; one that is partly on the screen does not count yet. A line of more
 * than 32 KiB is cut there and counts as several. Kept are at most 4 MiB, whatever the number of lines.
 */
export interface LogReader {
  /** Logical lines ever finalised. */
  readonly total: number;
  /** Oldest line still kept. */
  readonly oldest: number;
  /** Line number at which the program last cleared the scrollback (CSI 3 J, RIS), or 0. */
  readonly clearedAt: number;
  read(offset: number, limit: number): LogWindow;
}

/** Durable form of an engine: `blob` (screen, modes, small tail) plus new log chunks since the last call. Opaque to everyone else. */
export interface ScreenCheckpoint {
  /** Output before it is contained; resume feeding exactly here. */
  offset: number;
  blob: Uint8Array;
}

export interface LogChunk {
  number: number;
  /** Only grows for a given number; once a higher number exists it is final. */
  bytes: Uint8Array;
}

export interface ScreenEngine extends Disposable {
  readonly cols: number;
  readonly rows: number;
  /** Bytes before it have been parsed. */
  readonly parsedOffset: number;
  /** Bytes ingested but not parsed yet. */
  readonly pendingBytes: number;
  /** A terminal query waits in the pending bytes: parse at once. */
  readonly hasPendingQuery: boolean;
  readonly log: LogReader;
  /** Highest offset ingested: offset of the next byte expected. */
  readonly ingestedOffset: number;
  readonly bracketedPaste: boolean;
  /** Arrow keys are sent in their application form (DECCKM); as far as parsed. */
  readonly applicationCursorKeys: boolean;
  readonly alternateScreen: boolean;
  readonly title: string;
  /** Reply-shaped viewer input may be dropped while this is true for its kind (D10). Owner asks with the time since the query. */
  readonly lastQueryOffset: number;

  /**
   * Takes the next bytes (contiguous with what came before; may be modified in place). Returns what viewers may get now:
   * an unfinished CSI at the end is held back until its next bytes come (bounded).
   */
  ingest(offset: number, bytes: Uint8Array): FilteredOutput;
  /** The terminal has this size from `offset` (= ingestedOffset) on. */
  ingestResize(offset: number, cols: number, rows: number): void;
  /** Bytes [ingestedOffset, to) are gone: resets the parser state, keeps the screen, continues at `to`. */
  ingestGap(to: number): void;
  /** Parses pending output for about `milliseconds` (slices <= 16 KiB, cost-weighted). True while work is left. */
  parse(milliseconds: number): boolean;
  /** Parses everything pending; only for bounded backlogs. */
  parseAll(): void;
  /**
   * The program is gone, nothing will follow: parses everything and returns what was held back. A cut UTF-8 character shows as
   * one U+FFFD.
   */
  finish(): FilteredOutput;

  snapshot(): ScreenSnapshot;
  /** Grid rows of the active buffer as plain text without trailing blanks. */
  text(): string[];
  /** Grid rows of the active buffer with styles. */
  screenLines(): LogLine[];
  /** What stands above the screen of the line that goes on at its top: rows that scrolled off and do not count as a line yet. */
  openLine(): LogLine | undefined;
  cursor(): { row: number; col: number };

  /** Call it before logChunks() in the same turn: it refers to the lengths that chunks have now. */
  checkpoint(): ScreenCheckpoint;
  /**
   * All log chunks there are, as views: the store appends what it lacks and drops numbers below `first`. After a restore the
   * engine never appends to a stored chunk, so a store that is ahead of its checkpoint is harmless.
   */
  logChunks(): { first: number; chunks: LogChunk[] };

  /**
   * Bytes of a replay for a viewer, from the host ring: clamped, and with queries blanked by NULs (T11). Give the whole replay
   * at once: a query cut by the end of `bytes` is not found.
   */
  cleanReplay(bytes: Uint8Array): Uint8Array;

  onAnswer(listener: (answer: TerminalAnswer) => void): Disposable;
  onSignal(listener: (signal: ScreenSignal) => void): Disposable;
}

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Where output starts; > 0 without a checkpoint means the beginning is gone. */
  origin?: number;
  /** Queries that end before this offset are not answered. */
  answerAfter?: number;
  logLines?: number;
  checkpoint?: ScreenCheckpoint;
  /** Chunks that belong to the checkpoint, as stored. */
  chunks?: LogChunk[];
  /** For the time budget of parse(); default: the system clock. */
  clock?: Clock;
  /** Product version, told to programs that ask for it. */
  version?: string;
}

/** Throws RangeError when the checkpoint is of an unknown format. */
export type CreateScreen = (options: ScreenOptions) => ScreenEngine;
