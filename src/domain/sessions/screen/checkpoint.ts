/**
 * The durable form of an engine: everything that its further behaviour depends on, except log chunks, which a store keeps
 * beside it. Format: magic with version | u32 length of JSON | JSON | rows of both buffers (u8 wrapped | u16 text | u16 runs |
 * row-codec bytes).
 */
import { COMBINED, usedLength, WIDTH_SHIFT } from './cells.ts';
import type { LogState } from './compact-log.ts';
import type { BorderState, LoggedTerminal } from './logged-terminal.ts';
import type { LogChunk } from './model.ts';
import { decodeCells, decodeRuns, encodeRow, scratch } from './row-codec.ts';
import type { OpenString } from './sequence-filter.ts';
import type { BufferName, TerminalState } from './terminal-state.ts';
import type { TrackedState } from './tracked-state.ts';
import type { RestoringRow, XtermAdapter } from './xterm-adapter.ts';

const MAGIC = 0x31435354;
const ROW_HEADER = 5;
const BUFFERS: BufferName[] = ['normal', 'alternate'];

export interface EngineState {
  terminal: TerminalState;
  border: BorderState;
  log: LogState;
  tracked: TrackedState;
  open: OpenString | undefined;
  /** Answers that wait for the answer to a program status query (STM-53). */
  heldAnswers: string;
  lastQueryOffset: number;
}

interface StoredState extends EngineState {
  rows: Record<BufferName, number>;
}

/** Written by servers before colours belonged to the terminal; one may be upgraded under running sessions. */
type EarlierState = Omit<StoredState, 'terminal' | 'tracked'> & {
  terminal: Omit<TerminalState, 'colors'>;
  tracked: TrackedState & { colors: TerminalState['colors'] };
};

function withColors(stored: StoredState | EarlierState): StoredState {
  if (!('colors' in stored.tracked)) return stored as StoredState;
  const { colors, ...tracked } = stored.tracked;
  return { ...stored, tracked, terminal: { ...stored.terminal, colors } };
}

export function encodeCheckpoint(terminal: XtermAdapter, state: EngineState): Uint8Array {
  const rows: Uint8Array[] = [];
  const counts: Record<BufferName, number> = { normal: 0, alternate: 0 };
  for (const name of BUFFERS) {
    counts[name] = terminal.rowCount(name);
    for (let index = 0; index < counts[name]; index++) {
      const row = terminal.rowAt(name, index);
      const encoded = encodeRow(row, usedLength(row), terminal.measure, true);
      const length = encoded.text + encoded.runs;
      const bytes = new Uint8Array(ROW_HEADER + length);
      bytes[0] = row.isWrapped ? 1 : 0;
      bytes[1] = encoded.text & 255;
      bytes[2] = encoded.text >>> 8;
      bytes[3] = encoded.runs & 255;
      bytes[4] = encoded.runs >>> 8;
      bytes.set(scratch.subarray(0, length), ROW_HEADER);
      rows.push(bytes);
    }
  }
  const stored: StoredState = { ...state, rows: counts };
  const json = Buffer.from(JSON.stringify(stored));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(json.length, 4);
  return Buffer.concat([head, json, ...rows]);
}

export interface OpenedCheckpoint {
  state: EngineState;
  /** Fills a fresh terminal of the stored size. */
  restore(terminal: LoggedTerminal, chunks: readonly LogChunk[]): void;
}

/** Throws RangeError when the blob is of another format or cut. */
export function openCheckpoint(blob: Uint8Array): OpenedCheckpoint {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.length);
  if (bytes.length < 8 || bytes.readUInt32LE(0) !== MAGIC)
    throw new RangeError('screen checkpoint of an unknown format');
  const start = 8 + bytes.readUInt32LE(4);
  if (start > bytes.length) throw new RangeError('screen checkpoint is cut');
  const stored = withColors(JSON.parse(bytes.toString('utf8', 8, start)) as StoredState | EarlierState);
  return {
    state: stored,
    restore(logged, chunks) {
      logged.terminal.restore(stored.terminal);
      let at = start;
      for (const name of BUFFERS) {
        for (let index = 0; index < stored.rows[name]; index++) at = restoreRow(logged.terminal, name, bytes, at);
      }
      logged.restore(stored.border, stored.log, chunks);
    },
  };
}

function restoreRow(terminal: XtermAdapter, name: BufferName, bytes: Buffer, at: number): number {
  if (at + ROW_HEADER > bytes.length) throw new RangeError('screen checkpoint is cut');
  const row = terminal.restoreRow(name, bytes[at] === 1);
  const text = at + ROW_HEADER;
  const runs = text + bytes.readUInt16LE(at + 1);
  const end = runs + bytes.readUInt16LE(at + 3);
  if (end > bytes.length) throw new RangeError('screen checkpoint is cut');
  fillRow(row, bytes, text, runs, end, terminal);
  return end;
}

function fillRow(
  row: RestoringRow,
  bytes: Uint8Array,
  text: number,
  runs: number,
  end: number,
  terminal: XtermAdapter,
): void {
  const columns = decodeCells(bytes, text, runs, terminal.measure, (column, cell, width) => {
    const code = cell.codePointAt(0) ?? 0;
    const isCombined = cell.length > (code > 0xffff ? 2 : 1);
    row.setContent(column, cell, (isCombined ? COMBINED : code) | (width << WIDTH_SHIFT));
    if (width === 2) row.setContent(column + 1, '', 0);
  });
  const starts: number[] = [];
  const styles: { fg: number; bg: number; ext: number; link: number }[] = [];
  decodeRuns(bytes, runs, end, (column, style) => {
    starts.push(column);
    styles.push(style);
  });
  for (const [index, style] of styles.entries()) {
    row.setStyle(starts[index] ?? 0, starts[index + 1] ?? columns, style.fg, style.bg, style.ext, style.link);
  }
}
