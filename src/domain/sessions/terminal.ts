/**
 * One session's output: the byte's way of docs/architecture.md.
 *
 * Owns the screen engine and the tail of one session, and joins to them what stands in files of its own: when output is
 * parsed (ParseTurns), who watches (ViewerGroup), the size (HostSize), what the host is granted (HostCredit), the checkpoints (Checkpointer, CheckpointPace).
 * Promises: output reaches the engine and the viewers once and in order; what the engine has parsed is acknowledged to the
 * host, which bounds what waits here; the end is told only after every byte before it is readable (T01).
 * Ordering: the sink of the newest attachment is the only source of output (`#generation`); within one sink call the
 * engine takes the bytes first, then the tail, then the viewers. Nothing here waits between taking and showing.
 */
import { type Clock, type Disposable, Emitter } from '../../base/index.ts';
import {
  AppError,
  type Attached,
  DEADLINES,
  type ExitStatus,
  HOOK_MARKER,
  type PtyHost,
  type PtySink,
  type SessionState,
} from '../../contract/index.ts';
import type { SessionFiles } from '../../platform/fs/index.ts';
import type {
  ActivityEvidence,
  ActivityReader,
  ComposerState,
  ProgramActivity,
  TypingClaim,
  TypingRefusal,
} from './activity.ts';
import type { ActivityWatch } from './activity-watch.ts';
import { CheckpointPace } from './checkpoint-pace.ts';
import { Checkpointer } from './checkpointer.ts';
import type { LookInFront } from './foreground-watch.ts';
import { HostCredit } from './host-credit.ts';
import { HostSize } from './host-size.ts';
import type { OpenViewer, Viewer, ViewerSink } from './model.ts';
import { OutputTail } from './output-tail.ts';
import type { ParseScheduler } from './parse-scheduler.ts';
import { ParseTurns } from './parse-turns.ts';
import type { RawTap, SessionLog } from './ports.ts';
import { type LookBehind, ProgramWatch } from './program-watch.ts';
import { hasInterrupt, withoutReplies } from './reply-filter.ts';
import type { FilteredOutput, ScreenEngine, ScreenSnapshot } from './screen/model.ts';
import { SinkRelay } from './sink-relay.ts';
import type { TerminalSize } from './size-rule.ts';
import type { ByteSource, LogSource, ScreenView, StreamEnd } from './viewers/stream-source.ts';
import { ViewerGroup } from './viewers/viewer-group.ts';
import { type BeginLine, TerminalWriter, type WrittenLine } from './writer.ts';

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
  lookInFront?: LookInFront | undefined;
  lookBehind?: LookBehind | undefined;
  /** Output before this offset was written while no server was there. */
  replayUntil?: number;
  onActivity(): void;
  /** The agent's own id of its conversation, each time it is told. */
  onAgentSession(id: string): void;
  onTitle(title: string): void;
  onOutput(bytes: number): void;
  onResized(size: TerminalSize): void;
  /** The program has ended and all its output is readable. */
  onEnd(status: ExitStatus | undefined): void;
}

export class Terminal implements ByteSource, LogSource, Disposable {
  readonly id: string;
  readonly clock: Clock;
  readonly tail: OutputTail;
  readonly #options: TerminalOptions;
  readonly #engine: ScreenEngine;
  readonly #checkpointer: Checkpointer;
  readonly #pace: CheckpointPace;
  readonly #turns: ParseTurns;
  readonly #viewers: ViewerGroup;
  readonly #size: HostSize;
  readonly #credit: HostCredit;
  readonly #activity: ActivityWatch;
  readonly #program: ProgramWatch;
  readonly #writer: TerminalWriter;
  #lastState: { current: ProgramActivity; lastOutput: number; modes: number; state: SessionState } | undefined;
  readonly #outputs = new Emitter<void>();
  readonly #subscriptions: Disposable[] = [];
  readonly #replayUntil: number;

  #host: PtyHost | undefined;
  #generation = 0;
  #lastOutput = Number.NEGATIVE_INFINITY;
  #lastQuery: number;
  #lastQueryAt = Number.NEGATIVE_INFINITY;
  #screenView: ScreenView | undefined;
  #exit: ExitStatus | undefined;
  #hasEnded = false;
  #end: StreamEnd | undefined;
  #isDisposed = false;

  constructor(options: TerminalOptions) {
    const { id, engine, clock, scheduler, log } = options;
    const host = () => this.#host;
    const lastOutput = () => this.#lastOutput;
    this.#options = options;
    this.#engine = engine;
    this.id = id;
    this.clock = clock;
    this.tail = new OutputTail(engine.ingestedOffset, { rows: engine.rows, cols: engine.cols });
    this.#lastQuery = engine.lastQueryOffset;
    this.#replayUntil = options.replayUntil ?? 0;
    this.#size = new HostSize(id, { rows: engine.rows, cols: engine.cols }, host);
    this.#credit = new HostCredit(id, engine, host);
    this.#checkpointer = new Checkpointer({
      id,
      engine,
      files: options.files,
      clock,
      log,
      host,
      isStored: options.isStored ?? false,
      program: () => this.#activity.checkpoint(),
    });
    this.#pace = new CheckpointPace({
      checkpointer: this.#checkpointer,
      clock,
      lastOutput,
      parsed: () => this.parsed(),
      onFailure: (error) => log.error({ session: id, error }, 'a checkpoint failed'),
    });
    this.#turns = new ParseTurns({
      engine,
      clock,
      scheduler,
      lastOutput,
      isWatched: () => this.#viewers.size > 0,
      isAgent: () => this.#activity.isAgent,
      onTurn: () => {
        this.#screenView = undefined;
        this.#credit.grant();
        this.#pace.onParsed();
        this.#program.onParsed();
      },
      onFault: (error) => log.error({ session: id, error }, 'the screen engine failed on a piece of output'),
    });
    this.#viewers = new ViewerGroup({
      source: this,
      engine,
      clock,
      onOpened: () => this.#turns.schedule(),
      onInput: (bytes) => this.#type(bytes),
      onSize: (size) => this.#applySize(size),
    });
    this.#program = new ProgramWatch({
      id,
      reader: options.reader,
      engine,
      clock,
      log,
      lookInFront: options.lookInFront,
      lookBehind: options.lookBehind,
      onActivity: options.onActivity,
    });
    this.#activity = this.#program.activity;
    this.#writer = new TerminalWriter({
      clock,
      connection: host,
      hand: (bytes) => this.#hand(bytes),
      offset: () => engine.ingestedOffset,
    });
    this.#subscriptions.push(
      this.#program,
      engine.onAnswer(({ queryOffset, data }) => this.#answer(queryOffset, Buffer.from(data))),
      engine.onSignal((signal) => {
        if (signal.kind === 'title') this.#takeTitle(signal.title);
        if (signal.kind === 'osc') this.#activity.command(signal.code, signal.data);
        if (signal.kind === 'osc' && signal.code === HOOK_MARKER && this.conversation !== undefined) {
          options.onAgentSession(this.conversation);
        }
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

  /** Part of every list, so the same object as long as nothing has changed; nobody writes into it. */
  get state(): SessionState {
    const { current, lastOutput } = this.#activity;
    const { alternateScreen, applicationCursorKeys, bracketedPaste } = this.#engine;
    const modes = (alternateScreen ? 1 : 0) + (applicationCursorKeys ? 2 : 0) + (bracketedPaste ? 4 : 0);
    const last = this.#lastState;
    if (last?.current === current && last.lastOutput === lastOutput && last.modes === modes) return last.state;
    const state: SessionState = {
      ...current,
      last_activity_ms: lastOutput,
      terminal_mode: alternateScreen ? { mode: 'FullscreenTui', depth: 1 } : { mode: 'Shell' },
    };
    const { limitedUntil } = this.#activity;
    if (limitedUntil !== undefined) state.limited_until_ms = limitedUntil;
    if (applicationCursorKeys) state.application_cursor_keys = true;
    if (bracketedPaste) state.bracketed_paste = true;
    this.#lastState = { current, lastOutput, modes, state: Object.freeze(state) };
    return state;
  }

  get evidence(): ActivityEvidence {
    return this.#activity.evidence;
  }

  /** Why no line may be typed at the program now; undefined: it may (S01). */
  typingRefusal(): TypingRefusal | undefined {
    return this.#activity.typingRefusal();
  }

  /** Looks at the process in front. Await it before a claim: an agent may have ended a moment ago, and its shell be there. */
  checkFront(): Promise<void> {
    return this.#program.checkFront();
  }

  /** The right to type one line, or why there is none. Who has it settles it exactly once. */
  claimTyping(): TypingClaim | TypingRefusal {
    return this.#activity.claim();
  }

  /** The agent's own id of its conversation, once its hook told it. */
  get conversation(): string | undefined {
    return this.#activity.conversation;
  }

  /** Inputs that were submitted so far. */
  get turnEpoch(): number {
    return this.#activity.epoch;
  }

  get composer(): ComposerState {
    return this.#activity.composer;
  }

  /** It was taken over: what is there is looked at without waiting for output. */
  look(): void {
    this.#program.lookNow();
  }

  /** Told after each change of the state, of what may be typed, or of the turn. */
  onActivityChange(listener: () => void): Disposable {
    return this.#activity.onAnyChange(listener);
  }

  /** Epoch milliseconds of the newest output; 0 before any. */
  get lastActivity(): number {
    return this.#activity.lastOutput;
  }

  get viewerCount(): number {
    return this.#viewers.size;
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
    this.#credit.restart();
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
    this.#size.settle({ rows: attached.session.rows, cols: attached.session.cols });
  }

  /** The connection is gone; the host may still be there. */
  detach(): void {
    this.#generation++;
    this.#host = undefined;
    this.#turns.tellReceived(Number.POSITIVE_INFINITY);
  }

  /** What an ended program had written last, from the disk. */
  replay(bytes: Uint8Array): void {
    this.#takeOutput(this.#engine.ingestedOffset, bytes);
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
    if (this.#outputs.size > 0) this.#outputs.emit();
    this.#turns.tellReceived(engine.ingestedOffset);
    this.#turns.schedule();
    this.#pace.schedule();
  }

  #takeTitle(title: string): void {
    this.#activity.title(title);
    this.#options.onTitle(title);
  }

  #show({ offset, bytes }: FilteredOutput): void {
    if (bytes.length === 0) return;
    if (offset !== this.tail.shown) throw new Error(`output at ${offset}, expected ${this.tail.shown}`);
    this.tail.append(bytes);
    this.#viewers.append(offset, bytes);
  }

  #takeResize(offset: number, cols: number, rows: number): void {
    const engine = this.#engine;
    if (offset > engine.ingestedOffset) this.#takeGap(engine.ingestedOffset, offset);
    engine.ingestResize(engine.ingestedOffset, cols, rows);
    this.tail.markSize({ offset: engine.ingestedOffset, rows, cols });
    this.#screenView = undefined;
    this.#activity.resized();
    this.#options.onResized({ rows, cols });
    this.#viewers.onResized();
    this.#turns.schedule();
    this.#pace.schedule();
  }

  #takeGap(from: number, to: number): void {
    if (to <= this.#engine.ingestedOffset) return;
    this.#options.tap?.gap(this.id);
    this.#options.log.warn({ session: this.id, from, to }, 'output was overwritten while no server was there');
    this.#engine.ingestGap(to);
    this.tail.restart(to);
    this.#viewers.overrun();
    this.#turns.tellReceived(to);
    this.#turns.schedule();
    this.#pace.schedule();
  }

  /** The terminal is drained. The end is told once everything is parsed, so that every view shows the last byte. */
  #takeEnd(): void {
    this.#hasEnded = true;
    this.#turns.tellReceived(Number.POSITIVE_INFINITY);
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
    this.#viewers.finish();
  }

  /** Resolves once everything that has come so far is parsed. */
  parsed(): Promise<void> {
    return this.#turns.parsed();
  }

  /** Resolves once output up to `offset` has come, or none will come over this connection. */
  received(offset: number): Promise<void> {
    if (this.#hasEnded || this.#host === undefined) return Promise.resolve();
    return this.#turns.received(offset);
  }

  hold(viewer: object): void {
    this.#credit.hold(viewer);
  }

  release(viewer: object): void {
    this.#credit.release(viewer);
  }

  /** True while the disk does not have the newest screen. */
  get isDirty(): boolean {
    return this.#turns.hasWork || this.#checkpointer.isScreenStale;
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

  /** A copy of the newest output; undefined when the host is gone and took its ring with it. */
  async readRing(from: number, to: number): Promise<{ offset: number; bytes: Uint8Array } | undefined> {
    try {
      if (this.#host !== undefined) return await this.#host.read(this.id, from, to);
      // The host gave it up at the end of the program (Keeper).
      return clip(await this.#options.files.readRing(this.id), from, to);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  screenView(): ScreenView {
    if (this.#screenView === undefined) {
      const lines = this.#engine.screenLines();
      while (lines.length > 0 && lines.at(-1)?.spans.length === 0) lines.pop();
      // Otherwise the start of a line that runs over the upper edge would stand neither here nor in the log.
      const start = this.#engine.openLine();
      if (start !== undefined) lines.unshift(start);
      this.#screenView = { lines, key: JSON.stringify(lines) };
    }
    return this.#screenView;
  }

  /** Registers a viewer and sends what it has to get, in one step. Call when `parsed`. */
  openViewer(options: OpenViewer, sink: ViewerSink): Viewer {
    return this.#viewers.open(options, sink);
  }

  // --- towards the program -----------------------------------------------------------------------------------------

  /** A viewer's own terminal answers queries too; ours has answered already, so those answers are not passed on (T11). */
  async #type(bytes: Uint8Array): Promise<void> {
    const kept = this.#isQueryOpen() ? withoutReplies(bytes) : bytes;
    if (kept.length > 0) await this.write(kept);
  }

  #isQueryOpen(): boolean {
    return this.clock.monotonic() - this.#lastQueryAt < DEADLINES.queryOpen;
  }

  /** Behind a line that is being typed; otherwise in this turn. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes);
  }

  /** Text and Enter with nothing between them (SUB-3, SUB-4). */
  typeLine<Refusal>(begin: BeginLine<Refusal>): Promise<WrittenLine<Refusal>> {
    return this.#writer.typeLine(begin);
  }

  /** Told after each piece of output that has come. */
  onOutput(listener: () => void): Disposable {
    return this.#outputs.on(listener);
  }

  /** Resolves when no line is half typed. */
  typed(): Promise<void> {
    return this.#writer.idle();
  }

  async #hand(bytes: Uint8Array): Promise<void> {
    if (this.#host === undefined) throw new AppError('host_unavailable', { detail: 'it is not connected' });
    this.#options.tap?.input(this.id, bytes);
    if (hasInterrupt(bytes)) this.#viewers.interrupted();
    await this.following(bytes, this.#host.write(this.id, bytes));
  }

  /** The input line of the program is followed: call with everything that is handed to the host, in the same turn. */
  following(bytes: Uint8Array, written: Promise<void>): Promise<void> {
    return this.#program.follow(bytes, written);
  }

  #answer(queryOffset: number, bytes: Uint8Array): void {
    if (this.#host === undefined) return;
    this.#options.tap?.input(this.id, bytes);
    this.#host.answer(this.id, queryOffset, bytes);
  }

  /** Same size: nothing happens. The screen follows when the host's record arrives in the stream. */
  resize(size: TerminalSize): Promise<void> {
    return this.#size.ask(size);
  }

  #applySize(size: TerminalSize | undefined): void {
    if (size === undefined || this.#hasEnded || this.#isDisposed) return;
    this.resize(size).catch((error: unknown) => {
      this.#options.log.warn({ session: this.id, error }, 'the terminal was not resized');
    });
  }

  /** Lets all viewers go without a word; their fronts end the sockets. */
  closeViewers(): void {
    this.#viewers.close();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.detach();
    this.closeViewers();
    this.#pace.dispose();
    this.#turns.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#engine.dispose();
  }
}

/** What of a ring lies within [from, to). */
function clip(
  ring: { offset: number; bytes: Uint8Array } | undefined,
  from: number,
  to: number,
): { offset: number; bytes: Uint8Array } | undefined {
  if (ring === undefined) return undefined;
  const end = ring.offset + ring.bytes.length;
  const offset = Math.min(Math.max(from, ring.offset), end);
  return {
    offset,
    bytes: ring.bytes.subarray(offset - ring.offset, Math.max(offset, Math.min(to, end)) - ring.offset),
  };
}
