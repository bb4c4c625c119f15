/**
 * A viewer of the output itself (format raw or bytes): a cursor into the session's tail.
 *
 * Promises: bytes come in order, none twice, and none is missing without a `gap` that names it; after a gap a snapshot
 * redraws the screen. Nothing is sent beyond what the viewer can take: a bytes viewer has a window of unconsumed bytes
 * that follows how quickly it acknowledges, and both have a bound on what waits in their socket. So a viewer that never
 * reads costs its window; the rest waits in the shared tail.
 * Ordering: everything goes through `#pump`, one step at a time; a step that has to wait (`#step`) keeps all later ones
 * back, and looks at the present again when it goes on.
 */
import type { Disposable } from '../../../base/index.ts';
import { DEADLINES, type GapReason, LIMITS } from '../../../contract/index.ts';
import type { ViewerSink } from '../model.ts';
import type { SizeMark } from '../output-tail.ts';
import { continuationLength, danglingLength, decodeUtf8 } from '../utf8.ts';
import type { ByteSource } from './stream-source.ts';
import { tellEnd } from './tell-end.ts';

/** Below this an allowance is worth nothing. */
const LEAST_HOLD = 16;
/** A query is shorter than this: a replayed piece is not cut inside one. */
const LONGEST_QUERY = 256;
const STRIDE_DECAY = 0.75;

interface Resync {
  /** First byte the viewer misses; undefined when it asked for nothing. */
  from: number | undefined;
  reason: GapReason;
}

export class ByteViewer implements Disposable {
  readonly #source: ByteSource;
  readonly #sink: ViewerSink;
  readonly #isRaw: boolean;
  readonly #onClosed: () => void;

  /** Next byte to send. */
  #cursor = 0;
  /** All before it is consumed (bytes format). */
  #acknowledged = 0;
  /** What lies before it was there before the viewer came: its queries are blanked. */
  #replayEnd = 0;
  /** The first read may start later than asked: a raw viewer without offset takes what the ring has. */
  #takesOldest = false;
  #resync: Resync | undefined;
  #isBusy = false;
  #isClosed = false;
  /** Start of a letter that is not complete yet (raw format). */
  #partial: Uint8Array = new Uint8Array(0);
  #size: SizeMark;
  #mustTellSize = false;

  #window: number = LIMITS.viewerWindowStart;
  /** Bytes between two acknowledgements, as the viewer does it. A smaller window would never be acknowledged. */
  #stride: number = LIMITS.viewerAckMost;
  readonly #sent: { end: number; at: number }[] = [];
  #hold: Disposable | undefined;
  #allowance: number = DEADLINES.viewerHold;
  #lastTrouble = Number.NEGATIVE_INFINITY;
  /** Until then a late viewer is shown the newest screen instead of what waits before it. */
  #hurryUntil = Number.NEGATIVE_INFINITY;

  constructor(source: ByteSource, sink: ViewerSink, isRaw: boolean, offset: number | undefined, onClosed: () => void) {
    this.#source = source;
    this.#sink = sink;
    this.#isRaw = isRaw;
    this.#onClosed = onClosed;
    const { shown } = source.tail;
    this.#size = source.tail.sizeAt(shown);
    if (offset !== undefined && offset <= shown) {
      this.#startAt(offset, shown);
    } else if (isRaw && offset === undefined) {
      this.#takesOldest = true;
      this.#startAt(Math.max(0, shown - LIMITS.ring), shown);
    } else {
      this.#resync = { from: undefined, reason: 'evicted' };
    }
  }

  #startAt(offset: number, shown: number): void {
    this.#cursor = offset;
    this.#acknowledged = offset;
    this.#replayEnd = shown;
    this.#size = this.#source.tail.sizeAt(offset);
    this.#mustTellSize = !this.#isRaw;
  }

  /** Called once, after the viewer is registered. */
  start(): void {
    this.#pump();
  }

  /** New output: `bytes` end at the tail's `shown`. */
  append(offset: number, bytes: Uint8Array): void {
    const canPass =
      !this.#isBusy &&
      this.#resync === undefined &&
      offset === this.#cursor &&
      bytes.length <= this.#room() &&
      this.#source.tail.sizeAfter(this.#size) === undefined &&
      !this.#mustTellSize;
    if (canPass && !this.#isClosed) this.#deliver(offset, bytes);
    else this.#pump();
    this.#watch();
  }

  /** Output [from, to) never reached this server. */
  overrun(): void {
    this.#resync ??= { from: this.#cursor, reason: 'host overrun' };
    this.#pump();
  }

  /** Sizes or the end changed. */
  wake(): void {
    this.#pump();
  }

  acknowledge(offset: number): void {
    if (this.#isRaw || this.#isClosed || offset <= this.#acknowledged || offset > this.#cursor) return;
    const step = Math.min(offset - this.#acknowledged, LIMITS.viewerAckMost);
    // One large message is one acknowledgement: it must not count for long.
    this.#stride = Math.max(step, this.#stride * STRIDE_DECAY);
    this.#acknowledged = offset;
    const now = this.#source.clock.monotonic();
    let sentAt: number | undefined;
    while (this.#sent[0] !== undefined && this.#sent[0].end <= offset) sentAt = this.#sent.shift()?.at;
    if (sentAt !== undefined) {
      this.#adapt(now - sentAt);
      if (now - sentAt > DEADLINES.viewerLate) this.#hurry();
    }
    this.#pump();
    this.#watch();
  }

  /**
   * Somebody interrupted the program: what it shows now is what they wait for. A viewer that is late would first be sent all
   * that was printed before, for seconds; one that keeps up loses nothing.
   */
  interrupted(): void {
    if (this.#isRaw || this.#isClosed) return;
    const now = this.#source.clock.monotonic();
    this.#hurryUntil = now + DEADLINES.viewerHurry;
    if (now - (this.#sent[0]?.at ?? now) > DEADLINES.viewerLate) this.#hurry();
    this.#pump();
  }

  /** The viewer is late: skips what waits for it, if it is in a hurry. */
  #hurry(): void {
    const isInHurry = this.#source.clock.monotonic() < this.#hurryUntil;
    if (!isInHurry || this.#cursor < this.#replayEnd || this.#cursor >= this.#source.tail.shown) return;
    this.#letGo();
    this.#resync ??= { from: this.#cursor, reason: 'slow viewer' };
  }

  drained(): void {
    this.#pump();
    this.#watch();
  }

  dispose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#letGo();
    this.#onClosed();
  }

  /** The window follows how long it takes from sending to consuming. */
  #adapt(latency: number): void {
    if (latency > DEADLINES.viewerLate) this.#window = Math.max(this.#leastWindow, this.#window / 2);
    else if (latency < DEADLINES.viewerQuick) this.#window = Math.min(LIMITS.viewerWindowMax, this.#window * 2);
  }

  get #leastWindow(): number {
    return Math.ceil(Math.max(LIMITS.viewerWindowMin, this.#stride));
  }

  /** Bytes that may be sent now. */
  #room(): number {
    const network = LIMITS.viewerNetwork - this.#sink.backlog();
    return this.#isRaw ? network : Math.min(network, this.#window - (this.#cursor - this.#acknowledged));
  }

  /** Bytes on the way to the viewer. */
  #underWay(): number {
    const network = this.#sink.backlog();
    return this.#isRaw ? network : Math.max(network, this.#cursor - this.#acknowledged);
  }

  #behind(): number {
    return this.#source.tail.shown - this.#cursor + this.#underWay();
  }

  #pump(): void {
    while (!this.#isBusy && !this.#isClosed) {
      if (this.#resync !== undefined) {
        if (this.#underWay() >= this.#leastWindow) return;
        this.#step(() => this.#sendSnapshot(this.#source.parsed()));
        return;
      }
      this.#tellSizes();
      const { tail } = this.#source;
      const next = tail.sizeAfter(this.#size);
      const limit = Math.min(tail.shown, next?.offset ?? tail.shown);
      if (this.#cursor >= limit) {
        if (this.#source.end !== undefined) this.#finish(this.#source.end);
        return;
      }
      const room = Math.min(this.#room(), LIMITS.replayChunk);
      if (room <= 0) return;
      // A replayed piece has room for a whole query, else the end of the window would cut it.
      const piece = this.#cursor < this.#replayEnd ? Math.max(room, LONGEST_QUERY) : room;
      const to = Math.min(limit, this.#cursor + piece);
      if (this.#cursor < tail.start) {
        this.#step(() => this.#readBack(to));
        return;
      }
      this.#send(this.#cursor, tail.slice(this.#cursor, to), to === limit);
    }
  }

  /** Runs a step that waits; nothing else is sent meanwhile. */
  #step(work: () => Promise<void>): void {
    this.#isBusy = true;
    const done = () => {
      this.#isBusy = false;
      this.#pump();
      this.#watch();
    };
    work().then(done, (error: unknown) => {
      // A lost host is answered by a value; what arrives here is a fault, and must not pass unseen.
      this.dispose();
      throw error;
    });
  }

  /** Sends a piece of the past: without queries, and not cut inside one. */
  #send(offset: number, bytes: Uint8Array, isLast: boolean): void {
    if (offset >= this.#replayEnd) {
      this.#deliver(offset, bytes);
      return;
    }
    let piece = bytes.subarray(0, this.#replayEnd - offset);
    if (!(isLast || piece.length < bytes.length)) {
      const introducer = piece.lastIndexOf(0x1b);
      if (introducer > 0 && piece.length - introducer < LONGEST_QUERY) piece = piece.subarray(0, introducer);
    }
    this.#deliver(offset, this.#source.cleanReplay(piece));
  }

  /** What the tail has no more comes from the host's ring. */
  async #readBack(to: number): Promise<void> {
    const from = this.#cursor;
    const read = await this.#source.readRing(from, to);
    if (this.#isClosed || this.#resync !== undefined) return;
    if (this.#takesOldest && read !== undefined && read.offset > from) {
      // The ring starts here; a letter cut by its start is left out.
      const offset = read.offset + continuationLength(read.bytes);
      this.#startAt(Math.min(offset, this.#source.tail.shown), this.#replayEnd);
      return;
    }
    if (read === undefined || read.bytes.length === 0 || read.offset !== from) {
      if (this.#takesOldest) this.#resync = { from: undefined, reason: 'evicted' };
      else this.#resync = { from, reason: this.#replayEnd > from ? 'evicted' : 'slow viewer' };
      return;
    }
    this.#takesOldest = false;
    this.#send(from, read.bytes, false);
  }

  async #sendSnapshot(parsed: Promise<void>): Promise<void> {
    await parsed;
    const wanted = this.#resync;
    if (this.#isClosed || wanted === undefined) return;
    // From here to the end nothing waits: the snapshot and the cursor behind it are one step.
    const snapshot = this.#source.snapshot();
    if (wanted.from !== undefined && snapshot.offset > wanted.from) {
      this.#sink.frame({ type: 'gap', from: wanted.from, to: snapshot.offset, reason: wanted.reason });
    }
    const { data, offset, rows, cols, totalLines } = snapshot;
    const lines = totalLines === undefined ? {} : { total_lines: totalLines };
    this.#sink.frame({ type: 'snapshot', data, offset, rows, cols, ...lines });
    this.#resync = undefined;
    this.#takesOldest = false;
    this.#partial = new Uint8Array(0);
    this.#cursor = offset;
    this.#acknowledged = offset;
    this.#sent.length = 0;
    this.#replayEnd = Math.min(this.#replayEnd, offset);
    this.#size = this.#source.tail.sizeAt(offset);
    this.#mustTellSize = false;
    this.#lastTrouble = wanted.reason === 'slow viewer' ? this.#source.clock.monotonic() : this.#lastTrouble;
  }

  #tellSizes(): void {
    const { tail } = this.#source;
    if (this.#mustTellSize) {
      this.#mustTellSize = false;
      this.#frameSize();
    }
    for (;;) {
      const next = tail.sizeAfter(this.#size);
      // A sequence that is held back may stand before the mark: an idle viewer is told all the same.
      if (next === undefined || (next.offset > this.#cursor && this.#cursor < tail.shown)) return;
      this.#size = next;
      if (!this.#isRaw) this.#frameSize();
    }
  }

  #frameSize(): void {
    this.#sink.frame({ type: 'size', offset: this.#cursor, rows: this.#size.rows, cols: this.#size.cols });
  }

  #deliver(offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const isReplay = offset < this.#replayEnd;
    this.#cursor = offset + bytes.length;
    if (this.#isRaw) {
      this.#deliverText(bytes, isReplay);
      return;
    }
    const at = this.#source.clock.monotonic();
    const last = this.#sent.at(-1);
    if (last !== undefined && at - last.at < 1) last.end = this.#cursor;
    else this.#sent.push({ end: this.#cursor, at });
    this.#sink.bytes(offset, bytes);
  }

  /** A letter that is cut by the piece's end waits for its rest; the offset told is that of whole letters. */
  #deliverText(bytes: Uint8Array, isReplay: boolean): void {
    let whole = bytes;
    if (this.#partial.length > 0) {
      whole = new Uint8Array(this.#partial.length + bytes.length);
      whole.set(this.#partial);
      whole.set(bytes, this.#partial.length);
    }
    const dangling = danglingLength(whole);
    this.#partial = whole.slice(whole.length - dangling);
    const data = decodeUtf8(whole.subarray(0, whole.length - dangling));
    if (data === '') return;
    if (isReplay) this.#sink.frame({ type: 'output', data, total_written: this.#cursor - dangling });
    else this.#sink.frame({ type: 'output', data });
  }

  /** Looks how far the viewer is behind: waits for it, or gives it up as slow. */
  #watch(): void {
    if (this.#isClosed || this.#resync !== undefined || this.#cursor < this.#replayEnd) return;
    const behind = this.#behind();
    if (this.#hold !== undefined) {
      if (behind <= LIMITS.viewerHoldBelow) this.#letGo();
      return;
    }
    if (behind <= LIMITS.viewerHoldAbove || this.#source.end !== undefined) return;
    const { clock } = this.#source;
    if (clock.monotonic() - this.#lastTrouble >= DEADLINES.viewerRestore) this.#allowance = DEADLINES.viewerHold;
    if (this.#allowance < LEAST_HOLD) {
      this.#giveUp();
      return;
    }
    this.#hold = clock.after(this.#allowance, () => this.#giveUp());
    this.#source.hold(this);
  }

  #giveUp(): void {
    this.#letGo();
    this.#allowance /= 2;
    this.#lastTrouble = this.#source.clock.monotonic();
    this.#resync ??= { from: this.#cursor, reason: 'slow viewer' };
    this.#pump();
  }

  #letGo(): void {
    if (this.#hold === undefined) return;
    this.#hold.dispose();
    this.#hold = undefined;
    this.#source.release(this);
  }

  #finish(end: NonNullable<ByteSource['end']>): void {
    if (this.#partial.length > 0) {
      this.#sink.frame({ type: 'output', data: decodeUtf8(this.#partial) });
      this.#partial = new Uint8Array(0);
    }
    tellEnd(this.#sink, this.#source.id, end);
    this.dispose();
  }
}
