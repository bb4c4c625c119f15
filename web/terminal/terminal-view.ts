/**
 * One session on screen: an xterm.js terminal joined to the session's byte stream.
 *
 * Owns the terminal, its element and the stream. Promises: what is drawn is the session's output, each byte once and in
 * order; a screen once shown stays until the next one replaces it in a single write; the terminal has the size the server
 * told, and its letters shrink when that does not fit; nothing but the person types.
 *
 * Ordering: output, sizes and snapshots pass one WriteQueue. Output is acknowledged when the terminal has parsed it, so a
 * browser that is slow holds back the server's sending, never its own memory.
 */
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import { type Disposable, DisposableStore, systemClock } from '../../src/base/index.ts';
import {
  type ByteStream,
  type Client,
  RequestRefused,
  ServerUnreachable,
  type StreamEnd,
  type StreamSnapshot,
  type StreamState,
} from '../../src/client/index.ts';
import { DEADLINES, type SessionInfo } from '../../src/contract/index.ts';
import type { CellCount } from './cell-fit.ts';
import { guardComposition } from './composition-guard.ts';
import { watchCursor } from './cursor-watch.ts';
import { composeScreen, renderLines } from './history.ts';
import { PasteSender } from './paste-sender.ts';
import { silenceQueries } from './query-silence.ts';
import { SessionHistory } from './session-history.ts';
import { SizeReport } from './size-report.ts';
import { TerminalFit } from './terminal-fit.ts';
import { TerminalLinks } from './terminal-links.ts';
import { optionsOf, type TerminalAppearance, type TerminalStatus, type TerminalViewEvents } from './terminal-model.ts';
import type { PictureSource } from './terminal-picture.ts';
import { WriteQueue } from './write-queue.ts';

const SCROLLBACK = 10_000;
/** Rows, once the whole log was asked for: its long lines take several. */
const WHOLE_SCROLLBACK = 40_000;
/** Key strokes kept while the first connection is made. */
const EARLY_INPUTS = 1_000;
export class TerminalView implements Disposable {
  readonly element: HTMLDivElement;
  readonly sessionId: string;
  /** Find, while it is open. */
  finder: { step(by: 1 | -1): void } | undefined;
  readonly #client: Client;
  readonly #events: TerminalViewEvents;
  readonly #terminal: Terminal;
  readonly #queue: WriteQueue;
  readonly #disposables = new DisposableStore();
  readonly #encoder = new TextEncoder();
  readonly #fit: TerminalFit;
  readonly #sizeReport: SizeReport;
  readonly #paste: PasteSender;
  readonly #history: SessionHistory;
  readonly links: TerminalLinks;
  readonly #isCursorShown: () => boolean;
  #stream: ByteStream | undefined;
  #appearance: TerminalAppearance;
  #status: TerminalStatus;
  #isVisible = false;
  #hasEnded = false;
  #isDisposed = false;
  /** Typed before the first connection stood. Nothing can have been lost on the way yet, so it is sent then. */
  #early: Uint8Array[] | undefined = [];
  #shownOffset: number | undefined;
  /** A gap was told because this viewer was slow; the snapshot behind it is about to come. */
  #isBehind = false;
  /** Runs while history is to be read once the output pauses. */
  #calm: ReturnType<typeof setTimeout> | undefined;
  /** Until then (epoch milliseconds) a size of another viewer is answered by claiming ours. */
  #reclaimUntil = 0;
  #frame = 0;

  constructor(client: Client, session: SessionInfo, appearance: TerminalAppearance, events: TerminalViewEvents) {
    this.#client = client;
    this.#events = events;
    this.#appearance = appearance;
    this.sessionId = session.session_id;
    this.#status = {
      connection: 'connecting',
      retryAt: undefined,
      rows: session.rows,
      cols: session.cols,
      followsOther: false,
      lostBytes: 0,
    };
    this.element = document.createElement('div');
    this.element.className = 'terminal';
    this.element.dataset.sessionId = session.session_id;
    // The margin around the cells.
    this.element.style.backgroundColor = appearance.theme.colours.background;
    this.#terminal = new Terminal({
      allowProposedApi: true,
      cols: session.cols,
      rows: session.rows,
      fontSize: appearance.fontSize,
      logLevel: 'off',
      scrollback: SCROLLBACK,
      ...optionsOf(appearance),
    });
    this.#isCursorShown = watchCursor(this.#terminal.parser);
    this.#queue = new WriteQueue(this.#terminal, (error) => this.#reportFailure(error));
    this.#disposables.add(this.#queue);
    this.#disposables.add(this.#terminal);
    this.#history = new SessionHistory(client, session.session_id);
    this.#fit = this.#disposables.add(
      new TerminalFit({
        terminal: this.#terminal,
        element: this.element,
        look: () => this.#appearance,
        onFit: (own) => {
          if (this.#isVisible) this.#sizeReport.change(own);
          this.#update({});
        },
      }),
    );
    this.#sizeReport = this.#disposables.add(
      new SizeReport(systemClock, ({ rows, cols }) => {
        if (this.#isVisible) this.#stream?.resize(rows, cols);
      }),
    );
    this.#paste = new PasteSender({
      isBracketed: () => this.#terminal.modes.bracketedPasteMode,
      type: (bytes) => this.#type(bytes),
      stream: () => (this.#hasEnded ? undefined : this.#stream),
      events,
    });
    this.links = this.#disposables.add(
      new TerminalLinks(this.#terminal, {
        resolve: (written) => events.resolvePath(written),
        follow: (target) => events.linkFollowed(target),
        point: (target) => events.linkPointed(target),
      }),
    );
    this.#setUpTerminal();
    this.#showAttributes();
    if (session.lifecycle === 'exited') this.#showRecord();
    else this.#connect();
  }

  get status(): TerminalStatus {
    return this.#status;
  }

  /** Cells that fit here at the chosen font, once measured. */
  get ownSize(): CellCount | undefined {
    return this.#fit.own;
  }

  /** Puts the terminal into `place` and keeps it fitted. Done once; the element may move afterwards. */
  mount(place: HTMLElement): void {
    place.append(this.element);
    if (this.#terminal.element !== undefined) return;
    this.#terminal.open(this.element);
    guardComposition(this.element, {
      onSent: (listener) => this.#disposables.add(this.#terminal.onData(listener)),
      type: (text) => this.#terminal.input(text),
    });
    // Before xterm takes it: it would neither ask nor keep the text from ending its own bracket.
    this.element.addEventListener(
      'paste',
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        this.#events.pasted(event.clipboardData?.getData('text/plain') ?? '');
      },
      { capture: true },
    );
    this.element.addEventListener('focusin', () => {
      if (this.#status.followsOther) this.claimSize();
    });
    this.#fit.start();
  }

  /** Tells the server whether a person can see this terminal; the last one that became visible decides its size. */
  setVisible(visible: boolean): void {
    if (visible === this.#isVisible) return;
    this.#isVisible = visible;
    this.#stream?.setVisible(visible);
    if (visible) this.#fit.schedule();
    // Nobody points at what is not on show, though the pointer may not have moved.
    else this.#events.linkPointed(undefined);
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** Pastes text as a person would, after asking where that is due. */
  offerPaste(raw: string, mayAsk: boolean): void {
    this.#paste.offer(raw, mayAsk);
  }

  /** Sends what `preparePaste` made of a text: whole or not at all, before anything that is typed later. */
  async paste(text: string): Promise<void> {
    this.#terminal.scrollToBottom();
    await this.#paste.send(text);
  }

  /** For parts that are loaded when they are used and work on the terminal itself. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** What a picture of it is drawn from; undefined while there is nothing to see yet. */
  get pictureSource(): PictureSource | undefined {
    if (this.#shownOffset === undefined && !this.#hasEnded) return undefined;
    const { theme } = this.#appearance;
    return { terminal: this.#terminal, theme, hasCursor: this.#isCursorShown() };
  }

  /** Fetches what the log holds above what is here. The screen stays until both are drawn in one write. */
  loadWholeHistory(): void {
    if (!this.#history.askForAll()) return;
    this.#terminal.options.scrollback = WHOLE_SCROLLBACK;
    if (this.#hasEnded) this.#showRecord();
    else this.#stream?.refresh();
  }

  /** Makes this window's size the one in force. */
  claimSize(): void {
    const { own } = this.#fit;
    if (!this.#isVisible || own === undefined) return;
    this.#stream?.setVisible(true);
    this.#stream?.resize(own.rows, own.cols);
  }

  setAppearance(appearance: TerminalAppearance): void {
    const before = this.#appearance;
    this.#appearance = appearance;
    Object.assign(this.#terminal.options, optionsOf(appearance));
    this.element.style.backgroundColor = appearance.theme.colours.background;
    if (before.fontSize !== appearance.fontSize || before.fontFamily !== appearance.fontFamily) {
      this.#fit.measureAgain();
    }
    if (before.renderer !== appearance.renderer) this.#fit.chooseRenderer();
  }

  retryNow(): void {
    this.#stream?.retryNow();
  }

  /** The connection may be dead without having said so. */
  reconnect(): void {
    if (!this.#hasEnded) this.#stream?.reconnect();
  }

  dispose(): void {
    this.#hasEnded = true;
    this.#isDisposed = true;
    clearTimeout(this.#calm);
    cancelAnimationFrame(this.#frame);
    this.#stream?.dispose();
    this.#disposables.dispose();
    this.element.remove();
  }

  #setUpTerminal(): void {
    const terminal = this.#terminal;
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    silenceQueries(terminal.parser);
    terminal.onData((text) => {
      if (text.includes('\r')) this.#events.entered();
      this.#type(this.#encoder.encode(text));
    });
    terminal.onBinary((text) => this.#type(Uint8Array.from(text, (unit) => unit.charCodeAt(0) & 0xff)));
    terminal.attachCustomKeyEventHandler((event) => this.#handleKey(event));
  }

  /** A step of the queue failed. What the server refuses is shown by the workspace; the rest is a fault of this page. */
  #reportFailure(error: unknown): void {
    if (!(error instanceof RequestRefused || error instanceof ServerUnreachable)) reportError(error);
  }

  #handleKey(event: KeyboardEvent): boolean {
    return !this.#events.isWorkspaceKey(event);
  }

  #type(bytes: Uint8Array): void {
    if (this.#hasEnded) this.#events.inputRefused('ended');
    else if (this.#early !== undefined && this.#early.length < EARLY_INPUTS) this.#early.push(bytes);
    else if (this.#stream?.send(bytes) !== true) this.#events.inputRefused('not connected');
  }

  #connect(): void {
    this.#stream = this.#client.openByteStream(
      this.sessionId,
      {
        bytes: (offset, bytes) => {
          const end = offset + bytes.length;
          if (this.#calm !== undefined) this.#awaitCalm();
          this.#queue.write(bytes, () => {
            this.#stream?.consume(end);
            this.#shown(end);
          });
        },
        snapshot: (snapshot) => {
          const isCatchingUp = this.#isBehind;
          this.#isBehind = false;
          if (isCatchingUp) this.#awaitCalm();
          this.#queue.runStep(() => this.#showSnapshot(snapshot, !isCatchingUp));
        },
        size: ({ rows, cols }) => this.#queue.runStep(() => this.#applySize({ rows, cols })),
        gap: ({ from, to, reason }) => {
          // Other gaps are filled by the snapshot and the log that follow them.
          if (reason === 'slow viewer') this.#isBehind = true;
          if (reason === 'host overrun') this.#update({ lostBytes: this.#status.lostBytes + to - from });
        },
        exit: () => undefined,
        state: (state) => this.#onState(state),
        ended: (end) => this.#onEnded(end),
      },
      { retries: Number.POSITIVE_INFINITY, longestWait: DEADLINES.retryMaximumWatched },
    );
    this.#stream.setVisible(this.#isVisible);
  }

  #onState(state: StreamState): void {
    if (state.kind === 'live' && this.#early !== undefined) {
      const early = this.#early;
      this.#early = undefined;
      for (const bytes of early) this.#stream?.send(bytes);
    }
    // All viewers come back in any order; the window a person works in had the size and takes it again.
    if (state.kind === 'reconnecting' && this.#status.connection === 'live') {
      this.#reclaimUntil = this.#status.followsOther || !document.hasFocus() ? 0 : Number.POSITIVE_INFINITY;
    }
    if (state.kind === 'live' && this.#reclaimUntil > 0) this.#reclaimUntil = Date.now() + DEADLINES.sizeReclaim;
    this.#update({
      connection: state.kind,
      retryAt: state.kind === 'reconnecting' ? Date.now() + state.retryInMilliseconds : undefined,
    });
  }

  #onEnded(end: StreamEnd): void {
    this.#hasEnded = true;
    // The stream could not show how it ended; the server's record of the session can.
    if (end.kind === 'missing' && end.session !== undefined) this.#showRecord();
    this.#queue.runStep(() => {
      this.#terminal.write('\u001b[?25l');
      this.#events.ended(end);
    });
  }

  /**
   * Output comes faster than this page can draw it. Reading thousands of lines of history with each snapshot would make that
   * worse, so the history waits until the output does.
   */
  #awaitCalm(): void {
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => {
      this.#calm = undefined;
      this.#stream?.refresh();
    }, DEADLINES.historyCalm);
  }

  async #showSnapshot(snapshot: StreamSnapshot, withHistory: boolean): Promise<void> {
    const history = withHistory ? await this.#history.above(snapshot.totalLines) : [];
    if (this.#isDisposed) return;
    this.#applySize(snapshot);
    const { buffer } = this.#terminal;
    const scrolledUp = buffer.active.type === 'normal' ? buffer.normal.baseY - buffer.normal.viewportY : 0;
    await this.#writeAll(composeScreen(history, snapshot.data, snapshot.rows));
    if (scrolledUp > 0) this.#terminal.scrollToLine(Math.max(0, buffer.active.baseY - scrolledUp));
    this.#shown(snapshot.offset);
  }

  /** An ended session has no stream any more, but log and last screen can still be read. */
  #showRecord(): void {
    this.#hasEnded = true;
    this.#queue.runStep(async () => {
      const log = await this.#history.record();
      if (this.#isDisposed) return;
      const text = `${composeScreen(log.lines, '', this.#terminal.rows)}\u001b[?25l${renderLines(log.screen)}`;
      await this.#writeAll(text);
    });
    this.#update({ connection: 'ended' });
  }

  #writeAll(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  #shown(offset: number): void {
    this.#shownOffset = offset;
    if (this.#frame === 0) this.#scheduleFrame();
  }

  #scheduleFrame(): void {
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#showAttributes();
    });
  }

  /** What tests and tools may read from the page. */
  #showAttributes(): void {
    const { dataset } = this.element;
    dataset.connection = this.#status.connection;
    dataset.rows = String(this.#status.rows);
    dataset.cols = String(this.#status.cols);
    if (this.#shownOffset !== undefined) dataset.offset = String(this.#shownOffset);
  }

  #update(change: Partial<TerminalStatus>): void {
    const next = { ...this.#status, ...change };
    const { own } = this.#fit;
    next.followsOther =
      own !== undefined && this.#isVisible && !this.#hasEnded && (next.rows !== own.rows || next.cols !== own.cols);
    this.#status = next;
    this.#showAttributes();
    this.#events.status(next);
  }

  #applySize({ rows, cols }: CellCount): void {
    if (this.#terminal.rows !== rows || this.#terminal.cols !== cols) this.#terminal.resize(cols, rows);
    this.#fit.applyFont();
    this.#update({ rows, cols });
    if (this.#status.followsOther && this.#reclaimUntil > Date.now()) {
      this.#reclaimUntil = 0;
      this.claimSize();
    }
  }
}
