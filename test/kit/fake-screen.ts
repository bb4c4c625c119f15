/**
 * A screen engine for tests of its owner: no terminal, just bytes. It holds back an unfinished CSI, counts lines at LF,
 * finds the query `CSI 6n`, and its snapshot names the offset it stands for. Parsing costs nothing, `budget` bytes a turn.
 */
import { Emitter } from '../../src/base/index.ts';
import type {
  CreateScreen,
  FilteredOutput,
  LogChunk,
  ScreenEngine,
  ScreenOptions,
  ScreenSignal,
  TerminalAnswer,
} from '../../src/domain/sessions/screen/model.ts';

const decoder = new TextDecoder('utf-8');

export interface FakeScreenOptions {
  /** Bytes parsed in one turn. */
  budget?: number;
  logLines?: number;
  /** Counts bytes only: for floods. */
  isBlind?: boolean;
}

interface State {
  offset: number;
  cols: number;
  rows: number;
  lines: number;
  current: string;
}

export const createFakeScreen =
  (fake: FakeScreenOptions = {}): CreateScreen =>
  (options) =>
    new FakeScreen(options, fake);

class FakeScreen implements ScreenEngine {
  cols: number;
  rows: number;
  parsedOffset: number;
  ingestedOffset: number;
  lastQueryOffset = 0;
  hasPendingQuery = false;
  bracketedPaste = false;
  applicationCursorKeys = false;
  alternateScreen = false;
  title = '';
  readonly #fake: FakeScreenOptions;
  readonly #answerAfter: number;
  readonly #answers = new Emitter<TerminalAnswer>();
  readonly #signals = new Emitter<ScreenSignal>();
  #shown: number;
  #held: Uint8Array = new Uint8Array(0);
  #pending: Uint8Array[] = [];
  /** Finished lines, all of them; `oldest` says what a real engine would still have. */
  #lines: string[] = [];
  #current = '';
  #clearedAt = 0;
  #queries: number[] = [];

  constructor(options: ScreenOptions, fake: FakeScreenOptions) {
    this.#fake = fake;
    this.cols = options.cols;
    this.rows = options.rows;
    this.#answerAfter = options.answerAfter ?? 0;
    let origin = options.origin ?? 0;
    if (options.checkpoint !== undefined) {
      const state = JSON.parse(decoder.decode(options.checkpoint.blob)) as State;
      origin = options.checkpoint.offset;
      if (state.offset !== origin) throw new Error('a blob of another offset');
      const text = (options.chunks ?? []).map(({ bytes }) => decoder.decode(bytes)).join('');
      this.#lines = text.split('\n').slice(0, state.lines);
      this.#current = state.current;
      this.cols = state.cols;
      this.rows = state.rows;
    }
    this.parsedOffset = origin;
    this.ingestedOffset = origin;
    this.#shown = origin;
  }

  get pendingBytes(): number {
    return this.#pending.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  get log() {
    const lines = this.#lines;
    const kept = this.#fake.logLines ?? 10_000;
    const oldest = Math.max(0, lines.length - kept);
    const read = (offset: number, limit: number) => {
      const start = Math.max(offset, oldest);
      return { offset: start, lines: lines.slice(start, start + limit).map((text) => ({ spans: [{ text }] })) };
    };
    return { total: lines.length, oldest, clearedAt: this.#clearedAt, read };
  }

  ingest(offset: number, bytes: Uint8Array): FilteredOutput {
    if (offset !== this.ingestedOffset) throw new Error(`ingest at ${offset}, expected ${this.ingestedOffset}`);
    this.#pending.push(bytes.slice());
    this.ingestedOffset += bytes.length;
    const all = new Uint8Array(this.#held.length + bytes.length);
    all.set(this.#held);
    all.set(bytes, this.#held.length);
    const text = Buffer.from(all).toString('latin1');
    const base = this.#shown;
    for (const match of text.matchAll(/\x1b\[6n/g)) {
      this.lastQueryOffset = base + match.index + match[0].length;
      this.hasPendingQuery = true;
      this.#queries.push(this.lastQueryOffset);
    }
    for (const match of text.matchAll(/\x1b\]2;([^\x07]*)\x07/g)) {
      this.title = match[1] ?? '';
      this.#signals.emit({ kind: 'title', offset: base + match.index + match[0].length, title: this.title });
    }
    const unfinished = /\x1b(?:\[[0-9;]{0,64})?$/.exec(text);
    const cut = unfinished === null ? all.length : unfinished.index;
    this.#held = all.slice(cut);
    this.#shown += cut;
    return { offset: base, bytes: all.subarray(0, cut) };
  }

  ingestResize(_offset: number, cols: number, rows: number): void {
    this.cols = cols;
    this.rows = rows;
  }

  ingestGap(to: number): void {
    this.parseAll();
    this.#held = new Uint8Array(0);
    this.ingestedOffset = to;
    this.parsedOffset = to;
    this.#shown = to;
  }

  parse(): boolean {
    let left = this.#fake.budget ?? 1_048_576;
    while (left > 0) {
      const [first] = this.#pending;
      if (first === undefined) break;
      const take = Math.min(left, first.length);
      this.#parse(first.subarray(0, take));
      if (take === first.length) this.#pending.shift();
      else this.#pending[0] = first.subarray(take);
      left -= take;
    }
    for (const queryOffset of this.#queries.filter((offset) => offset <= this.parsedOffset)) {
      if (queryOffset > this.#answerAfter) this.#answers.emit({ queryOffset, data: '\x1b[1;1R' });
    }
    this.#queries = this.#queries.filter((offset) => offset > this.parsedOffset);
    this.hasPendingQuery = this.#queries.length > 0;
    return this.#pending.length > 0;
  }

  parseAll(): void {
    while (this.parse());
  }

  finish(): FilteredOutput {
    this.parseAll();
    const bytes = this.#held;
    const offset = this.#shown;
    this.#held = new Uint8Array(0);
    this.#shown = this.ingestedOffset;
    return { offset, bytes };
  }

  #parse(bytes: Uint8Array): void {
    this.parsedOffset += bytes.length;
    if (this.#fake.isBlind === true) return;
    const parts = (this.#current + Buffer.from(bytes).toString('latin1')).split('\n');
    this.#current = parts.pop() ?? '';
    for (const part of parts) {
      // Stands for CSI 3 J.
      if (part.includes('\x1b[3J')) this.#clearedAt = this.#lines.length;
      this.#lines.push(part.replaceAll('\r', ''));
    }
  }

  snapshot() {
    const offset = this.parsedOffset === this.ingestedOffset ? this.#shown : Math.min(this.parsedOffset, this.#shown);
    return { data: `<screen at ${offset}>`, offset, rows: this.rows, cols: this.cols };
  }

  text(): string[] {
    const used = [...this.#lines.slice(-(this.rows - 1)), this.#current].slice(-this.rows);
    return [...used, ...new Array(this.rows - used.length).fill('')];
  }

  screenLines() {
    return this.text().map((text) => ({ spans: text === '' ? [] : [{ text }] }));
  }

  openLine() {
    return undefined;
  }

  cursor() {
    return { row: 0, col: 0 };
  }

  checkpoint() {
    const { cols, rows, parsedOffset: offset } = this;
    const state: State = { offset, cols, rows, lines: this.#lines.length, current: this.#current };
    return { offset, blob: new Uint8Array(Buffer.from(JSON.stringify(state))) };
  }

  /** Chunks of 100 lines. */
  logChunks(): { first: number; chunks: LogChunk[] } {
    const chunks: LogChunk[] = [];
    for (let number = 0; number * 100 < this.#lines.length; number++) {
      const lines = this.#lines.slice(number * 100, number * 100 + 100);
      chunks.push({ number, bytes: new Uint8Array(Buffer.from(lines.map((line) => `${line}\n`).join(''))) });
    }
    return { first: 0, chunks };
  }

  cleanReplay(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString('latin1');
    const clean = text.replaceAll(/\x1b\[6n/g, '\0\0\0\0');
    return new Uint8Array(Buffer.from(clean, 'latin1'));
  }

  onAnswer(listener: (answer: TerminalAnswer) => void) {
    return this.#answers.on(listener);
  }

  onSignal(listener: (signal: ScreenSignal) => void) {
    return this.#signals.on(listener);
  }

  dispose(): void {
    this.#answers.clear();
    this.#signals.clear();
  }
}
