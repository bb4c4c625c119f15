/**
 * One session's output: the byte's way of docs/architecture.md.
 *
 * Owns the screen engine, the tail, the viewers, the size and the checkpoints of one session. Promises: output reaches
 * the engine and the viewers once and in order; what the engine has parsed is acknowledged to the host, which bounds what
 * waits here; the end is told only after every byte before it is readable (T01).
 * Ordering: the sink of the newest attachment is the only source of output (`#generation`); within one sink call the
 * engine takes the bytes first, then the tail, then the viewers. Nothing here waits between taking and showing.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import {
  AppError,
  type Attached,
  DEADLINES,
  type ExitStatus,
  LIMITS,
  type PtyHost,
  type PtySink,
  type SessionState,
} from '../../contract/index.ts';
import type { SessionFiles } from '../../platform/fs/index.ts';
import { ActivityWatch } from './activity-watch.ts';
import { Checkpointer } from './checkpointer.ts';
import type { OpenViewer, Viewer, ViewerSink } from './model.ts';
import { OutputTail } from './output-tail.ts';
import type { ParseJob, ParseScheduler } from './parse-scheduler.ts';
import type { ActivityReader, RawTap, SessionLog } from './ports.ts';
import { withoutReplies } from './reply-filter.ts';
import type { FilteredOutput, ScreenEngine, ScreenSnapshot } from './screen/model.ts';
import { SinkRelay } from './sink-relay.ts';
import { SizeRule, type TerminalSize } from './size-rule.ts';
import { ByteViewer } from './viewers/byte-viewer.ts';
import { LogViewer } from './viewers/log-viewer.ts';
import type { ByteSource, LogSource, ScreenView, StreamEnd } from './viewers/stream-source.ts';

export interface TerminalOptions {
  id: string;
  engine: ScreenEngine;
  clock: Clock;
  scheduler: ParseScheduler;
  files: SessionFiles;
  log: SessionLog;
  /** The engine is what the disk has. */
  isStored?: boolean;
  tap?: RawTap | undefined;
  reader: ActivityReader;
  /** Output before this offset was written while no server was there. */
  replayUntil?: number;
  onActivity(): void;
  onTitle(title: string): void;
  onOutput(bytes: number): void;
  onResized(size: TerminalSize): void;
  /** The program has ended and all its output is readable. */
  onEnd(status: ExitStatus | undefined): void;
}

interface Waiter {
  /** Offset that must be reached. */
  target: number;
  resolve: () => void;
}

const ACKNOWLEDGE_EVERY = LIMITS.ringChunk;
/** Storing takes its time and the host waits for it when its ring is full: it begins when half of the way is gone. */
const CHECKPOINT_BEGINS = LIMITS.checkpointEvery / 2;

export class Terminal implements ByteSource, LogSource, ParseJob, Disposable {
  readonly id: string;
  readonly clock: Clock;
  readonly tail: OutputTail;
  readonly #options: TerminalOptions;
  readonly #engine: ScreenEngine;
  readonly #checkpointer: Checkpointer;
  readonly #subscriptions: Disposable[] = [];
  readonly #byteViewers = new Set<ByteViewer>();
  readonly #logViewers = new Set<LogViewer>();
  readonly #holders = new Set<object>();
  readonly #sizeRule = new SizeRule<object>();
  #parsedWaiters: Waiter[] = [];
  #ingestWaiters: Waiter[] = [];

  #host: PtyHost | undefined;
  #generation = 0;
  #acknowledged = 0;
  #wantedSize: TerminalSize;
  /** The engine was given something that it may not have parsed: output, a size, a gap. */
  #hasWork = false;
  #lastOutput = Number.NEGATIVE_INFINITY;
  readonly #activity: ActivityWatch;
  readonly #replayUntil: number;
  #lastQuery: number;
  #lastQueryAt = Number.NEGATIVE_INFINITY;
  #lazyTimer: Disposable | undefined;
  #housekeeping: Disposable | undefined;
  #screenTimer: Disposable | undefined;
  #logTimer: Disposable | undefined;
  #screenView: ScreenView | undefined;
  #polledView: ScreenView | undefined;
  #polledTotal = -1;
  #polledClear = -1;
  #polledModes = '';
  #exit: ExitStatus | undefined;
  #hasEnded = false;
  #hasFailed = false;
  #end: StreamEnd | undefined;
  #isDisposed = false;

  constructor(options: TerminalOptions) {
    const { engine } = options;
    this.#options = options;
    this.#engine = engine;
    this.id = options.id;
    this.clock = options.clock;
    this.tail = new OutputTail(engine.ingestedOffset, { rows: engine.rows, cols: engine.cols });
    this.#wantedSize = { rows: engine.rows, cols: engine.cols };
    this.#acknowledged = engine.ingestedOffset;
    this.#lastQuery = engine.lastQueryOffset;
    this.#checkpointer = new Checkpointer({
      id: options.id,
      engine,
      files: options.files,
      clock: options.clock,
      log: options.log,
      host: () => this.#host,
      isStored: options.isStored ?? false,
    });
    this.#activity = new ActivityWatch(options.reader, options.clock, options.onActivity);
    this.#replayUntil = options.replayUntil ?? 0;
    this.#subscriptions.push(
      this.#activity,
      engine.onAnswer(({ queryOffset, data }) => this.#answer(queryOffset, Buffer.from(data))),
      engine.onSignal((signal) => {
        if (signal.kind === 'title') options.onTitle(signal.title);
        if (signal.kind === 'osc') this.#activity.command(signal.code, signal.data);
      }),
    );
  }

  get engine(): ScreenEngine {
    return this.#engine;
  }

  get log(): ScreenEngine['log'] {
    return this.#engine.log;
  }

  get end(): StreamEnd | undefined {
    return this.#end;
  }

  get host(): PtyHost | undefined {
    return this.#host;
  }

  /** How the program ended, once the host said so; its last output may still be under way. */
  get exitStatus(): ExitStatus | undefined {
    return this.#exit;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  get state(): SessionState {
    return {
      ...this.#activity.current,
      last_activity_ms: this.#activity.lastOutput,
      terminal_mode: this.#engine.alternateScreen ? { mode: 'FullscreenTui', depth: 1 } : { mode: 'Shell' },
      ...(this.#engine.applicationCursorKeys ? { application_cursor_keys: true } : {}),
      ...(this.#engine.bracketedPaste ? { bracketed_paste: true } : {}),
    };
  }

  get viewerCount(): number {
    return this.#byteViewers.size + this.#logViewers.size;
  }

  /** Takes the stream from where this terminal is. Again after a broken connection; viewers notice nothing. */
  async attach(host: PtyHost): Promise<Attached> {
    const relay = new SinkRelay();
    const sink = this.sinkFor(host);
    const attached = await host.attach(this.id, this.#engine.ingestedOffset, relay);
    if (this.#host === host) this.settle(attached);
    relay.forwardTo(sink);
    return attached;
  }

  /** The sink of a new attachment; it makes every earlier one deaf. */
  sinkFor(host: PtyHost): PtySink {
    const generation = ++this.#generation;
    this.#host = host;
    this.#acknowledged = this.#engine.ingestedOffset;
    const guard =
      <A extends unknown[]>(work: (...values: A) => void) =>
      (...values: A) => {
        if (generation === this.#generation && !this.#hasEnded) work(...values);
      };
    return {
      output: guard((offset, bytes) => this.#takeOutput(offset, bytes)),
      resized: guard((offset, cols, rows) => this.#takeResize(offset, cols, rows)),
      gap: guard((from, to) => this.#takeGap(from, to)),
      exit: guard((_offset, status) => {
        this.#exit = status;
      }),
      end: guard(() => this.#takeEnd()),
    };
  }

  /** A size that came into force at the very offset where the stream goes on is no record in it any more. */
  settle(attached: Attached): void {
    const { cols, rows } = attached;
    if (cols !== this.#engine.cols || rows !== this.#engine.rows) {
      this.#takeResize(this.#engine.ingestedOffset, cols, rows);
    }
    this.#wantedSize = { rows: attached.session.rows, cols: attached.session.cols };
  }

  /** The connection is gone; the host may still be there. */
  detach(): void {
    this.#generation++;
    this.#host = undefined;
    this.#tellReceived(Number.POSITIVE_INFINITY);
  }

  #takeOutput(offset: number, bytes: Uint8Array): void {
    const engine = this.#engine;
    const expected = engine.ingestedOffset;
    if (offset > expected) this.#takeGap(expected, offset);
    const fresh = offset < expected ? bytes.subarray(expected - offset) : bytes;
    if (fresh.length === 0) return;
    // Before the engine changes them.
    this.#options.tap?.output(this.id, fresh);
    const out = engine.ingest(engine.ingestedOffset, fresh);
    this.#lastOutput = this.clock.monotonic();
    this.#activity.output(engine.ingestedOffset <= this.#replayUntil);
    this.#options.onOutput(fresh.length);
    if (engine.lastQueryOffset > this.#lastQuery) {
      this.#lastQuery = engine.lastQueryOffset;
      this.#lastQueryAt = this.#lastOutput;
    }
    this.#show(out);
    this.#tellReceived(engine.ingestedOffset);
    this.#scheduleParse();
    this.#scheduleHousekeeping();
  }

  #show({ offset, bytes }: FilteredOutput): void {
    if (bytes.length === 0) return;
    if (offset !== this.tail.shown) throw new Error(`output at ${offset}, expected ${this.tail.shown}`);
    this.tail.append(bytes);
    for (const viewer of [...this.#byteViewers]) viewer.append(offset, bytes);
  }

  #takeResize(offset: number, cols: number, rows: number): void {
    const engine = this.#engine;
    if (offset > engine.ingestedOffset) this.#takeGap(engine.ingestedOffset, offset);
    engine.ingestResize(engine.ingestedOffset, cols, rows);
    this.tail.markSize({ offset: engine.ingestedOffset, rows, cols });
    this.#screenView = undefined;
    this.#options.onResized({ rows, cols });
    for (const viewer of [...this.#byteViewers]) viewer.wake();
    this.#scheduleParse();
    this.#scheduleHousekeeping();
  }

  #takeGap(from: number, to: number): void {
    if (to <= this.#engine.ingestedOffset) return;
    this.#options.tap?.gap(this.id);
    this.#options.log.warn({ session: this.id, from, to }, 'output was overwritten while no server was there');
    this.#engine.ingestGap(to);
    this.tail.restart(to);
    for (const viewer of [...this.#byteViewers]) viewer.overrun();
    this.#tellReceived(to);
    this.#scheduleParse();
    this.#scheduleHousekeeping();
  }

  /** The terminal is drained. The end is told once everything is parsed, so that every view shows the last byte. */
  #takeEnd(): void {
    this.#hasEnded = true;
    this.#tellReceived(Number.POSITIVE_INFINITY);
    void this.parsed().then(() => {
      if (this.#isDisposed) return;
      this.#flush();
      this.#activity.end();
      this.#options.onEnd(this.#exit);
    });
  }

  /** What was held back for its rest is shown as it is: nothing will finish it. */
  #flush(): void {
    this.#show(this.#engine.finish());
    this.#screenView = undefined;
  }

  /** Nothing follows any more: viewers get what is left, then exit and closed. */
  finish(end: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#hasEnded = true;
    this.#flush();
    this.#end = end;
    for (const viewer of [...this.#byteViewers]) viewer.wake();
    for (const viewer of [...this.#logViewers]) viewer.poll();
  }

  // --- parsing -----------------------------------------------------------------------------------------------------

  #scheduleParse(): void {
    this.#hasWork = true;
    const engine = this.#engine;
    const isUrgent =
      this.viewerCount > 0 ||
      this.#parsedWaiters.length > 0 ||
      this.#ingestWaiters.length > 0 ||
      engine.hasPendingQuery ||
      engine.pendingBytes >= LIMITS.lazyParseBacklog;
    if (isUrgent) this.#options.scheduler.request(this);
    else this.#lazyTimer ??= this.clock.after(DEADLINES.lazyParseQuiet, () => this.#parseWhenQuiet());
  }

  #parseWhenQuiet(): void {
    this.#lazyTimer = undefined;
    const left = this.#lastOutput + DEADLINES.lazyParseQuiet - this.clock.monotonic();
    if (left > 0) this.#lazyTimer = this.clock.after(left, () => this.#parseWhenQuiet());
    else this.#options.scheduler.request(this);
  }

  parseTurn(milliseconds: number): boolean {
    if (this.#isDisposed) return false;
    const hasMore = this.#parse(milliseconds);
    this.#screenView = undefined;
    this.#acknowledge();
    if (this.#checkpointer.dirtyBytes >= CHECKPOINT_BEGINS) this.#checkpoint(false);
    this.#hasWork = hasMore;
    // A size that came at the target is applied once something behind it is parsed, or nothing is left.
    this.#tellParsed(hasMore ? this.#engine.parsedOffset - 1 : Number.POSITIVE_INFINITY);
    return hasMore;
  }

  /**
   * A fault of the parser costs the session a piece of its screen, not all sessions their server: after a restart the
   * same bytes would end it again. It is logged once, and parsing goes on behind the piece.
   */
  #parse(milliseconds: number): boolean {
    try {
      return this.#engine.parse(milliseconds);
    } catch (error) {
      if (!this.#hasFailed) {
        this.#hasFailed = true;
        this.#options.log.error({ session: this.id, error }, 'the screen engine failed on a piece of output');
      }
      return true;
    }
  }

  /** Resolves once everything that has come so far is parsed. */
  parsed(): Promise<void> {
    if (this.#isDisposed || !this.#hasWork) return Promise.resolve();
    return new Promise((resolve) => {
      this.#parsedWaiters.push({ target: this.#engine.ingestedOffset, resolve });
      this.#options.scheduler.request(this);
    });
  }

  #tellParsed(parsed: number): void {
    if (this.#parsedWaiters.length > 0) this.#parsedWaiters = tell(this.#parsedWaiters, parsed);
  }

  /** Resolves once output up to `offset` has come, or none will come over this connection. */
  received(offset: number): Promise<void> {
    if (this.#engine.ingestedOffset >= offset || this.#hasEnded || this.#host === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#ingestWaiters.push({ target: offset, resolve });
      this.#options.scheduler.request(this);
    });
  }

  #tellReceived(received: number): void {
    if (this.#ingestWaiters.length > 0) this.#ingestWaiters = tell(this.#ingestWaiters, received);
  }

  /** Grants the host what the engine has consumed, unless a viewer that keeps up is waited for. */
  #acknowledge(): void {
    if (this.#holders.size > 0) return;
    const { parsedOffset } = this.#engine;
    if (parsedOffset - this.#acknowledged < ACKNOWLEDGE_EVERY) return;
    this.#acknowledged = parsedOffset;
    this.#host?.acknowledge(this.id, parsedOffset);
  }

  hold(viewer: object): void {
    this.#holders.add(viewer);
  }

  release(viewer: object): void {
    if (this.#holders.delete(viewer)) this.#acknowledge();
  }

  // --- checkpoints -------------------------------------------------------------------------------------------------

  #checkpoint(screen: boolean): void {
    this.#checkpointer.run({ screen }).catch((error: unknown) => {
      this.#options.log.error({ session: this.id, error }, 'a checkpoint failed');
    });
  }

  /** Looks once a second, while there is output, whether the session went quiet or a period is over. */
  #scheduleHousekeeping(): void {
    this.#housekeeping ??= this.clock.after(DEADLINES.checkpointQuiet, () => {
      this.#housekeeping = undefined;
      if (this.#isDisposed) return;
      const isQuiet = this.clock.monotonic() - this.#lastOutput >= DEADLINES.checkpointQuiet;
      if (!isQuiet && this.#checkpointer.age < DEADLINES.checkpointActive) {
        this.#scheduleHousekeeping();
        return;
      }
      if (!isQuiet) this.#scheduleHousekeeping();
      void this.parsed().then(() => {
        if (this.#isDisposed) return;
        this.#checkpoint(false);
        this.#scheduleScreen();
      });
    });
  }

  /** The screen on disk follows at its own pace, also when the last output was long ago. */
  #scheduleScreen(): void {
    const wait = Math.max(DEADLINES.checkpointActive - this.#checkpointer.age, DEADLINES.checkpointQuiet);
    this.#screenTimer ??= this.clock.after(wait, () => {
      this.#screenTimer = undefined;
      if (!this.#isDisposed && this.#checkpointer.isScreenStale) this.#checkpoint(true);
    });
  }

  /** True while the disk does not have the newest screen. */
  get isDirty(): boolean {
    return this.#hasWork || this.#checkpointer.isScreenStale;
  }

  /** Parses everything and stores it; for the end, for a lost host and for a stop. */
  async store(): Promise<void> {
    await this.parsed();
    await this.#checkpointer.run({ screen: true });
  }

  // --- viewers -----------------------------------------------------------------------------------------------------

  snapshot(): ScreenSnapshot {
    return { ...this.#engine.snapshot(), totalLines: this.#engine.log.total };
  }

  cleanReplay(bytes: Uint8Array): Uint8Array {
    return this.#engine.cleanReplay(bytes);
  }

  /** A copy of the host's ring; undefined when the host is gone (its bytes are gone with it). */
  async readRing(from: number, to: number): Promise<{ offset: number; bytes: Uint8Array } | undefined> {
    try {
      return await this.#host?.read(this.id, from, to);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  screenView(): ScreenView {
    if (this.#screenView === undefined) {
      const lines = this.#engine.screenLines();
      while (lines.length > 0 && lines.at(-1)?.spans.length === 0) lines.pop();
      this.#screenView = { lines, key: JSON.stringify(lines) };
    }
    return this.#screenView;
  }

  /** Registers a viewer and sends what it has to get, in one step. Call when `parsed`. */
  openViewer(options: OpenViewer, sink: ViewerSink): Viewer {
    return options.format === 'text' || options.format === 'log'
      ? this.#openLogViewer(options, sink)
      : this.#openByteViewer(options, sink);
  }

  #openByteViewer(options: OpenViewer, sink: ViewerSink): Viewer {
    this.tail.open();
    const viewer: ByteViewer = new ByteViewer(this, sink, options.format === 'raw', options.offset, () => {
      this.#byteViewers.delete(viewer);
      if (this.#byteViewers.size === 0) this.tail.close();
      this.#applySize(this.#sizeRule.leave(viewer));
    });
    this.#byteViewers.add(viewer);
    viewer.start();
    this.#scheduleParse();
    return this.#publicViewer(viewer, {
      acknowledge: (offset) => viewer.acknowledge(offset),
      drained: () => viewer.drained(),
    });
  }

  #openLogViewer(options: OpenViewer, sink: ViewerSink): Viewer {
    const viewer: LogViewer = new LogViewer(this, sink, options.offset, () => {
      this.#logViewers.delete(viewer);
      if (this.#logViewers.size === 0) {
        this.#logTimer?.dispose();
        this.#logTimer = undefined;
      }
      this.#applySize(this.#sizeRule.leave(viewer));
    });
    this.#logViewers.add(viewer);
    this.#logTimer ??= this.clock.every(DEADLINES.logPoll, () => this.#pollLog());
    viewer.start();
    this.#scheduleParse();
    return this.#publicViewer(viewer, { acknowledge: () => undefined, drained: () => viewer.poll() });
  }

  /** One look for all log viewers; nothing is sent when nothing changed. */
  #pollLog(): void {
    const view = this.screenView();
    const { total, clearedAt } = this.#engine.log;
    const { applicationCursorKeys, bracketedPaste, alternateScreen } = this.#engine;
    const modes = JSON.stringify([applicationCursorKeys, bracketedPaste, alternateScreen, this.#activity.current]);
    const isSame =
      view === this.#polledView &&
      total === this.#polledTotal &&
      clearedAt === this.#polledClear &&
      modes === this.#polledModes;
    if (isSame) return;
    this.#polledModes = modes;
    this.#polledView = view;
    this.#polledTotal = total;
    this.#polledClear = clearedAt;
    for (const viewer of [...this.#logViewers]) viewer.poll();
  }

  #publicViewer(viewer: Disposable, flow: Pick<Viewer, 'acknowledge' | 'drained'>): Viewer {
    let hasLeft = false;
    return {
      ...flow,
      dispose: () => {
        hasLeft = true;
        viewer.dispose();
      },
      // What a viewer typed before it left may come after it; it counts as input, and no more for the size.
      input: async (bytes) => {
        const kept = this.#isQueryOpen() ? withoutReplies(bytes) : bytes;
        if (!hasLeft) this.#applySize(this.#sizeRule.typed(viewer));
        if (kept.length > 0) await this.write(kept);
      },
      resize: (rows, cols) => this.#applySize(this.#sizeRule.report(viewer, { rows, cols })),
      visible: (isVisible) => this.#applySize(this.#sizeRule.visible(viewer, isVisible)),
    };
  }

  #isQueryOpen(): boolean {
    return this.clock.monotonic() - this.#lastQueryAt < DEADLINES.queryOpen;
  }

  // --- towards the program -----------------------------------------------------------------------------------------

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#host === undefined) throw new AppError('host_unavailable', { detail: 'it is not connected' });
    this.#options.tap?.input(this.id, bytes);
    await this.#host.write(this.id, bytes);
  }

  #answer(queryOffset: number, bytes: Uint8Array): void {
    if (this.#host === undefined) return;
    this.#options.tap?.input(this.id, bytes);
    this.#host.answer(this.id, queryOffset, bytes);
  }

  /** Same size: nothing happens. The screen follows when the host's record arrives in the stream. */
  async resize(size: TerminalSize): Promise<void> {
    if (size.rows === this.#wantedSize.rows && size.cols === this.#wantedSize.cols) return;
    if (this.#host === undefined) throw new AppError('host_unavailable', { detail: 'it is not connected' });
    const before = this.#wantedSize;
    this.#wantedSize = size;
    try {
      await this.#host.resize(this.id, size.cols, size.rows);
    } catch (error) {
      if (this.#wantedSize === size) this.#wantedSize = before;
      throw error;
    }
  }

  #applySize(size: TerminalSize | undefined): void {
    if (size === undefined || this.#hasEnded || this.#isDisposed) return;
    this.resize(size).catch((error: unknown) => {
      this.#options.log.warn({ session: this.id, error }, 'the terminal was not resized');
    });
  }

  /** Lets all viewers go without a word; their fronts end the sockets. */
  closeViewers(): void {
    for (const viewer of [...this.#byteViewers, ...this.#logViewers]) viewer.dispose();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.detach();
    this.closeViewers();
    for (const timer of [this.#lazyTimer, this.#housekeeping, this.#screenTimer, this.#logTimer]) timer?.dispose();
    this.#options.scheduler.cancel(this);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#tellParsed(Number.POSITIVE_INFINITY);
    this.#engine.dispose();
  }
}

function tell(waiters: readonly Waiter[], reached: number): Waiter[] {
  for (const waiter of waiters) if (waiter.target <= reached) waiter.resolve();
  return waiters.filter((waiter) => waiter.target > reached);
}
