/**
 * All viewers of one session. Owns them, whose size counts (T13), and the one look at log and screen that all log viewers
 * share.
 *
 * Ordering: output and sizes reach every byte viewer in the call that brings them; log viewers are told at a steady pace, and
 * only when something changed.
 */
import type { Clock, Disposable } from '../../../base/index.ts';
import { DEADLINES, type SessionState } from '../../../contract/index.ts';
import type { OpenViewer, Viewer, ViewerSink } from '../model.ts';
import type { ScreenEngine } from '../screen/model.ts';
import { SizeRule, type TerminalSize } from '../size-rule.ts';
import { ByteViewer } from './byte-viewer.ts';
import { LogViewer } from './log-viewer.ts';
import type { ByteSource, LogSource, ScreenView } from './stream-source.ts';

export interface ViewerGroupOptions {
  source: ByteSource & LogSource;
  engine: ScreenEngine;
  clock: Clock;
  /** A viewer was opened: what waits is to be parsed. */
  onOpened(): void;
  /** What a viewer typed. */
  onInput(bytes: Uint8Array): Promise<void>;
  /** The size that the viewers now want; undefined when none of them says. */
  onSize(size: TerminalSize | undefined): void;
}

export class ViewerGroup {
  readonly #options: ViewerGroupOptions;
  readonly #byteViewers = new Set<ByteViewer>();
  readonly #logViewers = new Set<LogViewer>();
  readonly #sizeRule = new SizeRule<object>();
  #logTimer: Disposable | undefined;
  #polledView: ScreenView | undefined;
  #polledTotal = -1;
  #polledClear = -1;
  #polledModes = '';

  constructor(options: ViewerGroupOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byteViewers.size + this.#logViewers.size;
  }

  /** Registers a viewer and sends what it has to get, in one step. */
  open(options: OpenViewer, sink: ViewerSink): Viewer {
    return options.format === 'text' || options.format === 'log'
      ? this.#openLogViewer(options, sink)
      : this.#openByteViewer(options, sink);
  }

  append(offset: number, bytes: Uint8Array): void {
    for (const viewer of [...this.#byteViewers]) viewer.append(offset, bytes);
  }

  /** The sizes in the tail changed. */
  onResized(): void {
    for (const viewer of [...this.#byteViewers]) viewer.wake();
  }

  /** Output is lost: it never reached this server. */
  overrun(): void {
    for (const viewer of [...this.#byteViewers]) viewer.overrun();
  }

  /** Somebody typed a key that interrupts. */
  interrupted(): void {
    for (const viewer of [...this.#byteViewers]) viewer.interrupted();
  }

  /** Nothing follows any more; each viewer gets what is left and the end. */
  finish(): void {
    for (const viewer of [...this.#byteViewers]) viewer.wake();
    for (const viewer of [...this.#logViewers]) viewer.poll();
  }

  /** Lets all viewers go without a word; their fronts end the sockets. */
  close(): void {
    for (const viewer of [...this.#byteViewers, ...this.#logViewers]) viewer.dispose();
  }

  #openByteViewer({ format, offset }: OpenViewer, sink: ViewerSink): Viewer {
    const { source, onOpened } = this.#options;
    source.tail.open();
    const viewer: ByteViewer = new ByteViewer(source, sink, format === 'raw', offset, () => {
      this.#byteViewers.delete(viewer);
      if (this.#byteViewers.size === 0) source.tail.close();
      this.#leave(viewer);
    });
    this.#byteViewers.add(viewer);
    viewer.start();
    onOpened();
    return this.#publicViewer(viewer, {
      acknowledge: (acknowledged) => viewer.acknowledge(acknowledged),
      drained: () => viewer.drained(),
    });
  }

  #openLogViewer({ offset }: OpenViewer, sink: ViewerSink): Viewer {
    const { source, clock, onOpened } = this.#options;
    const viewer: LogViewer = new LogViewer(source, sink, offset, () => {
      this.#logViewers.delete(viewer);
      if (this.#logViewers.size === 0) {
        this.#logTimer?.dispose();
        this.#logTimer = undefined;
      }
      this.#leave(viewer);
    });
    this.#logViewers.add(viewer);
    this.#logTimer ??= clock.every(DEADLINES.logPoll, () => this.#pollLog());
    viewer.start();
    onOpened();
    return this.#publicViewer(viewer, { acknowledge: () => undefined, drained: () => viewer.poll() });
  }

  #leave(viewer: object): void {
    this.#options.onSize(this.#sizeRule.leave(viewer));
  }

  #publicViewer(viewer: Disposable, flow: Pick<Viewer, 'acknowledge' | 'drained'>): Viewer {
    const { onInput, onSize } = this.#options;
    let hasLeft = false;
    return {
      ...flow,
      dispose: () => {
        hasLeft = true;
        viewer.dispose();
      },
      // What a viewer typed before it left may come after it; it counts as input, and no more for the size.
      input: async (bytes) => {
        if (!hasLeft) onSize(this.#sizeRule.typed(viewer));
        await onInput(bytes);
      },
      resize: (rows, cols) => onSize(this.#sizeRule.report(viewer, { rows, cols })),
      visible: (isVisible) => onSize(this.#sizeRule.visible(viewer, isVisible)),
    };
  }

  /** One look for all log viewers; nothing is sent when nothing changed. */
  #pollLog(): void {
    const { source, engine } = this.#options;
    const view = source.screenView();
    const { total, clearedAt } = engine.log;
    const modes = modesKey(source.state);
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
}

/** What log viewers are told of the program; when it last said something is not worth a frame. */
function modesKey(state: SessionState): string {
  return JSON.stringify({ ...state, last_activity_ms: 0 });
}
