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
import { WebLinksAddon } from '@xterm/addon-web-links';
import { type IDisposable, type ITerminalOptions, Terminal } from '@xterm/xterm';
import { type Disposable, DisposableStore } from '../../src/base/index.ts';
import {
  type ByteStream,
  type Client,
  type PasteOutcome,
  RequestRefused,
  ServerUnreachable,
  type StreamEnd,
  type StreamSnapshot,
  type StreamState,
} from '../../src/client/index.ts';
import { DEADLINES, LIMITS, type LogLine, type SessionInfo } from '../../src/contract/index.ts';
import { readLogPages } from '../shared/log-pages.ts';
import { type CellCount, fitCells, fitFont, type PixelSize } from './cell-fit.ts';
import { guardComposition } from './composition-guard.ts';
import { composeScreen, HISTORY_LINES, renderLines } from './history.ts';
import type { TerminalTheme } from './palettes.ts';
import { encodePaste, LARGEST_PASTE, needsQuestion, type PreparedPaste, preparePaste } from './paste-text.ts';
import { silenceQueries } from './query-silence.ts';
import { loadWebgl, type RendererChoice } from './renderer.ts';
import { WriteQueue } from './write-queue.ts';

export interface TerminalStatus {
  connection: StreamState['kind'];
  /** Epoch milliseconds of the next attempt while reconnecting. */
  retryAt: number | undefined;
  rows: number;
  cols: number;
  /** The size is another viewer's, not the one that fits here. */
  followsOther: boolean;
  /** Bytes that no view has any more. */
  lostBytes: number;
}

export interface TerminalAppearance {
  theme: TerminalTheme;
  isHighContrast: boolean;
  /** Empty for the usual fonts. */
  fontFamily: string;
  cursorStyle: 'block' | 'bar' | 'underline';
  cursorBlink: boolean;
  fontSize: number;
  screenReader: boolean;
  renderer: RendererChoice;
  reducedMotion: boolean;
}

export interface PasteProgress {
  /** Bytes that left, and all of them. */
  sent: number;
  total: number;
  outcome: PasteOutcome | undefined;
}

export interface TerminalViewEvents {
  status(status: TerminalStatus): void;
  ended(end: StreamEnd): void;
  /** Something typed or pasted was not sent. */
  inputRefused(reason: 'not connected' | 'ended'): void;
  /** A person pasted; `offerPaste` goes on with it. */
  pasted(text: string): void;
  /** Asks before something is pasted that would run, or is large. */
  pasteAsked(paste: PreparedPaste): void;
  /** Nothing of it was sent. `bytes`: how many it would have been. */
  pasteTooLarge(bytes: number): void;
  /** A paste that takes more than a moment is under way, until `outcome` tells what came of it. */
  pasting(progress: PasteProgress): void;
  /** True takes the key away from the terminal. */
  isWorkspaceKey(event: KeyboardEvent): boolean;
}

const FONTS =
  'ui-monospace, "SF Mono", Menlo, "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace';
const SCROLLBACK = 10_000;
/** Rows, once the whole log was asked for: its long lines take several. */
const WHOLE_SCROLLBACK = 40_000;
/** Key strokes kept while the first connection is made. */
const EARLY_INPUTS = 1_000;
/** Input up to here is one message, and hence whole by itself. */
const SMALL_PASTE = 65_536;
/** Milliseconds between two looks at how much of a paste has left. */
const PASTE_PROGRESS = 100;
/** Place the scroll bar needs beside the cells. */
const SCROLL_BAR = 14;

/** Options of xterm.js that may change while it is on the page. */
function optionsOf(appearance: TerminalAppearance): ITerminalOptions {
  return {
    cursorBlink: appearance.cursorBlink && !appearance.reducedMotion,
    cursorStyle: appearance.cursorStyle,
    fontFamily: appearance.fontFamily === '' ? FONTS : `"${appearance.fontFamily}", ${FONTS}`,
    minimumContrastRatio: appearance.isHighContrast ? 7 : 4.5,
    screenReaderMode: appearance.screenReader,
    theme: appearance.theme.colours,
  };
}

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
  #stream: ByteStream | undefined;
  #appearance: TerminalAppearance;
  #webgl: IDisposable | undefined;
  #status: TerminalStatus;
  #isVisible = false;
  #hasEnded = false;
  #isDisposed = false;
  /** Typed before the first connection stood. Nothing can have been lost on the way yet, so it is sent then. */
  #early: Uint8Array[] | undefined = [];
  #cell: { size: PixelSize; font: number; ratio: number } | undefined;
  #own: CellCount | undefined;
  #shownOffset: number | undefined;
  /** A gap was told because this viewer was slow; the snapshot behind it is about to come. */
  #isBehind = false;
  #historyLines = HISTORY_LINES;
  /** The log holds lines above those fetched. */
  #hasMoreHistory = false;
  /** Runs while history is to be read once the output pauses. */
  #calm: ReturnType<typeof setTimeout> | undefined;
  /** Until then (epoch milliseconds) a size of another viewer is answered by claiming ours. */
  #reclaimUntil = 0;
  #frame = 0;
  #fitRequest = 0;

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
      linkHandler: { activate: (event, uri) => followLink(event, uri), allowNonHttpProtocols: false },
      logLevel: 'off',
      scrollback: SCROLLBACK,
      ...optionsOf(appearance),
    });
    this.#queue = new WriteQueue(this.#terminal, (error) => this.#reportFailure(error));
    this.#disposables.add(this.#queue);
    this.#disposables.add(this.#terminal);
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
    return this.#own;
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
    const observer = new ResizeObserver(() => this.#scheduleFit());
    observer.observe(this.element);
    this.#disposables.add({ dispose: () => observer.disconnect() });
    this.element.addEventListener('focusin', () => {
      if (this.#status.followsOther) this.claimSize();
    });
    this.#applyRenderer();
  }

  /** Tells the server whether a person can see this terminal; the last one that became visible decides its size. */
  setVisible(visible: boolean): void {
    if (visible === this.#isVisible) return;
    this.#isVisible = visible;
    this.#stream?.setVisible(visible);
    if (visible) this.#scheduleFit();
  }

  focus(): void {
    this.#terminal.focus();
  }

  get isPasteBracketed(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** Pastes text as a person would, after asking where that is due. */
  offerPaste(raw: string, mayAsk: boolean): void {
    const paste = preparePaste(raw);
    if (paste.text === '') return;
    if (mayAsk && needsQuestion(paste, this.isPasteBracketed)) this.#events.pasteAsked(paste);
    else void this.paste(paste.text);
  }

  /** Sends what `preparePaste` made of a text: whole or not at all, before anything that is typed later. */
  async paste(text: string): Promise<void> {
    const bytes = encodePaste(text, this.isPasteBracketed);
    if (bytes.length > LARGEST_PASTE) {
      this.#events.pasteTooLarge(bytes.length);
      return;
    }
    this.#terminal.scrollToBottom();
    if (bytes.length <= SMALL_PASTE || this.#hasEnded) {
      this.#type(bytes);
      return;
    }
    const stream = this.#stream;
    const total = bytes.length;
    const tell = (outcome: PasteOutcome | undefined) =>
      this.#events.pasting({ sent: Math.max(0, total - (stream?.unsent ?? 0)), total, outcome });
    const timer = setInterval(() => tell(undefined), PASTE_PROGRESS);
    try {
      tell((await stream?.paste(bytes)) ?? { kind: 'not connected' });
    } finally {
      clearInterval(timer);
    }
  }

  /** For parts that are loaded when they are used and work on the terminal itself. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** Fetches what the log holds above what is here. The screen stays until both are drawn in one write. */
  loadWholeHistory(): void {
    if (!this.#hasMoreHistory || this.#historyLines === LIMITS.logLines) return;
    this.#historyLines = LIMITS.logLines;
    this.#terminal.options.scrollback = WHOLE_SCROLLBACK;
    if (this.#hasEnded) this.#showRecord();
    else this.#stream?.refresh();
  }

  /** Makes this window's size the one in force. */
  claimSize(): void {
    if (!this.#isVisible || this.#own === undefined) return;
    this.#stream?.setVisible(true);
    this.#stream?.resize(this.#own.rows, this.#own.cols);
  }

  setAppearance(appearance: TerminalAppearance): void {
    const before = this.#appearance;
    this.#appearance = appearance;
    const { options } = this.#terminal;
    Object.assign(options, optionsOf(appearance));
    this.element.style.backgroundColor = appearance.theme.colours.background;
    if (before.fontSize !== appearance.fontSize || before.fontFamily !== appearance.fontFamily) {
      this.#cell = undefined;
      options.fontSize = appearance.fontSize;
      this.#scheduleFit();
    }
    if (before.renderer !== appearance.renderer) this.#applyRenderer();
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
    cancelAnimationFrame(this.#fitRequest);
    this.#stream?.dispose();
    this.#webgl?.dispose();
    this.#disposables.dispose();
    this.element.remove();
  }

  #setUpTerminal(): void {
    const terminal = this.#terminal;
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    silenceQueries(terminal.parser);
    terminal.loadAddon(new WebLinksAddon((event, uri) => followLink(event, uri)));
    terminal.onData((text) => this.#type(this.#encoder.encode(text)));
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
    const history = withHistory ? await this.#readHistory(snapshot.totalLines) : [];
    if (this.#isDisposed) return;
    this.#applySize(snapshot);
    const { buffer } = this.#terminal;
    const scrolledUp = buffer.active.type === 'normal' ? buffer.normal.baseY - buffer.normal.viewportY : 0;
    await this.#writeAll(composeScreen(history, snapshot.data, snapshot.rows));
    if (scrolledUp > 0) this.#terminal.scrollToLine(Math.max(0, buffer.active.baseY - scrolledUp));
    this.#shown(snapshot.offset);
  }

  /** Lines above the screen. Without `end` the seam may be a line off, as output goes on between snapshot and question. */
  async #readHistory(end: number | undefined): Promise<LogLine[]> {
    if (end === 0) return [];
    this.#hasMoreHistory = end === undefined || end > this.#historyLines;
    const most = this.#historyLines;
    try {
      const signal = AbortSignal.timeout(DEADLINES.historyFetch);
      if (end === undefined)
        return (await this.#client.sessions.logOutput(this.sessionId, { limit: most, signal })).lines;
      return (await readLogPages(this.#client, this.sessionId, { from: Math.max(0, end - most), end, signal })).lines;
    } catch (error) {
      // The screen matters more than what is above it; a session that is gone has neither.
      const isExpected = error instanceof RequestRefused || error instanceof ServerUnreachable;
      if (isExpected || (error instanceof DOMException && error.name === 'TimeoutError')) return [];
      throw error;
    }
  }

  /** An ended session has no stream any more, but log and last screen can still be read. */
  #showRecord(): void {
    this.#hasEnded = true;
    this.#queue.runStep(async () => {
      const log = await this.#client.sessions.logOutput(this.sessionId, { limit: this.#historyLines });
      this.#hasMoreHistory = log.offset > 0;
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
    next.followsOther =
      this.#own !== undefined &&
      this.#isVisible &&
      !this.#hasEnded &&
      (next.rows !== this.#own.rows || next.cols !== this.#own.cols);
    this.#status = next;
    this.#showAttributes();
    this.#events.status(next);
  }

  #applySize({ rows, cols }: CellCount): void {
    if (this.#terminal.rows !== rows || this.#terminal.cols !== cols) this.#terminal.resize(cols, rows);
    this.#applyFont();
    this.#update({ rows, cols });
    if (this.#status.followsOther && this.#reclaimUntil > Date.now()) {
      this.#reclaimUntil = 0;
      this.claimSize();
    }
  }

  #scheduleFit(): void {
    if (this.#fitRequest !== 0 || this.element.dataset.renderer === undefined) return;
    this.#fitRequest = requestAnimationFrame(() => {
      this.#fitRequest = 0;
      this.#fit();
    });
  }

  /** Finds the size that fits here, tells the server, and adapts the letters to the size in force. */
  #fit(): void {
    const place = this.#measurePlace();
    const cell = this.#measureCell();
    if (place === undefined || cell === undefined) return;
    const own = fitCells(place, cell);
    if (own === undefined) return;
    const isNew = own.rows !== this.#own?.rows || own.cols !== this.#own.cols;
    this.#own = own;
    if (isNew && this.#isVisible) this.#stream?.resize(own.rows, own.cols);
    this.#applyFont();
    if (isNew) this.#update({});
  }

  #measurePlace(): PixelSize | undefined {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return undefined;
    const style = getComputedStyle(this.element);
    return {
      width: clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - SCROLL_BAR,
      height: clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
    };
  }

  /** Size of a cell at the chosen font, known from the drawn screen. Measured only while that font is in force. */
  #measureCell(): PixelSize | undefined {
    const { fontSize } = this.#appearance;
    const ratio = window.devicePixelRatio;
    if (this.#cell?.font === fontSize && this.#cell.ratio === ratio) return this.#cell.size;
    if (this.#terminal.options.fontSize !== fontSize) this.#terminal.options.fontSize = fontSize;
    const screen = this.element.querySelector<HTMLElement>('.xterm-screen');
    if (screen === null || screen.offsetWidth === 0) return undefined;
    const bounds = screen.getBoundingClientRect();
    const size = { width: bounds.width / this.#terminal.cols, height: bounds.height / this.#terminal.rows };
    this.#cell = { size, font: fontSize, ratio };
    return size;
  }

  #applyFont(): void {
    if (this.#own === undefined) return;
    const { fontSize } = this.#appearance;
    const fitting = fitFont(fontSize, this.#own, { rows: this.#terminal.rows, cols: this.#terminal.cols });
    if (this.#terminal.options.fontSize !== fitting) this.#terminal.options.fontSize = fitting;
  }

  /** Chooses how to draw. Cells differ a little between the two ways, so the size is measured when the choice stands. */
  #applyRenderer(): void {
    if (this.#terminal.element === undefined) return;
    this.#webgl?.dispose();
    this.#webgl = undefined;
    if (this.#appearance.renderer === 'dom') {
      this.#onRenderer('dom');
      return;
    }
    const isWanted = () => !this.#isDisposed && this.#webgl === undefined && this.#appearance.renderer === 'auto';
    void loadWebgl(this.#terminal, isWanted, () => {
      this.#webgl = undefined;
      this.#onRenderer('dom');
    }).then((webgl) => {
      if (this.#isDisposed) return;
      this.#webgl ??= webgl;
      this.#onRenderer(this.#webgl === undefined ? 'dom' : 'webgl');
    });
  }

  #onRenderer(renderer: 'dom' | 'webgl'): void {
    this.element.dataset.renderer = renderer;
    this.#cell = undefined;
    this.#scheduleFit();
  }
}

/** Only web addresses open, only on purpose, and the page that opens learns nothing of this one. */
function followLink(event: MouseEvent, uri: string): void {
  if (!(event.ctrlKey || event.metaKey)) return;
  let url: URL;
  try {
    url = new URL(uri);
  } catch (error) {
    if (error instanceof TypeError) return;
    throw error;
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') window.open(url.href, '_blank', 'noopener,noreferrer');
}
