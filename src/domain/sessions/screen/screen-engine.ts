/**
 * The screen engine of one session.
 *
 * Owns the filter, the queue of output that is not parsed yet, the terminal with its log, and the answers to terminal queries.
 * Promises: output is parsed in the order it came, resizes and gaps in their place; each query is answered once, at the query
 * (with the state it saw); what a checkpoint holds, fed on from its offset, behaves as if nothing had happened.
 *
 * Ordering rules: ingest() sees each byte at once and may run ahead of the parser; signals and the `title`, `bracketedPaste` and
 * `alternateScreen` getters follow ingest. Snapshot, checkpoint, text and log follow the parser. A checkpoint must be taken
 * before logChunks() is read, in the same turn, since it refers to lengths of chunks.
 */
import { type Clock, type Disposable, Emitter, systemClock } from '../../../base/index.ts';
import { LIMITS, type LogLine } from '../../../contract/index.ts';
import { answerQuery } from './answers.ts';
import { type EngineState, encodeCheckpoint, openCheckpoint } from './checkpoint.ts';
import { addGridRow, LineBuilder, rowText } from './log-lines.ts';
import { LoggedTerminal } from './logged-terminal.ts';
import type {
  CreateScreen,
  FilteredOutput,
  LogChunk,
  LogReader,
  LogWindow,
  ScreenCheckpoint,
  ScreenEngine,
  ScreenOptions,
  ScreenSignal,
  ScreenSnapshot,
  TerminalAnswer,
} from './model.ts';
import { isAnswered, type Query } from './queries.ts';
import { type OpenString, SequenceFilter, type Slice } from './sequence-filter.ts';
import { renderSnapshot, STRING_OPENERS } from './snapshot.ts';
import { applyCommand, applyControl, applyReset, FRESH_STATE, type TrackedState } from './tracked-state.ts';

interface OutputItem {
  kind: 'output';
  offset: number;
  bytes: Uint8Array;
  slices: Slice[];
  next: number;
  /** Not asked yet whether lines of it run through the screen. */
  mayPass: boolean;
}

type Pending = OutputItem | { kind: 'resize'; cols: number; rows: number } | { kind: 'gap'; to: number };

/** Commands told as signals, beside titles. */
const SIGNALLED = new Set([7, 9, 133, 777, 7501, 7770]);
/**
 * A string sequence of more bytes than this is not taken up again from its start: a snapshot or checkpoint then says that the
 * terminal is inside one, and its content is ignored (as titles, links and queries of that length are).
 */
const RESUME_MAX = 8_192;
const REPLACEMENT = new Uint8Array([0xef, 0xbf, 0xbd]);

class Engine implements ScreenEngine {
  readonly log: LogReader;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #answerAfter: number;
  readonly #logged: LoggedTerminal;
  readonly #filter: SequenceFilter;
  readonly #answers = new Emitter<TerminalAnswer>();
  readonly #signals = new Emitter<ScreenSignal>();
  readonly #pending: Pending[] = [];
  #head = 0;
  #parsed: number;
  #resume: number;
  #open: OpenString | undefined;
  /** As of the newest byte. */
  #tracked: TrackedState;
  /** As of what is parsed. */
  #parsedTracked: TrackedState;
  readonly #history: { offset: number; state: TrackedState }[] = [];
  readonly #waitingQueries: { offset: number; kind: Query['kind'] }[] = [];
  #heldAnswers: string;
  #lastQueryOffset: number;

  constructor(options: ScreenOptions) {
    const stored = options.checkpoint === undefined ? undefined : openCheckpoint(options.checkpoint.blob);
    const state = stored?.state;
    const cols = state?.terminal.cols ?? options.cols;
    const rows = state?.terminal.rows ?? options.rows;
    this.#clock = options.clock ?? systemClock;
    this.#version = options.version ?? '0';
    this.#parsed = options.checkpoint?.offset ?? options.origin ?? 0;
    this.#resume = this.#parsed;
    this.#open = state?.open;
    this.#answerAfter = options.answerAfter ?? 0;
    this.#tracked = state?.tracked ?? FRESH_STATE;
    this.#parsedTracked = this.#tracked;
    this.#heldAnswers = state?.heldAnswers ?? '';
    this.#lastQueryOffset = state?.lastQueryOffset ?? 0;
    this.#logged = new LoggedTerminal(cols, rows, options.logLines ?? LIMITS.logLines);
    stored?.restore(this.#logged, options.chunks ?? []);
    if (this.#open !== undefined) this.#logged.terminal.write(Buffer.from(STRING_OPENERS[this.#open], 'latin1'));
    this.#filter = this.#createFilter(this.#parsed, cols, rows, this.#open);
    this.#filter.insertMode = state?.terminal.insert ?? false;
    this.log = this.#createLogReader();
    if (stored !== undefined && (cols !== options.cols || rows !== options.rows)) {
      this.ingestResize(this.#parsed, options.cols, options.rows);
    }
  }

  get cols(): number {
    return this.#logged.terminal.cols;
  }

  get rows(): number {
    return this.#logged.terminal.rows;
  }

  get parsedOffset(): number {
    return this.#parsed;
  }

  get ingestedOffset(): number {
    return this.#filter.end;
  }

  get pendingBytes(): number {
    return this.#filter.end - this.#parsed;
  }

  get hasPendingQuery(): boolean {
    return this.#waitingQueries.length > 0;
  }

  get lastQueryOffset(): number {
    return this.#lastQueryOffset;
  }

  get bracketedPaste(): boolean {
    return this.#tracked.bracketedPaste;
  }

  get applicationCursorKeys(): boolean {
    return this.#logged.terminal.hasApplicationCursorKeys;
  }

  get alternateScreen(): boolean {
    return this.#tracked.alternate;
  }

  get title(): string {
    return this.#tracked.title;
  }

  ingest(offset: number, bytes: Uint8Array): FilteredOutput {
    if (offset !== this.#filter.end) throw new RangeError(`output at ${offset} does not follow ${this.#filter.end}`);
    const filtered = this.#filter.push(bytes);
    if (filtered.bytes.length > 0) this.#pending.push({ kind: 'output', ...filtered, next: 0, mayPass: true });
    return { offset: filtered.offset, bytes: filtered.bytes };
  }

  ingestResize(offset: number, cols: number, rows: number): void {
    if (offset !== this.#filter.end) throw new RangeError(`resize at ${offset} does not follow ${this.#filter.end}`);
    this.#filter.resize(cols, rows);
    this.#pending.push({ kind: 'resize', cols, rows });
  }

  ingestGap(to: number): void {
    this.#filter.skipTo(to);
    this.#pending.push({ kind: 'gap', to });
  }

  finish(): FilteredOutput {
    const { offset, bytes } = this.#filter.flush();
    this.parseAll();
    // Only a cut character shows; a cut sequence would not have shown either.
    if ((bytes[0] ?? 0) >= 0x80 && bytes.length < 4) this.#logged.terminal.write(REPLACEMENT);
    this.#parsed = this.#filter.end;
    this.#resume = this.#parsed;
    return { offset, bytes };
  }

  parse(milliseconds: number): boolean {
    const until = this.#clock.monotonic() + milliseconds;
    while (this.#step()) if (this.#clock.monotonic() >= until) break;
    return this.#hasWork;
  }

  parseAll(): void {
    while (this.#step());
  }

  snapshot(): ScreenSnapshot {
    const { offset, open } = this.#resumePoint();
    const data = renderSnapshot(this.#logged.terminal, this.#parsedTracked, open);
    return { data, offset, rows: this.rows, cols: this.cols };
  }

  text(): string[] {
    return this.#gridRows().map((index) => rowText(this.#logged.terminal.rowAt(this.#activeBuffer, index)));
  }

  screenLines(): LogLine[] {
    return this.#gridRows().map((index) => {
      const builder = new LineBuilder();
      addGridRow(builder, this.#logged.terminal.rowAt(this.#activeBuffer, index));
      return builder.finish();
    });
  }

  openLine(): LogLine | undefined {
    const logged = this.#logged;
    const total = logged.total;
    if (logged.terminal.isAlternate) return undefined;
    return logged.log.read(Math.max(total, logged.log.oldest), logged.log.started).at(-1);
  }

  cursor(): { row: number; col: number } {
    const { x, y } = this.#logged.terminal.cursor();
    return { row: y, col: Math.min(x, this.cols - 1) };
  }

  checkpoint(): ScreenCheckpoint {
    const { offset, open } = this.#resumePoint();
    this.#logged.copyScrolled();
    const state: EngineState = {
      terminal: this.#logged.terminal.state(),
      border: this.#logged.state(),
      log: this.#logged.log.state(),
      tracked: this.#parsedTracked,
      open,
      heldAnswers: this.#heldAnswers,
      lastQueryOffset: this.#lastQueryOffset,
    };
    return { offset, blob: encodeCheckpoint(this.#logged.terminal, state) };
  }

  logChunks(): { first: number; chunks: LogChunk[] } {
    this.#logged.copyScrolled();
    return this.#logged.log.chunks();
  }

  cleanReplay(bytes: Uint8Array): Uint8Array {
    // Not slice(): a Buffer's shares its memory.
    const clean = new Uint8Array(bytes);
    const filter = new SequenceFilter(0, this.cols, this.rows, {
      bell: () => undefined,
      control: () => undefined,
      reset: () => undefined,
      command: () => undefined,
      query: (_query, start, end) => clean.fill(0, start, end),
    });
    filter.push(clean);
    return clean;
  }

  onAnswer(listener: (answer: TerminalAnswer) => void): Disposable {
    return this.#answers.on(listener);
  }

  onSignal(listener: (signal: ScreenSignal) => void): Disposable {
    return this.#signals.on(listener);
  }

  dispose(): void {
    this.#answers.clear();
    this.#signals.clear();
    this.#pending.length = 0;
    this.#head = 0;
    this.#logged.terminal.dispose();
  }

  get #hasWork(): boolean {
    return this.#head < this.#pending.length;
  }

  get #activeBuffer(): 'normal' | 'alternate' {
    return this.#logged.terminal.isAlternate ? 'alternate' : 'normal';
  }

  #gridRows(): number[] {
    const base = this.#logged.terminal.isAlternate ? 0 : this.#logged.terminal.scrollbackRows;
    return Array.from({ length: this.rows }, (_, row) => base + row);
  }

  #resumePoint(): { offset: number; open: OpenString | undefined } {
    if (this.#open === undefined) return { offset: this.#parsed, open: undefined };
    if (this.#parsed - this.#resume <= RESUME_MAX) return { offset: this.#resume, open: undefined };
    return { offset: this.#parsed, open: this.#open };
  }

  #createFilter(offset: number, cols: number, rows: number, open: OpenString | undefined): SequenceFilter {
    return new SequenceFilter(
      offset,
      cols,
      rows,
      {
        bell: (at) => this.#signals.emit({ kind: 'bell', offset: at }),
        control: (sequence, at) => {
          this.#track(applyControl(this.#tracked, sequence), at);
          const isMode = sequence.key === '?h' || sequence.key === '?l';
          if (isMode && sequence.params.includes(2026)) {
            this.#signals.emit({ kind: 'mode', offset: at, mode: 2026, on: sequence.final === 'h' });
          }
        },
        reset: (at) => this.#track(applyReset(this.#tracked), at),
        command: (code, data, at) => {
          this.#track(applyCommand(this.#tracked, code, data), at);
          if (SIGNALLED.has(code)) this.#signals.emit({ kind: 'osc', offset: at, code, data });
        },
        query: (query, _start, end) => {
          this.#lastQueryOffset = end;
          if (isAnswered(query) && end > this.#answerAfter)
            this.#waitingQueries.push({ offset: end, kind: query.kind });
        },
      },
      open,
    );
  }

  #track(next: TrackedState, offset: number): void {
    const before = this.#tracked;
    if (next === before) return;
    this.#tracked = next;
    this.#history.push({ offset, state: next });
    if (next.title !== before.title) this.#signals.emit({ kind: 'title', offset, title: next.title });
    if (next.alternate !== before.alternate) {
      this.#signals.emit({ kind: 'mode', offset, mode: 1049, on: next.alternate });
    }
    if (next.bracketedPaste !== before.bracketedPaste) {
      this.#signals.emit({ kind: 'mode', offset, mode: 2004, on: next.bracketedPaste });
    }
  }

  /** Does the next piece of work; false when there is none. */
  #step(): boolean {
    const item = this.#pending[this.#head];
    if (item === undefined) return false;
    if (item.kind === 'resize') {
      this.#advance();
      if (item.cols !== this.cols || item.rows !== this.rows) this.#logged.resize(item.cols, item.rows);
    } else if (item.kind === 'gap') {
      this.#advance();
      this.#logged.terminal.resetParser();
      this.#parsed = item.to;
      this.#resume = item.to;
      this.#open = undefined;
      this.#followTracked();
    } else {
      const slice = item.slices[item.next];
      if (slice === undefined) {
        this.#advance();
        return true;
      }
      if (item.mayPass && this.#passLines(item)) return true;
      item.next++;
      this.#parseSlice(item.bytes.subarray(this.#parsed - item.offset, slice.end - item.offset), slice);
      if (item.next >= item.slices.length) this.#advance();
    }
    return true;
  }

  /** Lines that run through the screen within one piece of output are not put on it: a slice is too short to tell. */
  #passLines(item: OutputItem): boolean {
    item.mayPass = false;
    const passed = this.#logged.terminal.passLines(item.bytes.subarray(this.#parsed - item.offset));
    if (passed === 0) return false;
    this.#parsed += passed;
    this.#resume = this.#parsed;
    this.#open = undefined;
    while ((item.slices[item.next]?.end ?? Number.POSITIVE_INFINITY) <= this.#parsed) item.next++;
    if (item.next >= item.slices.length) this.#advance();
    this.#followTracked();
    return true;
  }

  #advance(): void {
    this.#head++;
    if (this.#head === this.#pending.length) {
      this.#pending.length = 0;
      this.#head = 0;
    } else if (this.#head >= 64) {
      this.#pending.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #parseSlice(bytes: Uint8Array, slice: Slice): void {
    const terminal = this.#logged.terminal;
    if (slice.query !== undefined) terminal.takeReply();
    if (bytes.length > 0) terminal.write(bytes);
    this.#parsed = slice.end;
    this.#resume = slice.resume;
    this.#open = slice.open;
    this.#followTracked();
    const reply = terminal.takeReply();
    if (slice.query !== undefined) this.#answer(slice.query, slice.end, reply);
  }

  #followTracked(): void {
    while ((this.#history[0]?.offset ?? Number.POSITIVE_INFINITY) <= this.#parsed) {
      this.#parsedTracked = this.#history.shift()?.state ?? this.#parsedTracked;
    }
  }

  #answer(query: Query, offset: number, reply: string): void {
    if (this.#waitingQueries[0]?.offset !== offset) return;
    this.#waitingQueries.shift();
    const data = answerQuery(query, {
      state: () => this.#logged.terminal.state(),
      version: this.#version,
      reply,
    });
    if (query.kind === 'program-status') {
      // Agents decide by the order: this answer goes before one to primary attributes that was asked for earlier.
      this.#emitAnswer(offset, data + this.#heldAnswers);
      this.#heldAnswers = '';
      return;
    }
    const mustWait = this.#waitingQueries.some((waiting) => waiting.kind === 'program-status');
    if (mustWait && (this.#heldAnswers !== '' || query.kind === 'primary-attributes')) {
      this.#heldAnswers += data;
      return;
    }
    this.#emitAnswer(offset, this.#heldAnswers + data);
    this.#heldAnswers = '';
  }

  #emitAnswer(queryOffset: number, data: string): void {
    if (data !== '') this.#answers.emit({ queryOffset, data });
  }

  #createLogReader(): LogReader {
    const logged = this.#logged;
    return {
      get total() {
        return logged.total;
      },
      get oldest() {
        // First the total: it copies what left the screen, and that may push the oldest lines out.
        const total = logged.total;
        return Math.min(logged.log.oldest, total);
      },
      get clearedAt() {
        return logged.log.clearedAt;
      },
      read(offset: number, limit: number): LogWindow {
        const total = logged.total;
        const from = Math.min(Math.max(offset, logged.log.oldest), total);
        return { offset: from, lines: logged.log.read(from, Math.min(total, from + Math.max(limit, 0))) };
      },
    };
  }
}

export const createScreen: CreateScreen = (options) => new Engine(options);
