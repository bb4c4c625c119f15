/**
 * What one session has put out, and the one receiver that follows it.
 *
 * Owns the ring, the records in it (resizes, exit, end) and the receiver's cursor; the ring is the queue, nothing is
 * buffered twice. Promises: the receiver gets bytes and records in the order in which they happened, at most
 * LIMITS.hostCredit bytes beyond what it acknowledged, nothing twice, and an exact gap for what is gone.
 * Ordering rules: a record at an offset is given after all bytes before it; a receiver hears nothing before the turn of
 * the loop in which it was attached has ended.
 */
import { ByteRing, ChunkPool, type Clock, type Disposable } from '../base/index.ts';
import { type ExitStatus, LIMITS, type PtySink } from '../contract/index.ts';

export interface HostSink extends PtySink {
  /** True while its socket is full; `OutputStream.pump` is called when it has drained. */
  isCongested?(): boolean;
  /**
   * It only passes bytes on, so they need not be copied: they stay as they are until the receiver has let them go
   * (checkpoint), which it cannot do before it has them.
   */
  readonly takesViews?: true;
}

type OutputRecord =
  | { readonly kind: 'resized'; readonly offset: number; readonly cols: number; readonly rows: number }
  | { readonly kind: 'exit'; readonly offset: number; readonly status: ExitStatus }
  | { readonly kind: 'end'; readonly offset: number };

interface Receiver {
  readonly sink: HostSink;
  cursor: number;
  /** Index into the records, counted from the first ever made. */
  record: number;
  acknowledged: number;
  gapFrom: number | undefined;
  isOpen: boolean;
}

/** Sent at once while less than this came within the window. */
const BURST_BYTES = 32_768;
const BURST_WINDOW = 5;
const FLOOD_DELAY = 2;
/** A program that asks its terminal something waits for the answer, so a query stands in little output. */
const QUERY_BURST = 8_192;
const ESCAPE = 0x1b;
const BLOCK = 65_536;

/** Of all sessions: what a few that have ended leave behind, 4 MB at most. */
const pool = new ChunkPool(64);

export interface OutputStreamOptions {
  clock: Clock;
  cols: number;
  rows: number;
  /** Called for bytes [from, to) that may end a terminal query and did not come in a flood, before they are sent. */
  onQuietOutput?: (from: number, to: number) => void;
}

export class OutputStream {
  readonly ring = new ByteRing(LIMITS.ring, LIMITS.ringChunk, 0, pool);
  readonly #clock: Clock;
  readonly #onQuietOutput: ((from: number, to: number) => void) | undefined;
  #records: OutputRecord[] = [];
  /** Number of records that were dropped from the front of the list. */
  #droppedRecords = 0;
  /** Size in force before the first kept record. */
  #firstSize: { cols: number; rows: number };
  #size: { cols: number; rows: number };
  #receiver: Receiver | undefined;
  #windowStart = Number.NEGATIVE_INFINITY;
  #windowBytes = 0;
  #previousBytes = 0;
  #timer: Disposable | undefined;

  constructor(options: OutputStreamOptions) {
    this.#clock = options.clock;
    this.#onQuietOutput = options.onQuietOutput;
    this.#size = { cols: options.cols, rows: options.rows };
    this.#firstSize = this.#size;
  }

  get size(): { readonly cols: number; readonly rows: number } {
    return this.#size;
  }

  get isAttached(): boolean {
    return this.#receiver !== undefined;
  }

  /** The receiver's next byte, or the head when nobody listens. */
  get cursor(): number {
    return this.#receiver?.cursor ?? this.ring.end;
  }

  append(bytes: Uint8Array): void {
    this.ring.append(bytes);
    this.#foldRecords();
    const recent = this.#countRecent(bytes.length);
    const isQuiet = recent < BURST_BYTES;
    if (recent < QUERY_BURST && bytes.includes(ESCAPE)) {
      this.#onQuietOutput?.(this.ring.end - bytes.length, this.ring.end);
    }
    if (this.#receiver === undefined) return;
    if (isQuiet) {
      this.pump();
      return;
    }
    if (this.ring.end - this.#receiver.cursor >= BLOCK) {
      this.#disarm();
      this.pump(BLOCK);
    }
    this.#timer ??= this.#clock.after(FLOOD_DELAY, () => {
      this.#timer = undefined;
      this.pump();
    });
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#record({ kind: 'resized', offset: this.ring.end, cols, rows });
  }

  exited(status: ExitStatus): void {
    this.#record({ kind: 'exit', offset: this.ring.end, status });
  }

  ended(): void {
    this.#record({ kind: 'end', offset: this.ring.end });
  }

  /**
   * Makes `sink` the receiver from `since` on. Returns where its stream starts and the size in force there; a start
   * later than `since` is told to the sink as a gap first.
   */
  attach(since: number, sink: HostSink): { start: number; cols: number; rows: number } {
    const start = Math.max(since, this.ring.start);
    let { cols, rows } = this.#firstSize;
    let record = 0;
    for (const known of this.#records) {
      if (known.kind !== 'resized' || known.offset > start) break;
      ({ cols, rows } = known);
      record++;
    }
    const receiver: Receiver = {
      sink,
      cursor: start,
      record: this.#droppedRecords + record,
      acknowledged: start,
      gapFrom: since < start ? since : undefined,
      isOpen: false,
    };
    this.#receiver = receiver;
    // An immediate, not a microtask: the caller's continuation runs first, and knows where the stream starts.
    setImmediate(() => {
      receiver.isOpen = true;
      if (this.#receiver === receiver) this.pump();
    });
    return { start, cols, rows };
  }

  /** With a sink given, only that sink is taken away. */
  detach(sink?: HostSink): boolean {
    if (this.#receiver === undefined || (sink !== undefined && this.#receiver.sink !== sink)) return false;
    this.#receiver = undefined;
    this.#disarm();
    return true;
  }

  /** The session is forgotten: whoever had a receiver here has got and stored all of it. */
  clear(): void {
    this.detach();
    this.ring.clear();
  }

  acknowledge(offset: number): void {
    const receiver = this.#receiver;
    if (receiver === undefined || offset <= receiver.acknowledged) return;
    const wasWaiting = receiver.cursor >= receiver.acknowledged + LIMITS.hostCredit;
    receiver.acknowledged = Math.min(offset, receiver.cursor);
    if (wasWaiting) this.pump();
  }

  /** Sends what the receiver may have, as long as at least `minimum` bytes are waiting. */
  pump(minimum = 1): void {
    const receiver = this.#receiver;
    if (receiver === undefined || !receiver.isOpen) return;
    if (receiver.gapFrom !== undefined) {
      const from = receiver.gapFrom;
      receiver.gapFrom = undefined;
      receiver.sink.gap(from, receiver.cursor);
    }
    // A sink may detach or replace itself while it is called.
    while (this.#receiver === receiver && receiver.sink.isCongested?.() !== true) {
      const next = this.#records[receiver.record - this.#droppedRecords];
      if (next !== undefined && next.offset <= receiver.cursor) {
        receiver.record++;
        this.#deliver(receiver.sink, next);
        continue;
      }
      const limit = Math.min(
        next?.offset ?? this.ring.end,
        receiver.cursor + BLOCK,
        receiver.acknowledged + LIMITS.hostCredit,
      );
      const waiting = next === undefined ? this.ring.end - receiver.cursor : Number.POSITIVE_INFINITY;
      if (limit <= receiver.cursor || waiting < minimum) return;
      const offset = receiver.cursor;
      const bytes =
        receiver.sink.takesViews === true ? this.ring.view(offset, limit) : this.ring.slice(offset, limit).bytes;
      receiver.cursor = offset + bytes.length;
      receiver.sink.output(offset, bytes);
    }
  }

  /** Bytes of about the last BURST_WINDOW ms, these included: the part of the previous window that still counts, and this one. */
  #countRecent(length: number): number {
    const now = this.#clock.monotonic();
    const age = now - this.#windowStart;
    if (age >= BURST_WINDOW) {
      this.#previousBytes = age < 2 * BURST_WINDOW ? this.#windowBytes : 0;
      this.#windowBytes = 0;
      this.#windowStart = age < 2 * BURST_WINDOW ? this.#windowStart + BURST_WINDOW : now;
    }
    this.#windowBytes += length;
    const share = 1 - (now - this.#windowStart) / BURST_WINDOW;
    return this.#windowBytes + this.#previousBytes * share;
  }

  #disarm(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #record(record: OutputRecord): void {
    const last = this.#records.at(-1);
    if (record.kind === 'resized' && last?.kind === 'resized' && last.offset === record.offset) {
      // Only the last of several sizes at one offset counts; a receiver that has the older one gets the newer one too.
      const index = this.#records.length - 1;
      this.#records[index] = record;
      const receiver = this.#receiver;
      if (receiver !== undefined) receiver.record = Math.min(receiver.record, this.#droppedRecords + index);
    } else {
      this.#records.push(record);
    }
    this.pump();
  }

  #deliver(sink: HostSink, record: OutputRecord): void {
    if (record.kind === 'resized') sink.resized(record.offset, record.cols, record.rows);
    else if (record.kind === 'exit') sink.exit(record.offset, record.status);
    else sink.end(record.offset);
  }

  /** Resizes before the oldest byte only say which size was in force there. */
  #foldRecords(): void {
    const start = this.ring.start;
    for (let first = this.#records[0]; first?.kind === 'resized' && first.offset < start; first = this.#records[0]) {
      this.#firstSize = { cols: first.cols, rows: first.rows };
      this.#records.shift();
      this.#droppedRecords++;
    }
  }
}
