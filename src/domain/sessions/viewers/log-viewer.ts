/**
 * A viewer of the finalised lines and the screen (format text or log): a line cursor into the session's log.
 *
 * Promises: every finalised line comes once, or a `gap` names the lines that did not; the screen follows when it changed.
 * Ordering: lines, then the screen they scrolled off from, in one frame; a `state` frame after the first one, and whenever it
 * says something else (the time of the last output alone is no news). What the
 * viewer's socket has not taken holds back this viewer only: its cursor stays in the log.
 */
import type { Disposable } from '../../../base/index.ts';
import { LIMITS, type LogLine } from '../../../contract/index.ts';
import { readLogWindow } from '../log-window.ts';
import type { ViewerSink } from '../model.ts';
import type { LogSource } from './stream-source.ts';
import { tellEnd } from './tell-end.ts';

export class LogViewer implements Disposable {
  readonly #source: LogSource;
  readonly #sink: ViewerSink;
  readonly #onClosed: () => void;
  /** Next line to send. */
  #cursor: number;
  /** The newest clearing of the scrollback that the viewer knows of. */
  #clearedAt: number;
  #screenKey: string | undefined;
  #stateKey: string | undefined;
  #isClosed = false;

  constructor(source: LogSource, sink: ViewerSink, offset: number | undefined, onClosed: () => void) {
    this.#source = source;
    this.#sink = sink;
    this.#onClosed = onClosed;
    this.#cursor = Math.min(offset ?? 0, source.log.total);
    this.#clearedAt = Math.min(this.#cursor, source.log.clearedAt);
  }

  start(): void {
    this.#sendFrame(true);
    this.#sendState();
    this.#send();
    this.#finishIfEnded();
  }

  /** Each 200 ms while something changed, and when the socket took data. */
  poll(): void {
    if (this.#isClosed) return;
    this.#send();
    this.#sendState();
    this.#finishIfEnded();
  }

  dispose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClosed();
  }

  #send(): void {
    while (this.#hasNews() && this.#sink.backlog() < LIMITS.viewerNetwork) this.#sendFrame(false);
  }

  /** One frame; the first one has the screen even when more lines follow. */
  #sendFrame(isFirst: boolean): void {
    this.#tellCut();
    const { log } = this.#source;
    const window = readLogWindow(log, {
      offset: this.#cursor,
      limit: LIMITS.logFrameLines,
      most: LIMITS.viewerNetwork,
    });
    const view = this.#source.screenView();
    const next = window.offset + window.lines.length;
    const frame: { lines?: LogLine[]; screen?: LogLine[] } = {};
    if (window.lines.length > 0) frame.lines = window.lines;
    if ((isFirst || next >= log.total) && view.key !== this.#screenKey) {
      frame.screen = view.lines;
      this.#screenKey = view.key;
    }
    this.#cursor = next;
    this.#sink.frame({ type: 'log', offset: window.offset, total_lines: next, ...frame });
  }

  #sendState(): void {
    const { state } = this.#source;
    const key = JSON.stringify({ ...state, last_activity_ms: 0 });
    if (key === this.#stateKey) return;
    this.#stateKey = key;
    this.#sink.frame({ type: 'state', state });
  }

  #hasNews(): boolean {
    const { log } = this.#source;
    return (
      this.#cursor < log.total || this.#clearedAt < log.clearedAt || this.#source.screenView().key !== this.#screenKey
    );
  }

  /** Lines that are gone, or a listed scrollback that the program emptied, are told before anything newer. */
  #tellCut(): void {
    const { log } = this.#source;
    if (this.#clearedAt < log.clearedAt) {
      this.#clearedAt = log.clearedAt;
      const from = Math.min(this.#cursor, log.clearedAt);
      this.#sink.frame({ type: 'gap', from, to: log.clearedAt, reason: 'cleared by program' });
      this.#cursor = Math.max(this.#cursor, log.clearedAt);
    }
    if (this.#cursor < log.oldest) {
      const reason = this.#screenKey === undefined ? 'evicted' : 'slow viewer';
      this.#sink.frame({ type: 'gap', from: this.#cursor, to: log.oldest, reason });
      this.#cursor = log.oldest;
    }
  }

  #finishIfEnded(): void {
    const { end, id } = this.#source;
    if (end === undefined || this.#isClosed || this.#hasNews()) return;
    tellEnd(this.#sink, id, end);
    this.dispose();
  }
}
