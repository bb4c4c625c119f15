/**
 * Find in one terminal: screen and everything above it. Owns the worker that searches, the highlights on what is shown, and
 * which match is the current one.
 *
 * Ordering: one search at a time; a query or output that comes while it runs makes it run once more, so that the last answer
 * is newer than the last query. An answer is drawn against the rows it was made for, moved by what was dropped since.
 */
import type { IDecoration, IMarker, Terminal } from '@xterm/xterm';
import type { Disposable } from '../../src/base/index.ts';
import { DEADLINES } from '../../src/contract/index.ts';
import { type BufferText, type CellRange, cellsOf, readBufferText } from './buffer-text.ts';
import { compileQuery, type FindQuery, type Pattern, type TextMatch } from './find-text.ts';
import type { FindAnswer, FindRequest } from './find-worker.ts';

/** More matches than this are not counted. */
const MOST_MATCHES = 50_000;

export type FindState =
  | { kind: 'empty' }
  | { kind: 'invalid'; message: string }
  /** The pattern takes too long on this text. */
  | { kind: 'slow' }
  /** The part that searches could not be loaded. */
  | { kind: 'failed' }
  /** `current` counts from 1, 0 while there is no match. */
  | { kind: 'found'; count: number; current: number; isMore: boolean };

/** Loaded ahead, so that find works while the server that would send it is away. */
let spare: Worker | undefined;

export function prepareFind(): void {
  spare ??= new Worker(new URL('./find-worker.ts', import.meta.url), { type: 'module' });
  // A failure to load is told by the worker that is started when it is needed.
  spare.onerror = (event) => {
    event.preventDefault();
    spare = undefined;
  };
}

function takeWorker(): Worker {
  prepareFind();
  const worker = spare as Worker;
  spare = undefined;
  return worker;
}

interface Colors {
  ground: string;
  currentGround: string;
  currentText: string;
}

const ON_DARK: Colors = { ground: '#57491d', currentGround: '#f0c35a', currentText: '#15181e' };
const ON_LIGHT: Colors = { ground: '#fbe6a6', currentGround: '#f2a93b', currentText: '#15181e' };

export class Finder implements Disposable {
  readonly #terminal: Terminal;
  readonly #onState: (state: FindState) => void;
  readonly #listeners: Disposable[];
  #worker: Worker | undefined;
  #pattern: Pattern | undefined;
  #matches: readonly TextMatch[] = [];
  #text: BufferText = { texts: [], rows: [] };
  /** Stands on a row of the searched text and moves with it. */
  #anchor: { marker: IMarker; row: number } | undefined;
  #current = -1;
  /** Where the person was looking, in rows from the end: what comes above later does not move it. */
  #fromEnd: number;
  #request = 0;
  #isRunning = false;
  #isStale = false;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #refresh: ReturnType<typeof setTimeout> | undefined;
  #decorations: { decoration: IDecoration | undefined; marker: IMarker }[] = [];
  /** What the highlights on show were made for. */
  #drawn = '';
  #version = 0;
  #isDisposed = false;

  constructor(terminal: Terminal, onState: (state: FindState) => void) {
    this.#terminal = terminal;
    this.#onState = onState;
    const { active } = terminal.buffer;
    this.#fromEnd = active.length - (active.viewportY + terminal.rows - 1);
    this.#listeners = [
      terminal.onWriteParsed(() => this.#searchSoon()),
      terminal.onResize(() => this.#searchSoon()),
      terminal.buffer.onBufferChange(() => this.#searchSoon()),
      terminal.onRender(() => this.#draw()),
    ];
  }

  setQuery(query: FindQuery): void {
    const compiled = compileQuery(query);
    this.#request++;
    this.#current = -1;
    if (compiled.kind === 'pattern') {
      this.#pattern = compiled;
      this.#search();
      return;
    }
    this.#pattern = undefined;
    this.#setMatches([]);
    this.#onState(compiled);
  }

  /** Goes to the next match below (1) or above (-1), around the ends. */
  step(by: 1 | -1): void {
    const count = this.#matches.length;
    if (count === 0) return;
    this.#current = (this.#current + by + count) % count;
    this.#showCurrent();
  }

  /** The current match becomes the selection, so that it can be copied. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const [first, ...rest] = this.#currentCells();
    if (first !== undefined) {
      const width = rest.reduce((sum) => sum + this.#terminal.cols, first.width);
      const last = rest.at(-1);
      this.#terminal.select(
        first.column,
        first.row,
        last === undefined ? width : width - this.#terminal.cols + last.width,
      );
    }
    clearTimeout(this.#timeout);
    clearTimeout(this.#refresh);
    for (const listener of this.#listeners) listener.dispose();
    this.#worker?.terminate();
    this.#clearHighlights();
    this.#anchor?.marker.dispose();
  }

  /** Output changed the text; soon is early enough, and rare enough while it flows. */
  #searchSoon(): void {
    if (this.#pattern === undefined || this.#refresh !== undefined) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      this.#search();
    }, DEADLINES.findRefresh);
  }

  #search(): void {
    if (this.#pattern === undefined || this.#isDisposed) return;
    if (this.#isRunning) {
      this.#isStale = true;
      return;
    }
    const text = readBufferText(this.#terminal.buffer.active);
    const worker = this.#startWorker();
    const id = ++this.#request;
    const anchor = this.#placeAnchor();
    this.#isRunning = true;
    this.#isStale = false;
    worker.onmessage = ({ data }: MessageEvent<FindAnswer>) => {
      this.#finish();
      if (this.#isDisposed) return;
      if (data.id === this.#request) this.#take(data.matches, text, anchor);
      else anchor?.marker.dispose();
      if (this.#isStale) this.#search();
    };
    this.#timeout = setTimeout(() => this.#giveUp('slow', anchor), DEADLINES.findLongest);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#giveUp('failed', anchor);
    };
    worker.postMessage({ id, texts: text.texts, pattern: this.#pattern, most: MOST_MATCHES } satisfies FindRequest);
  }

  /** Ends a search that brings nothing. The same pattern would go the same way on the next output. */
  #giveUp(kind: 'slow' | 'failed', anchor: { marker: IMarker } | undefined): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#finish();
    anchor?.marker.dispose();
    if (this.#isDisposed) return;
    if (this.#isStale) {
      this.#search();
      return;
    }
    this.#pattern = undefined;
    this.#setMatches([]);
    this.#onState({ kind });
  }

  #startWorker(): Worker {
    this.#worker ??= takeWorker();
    return this.#worker;
  }

  #finish(): void {
    clearTimeout(this.#timeout);
    this.#isRunning = false;
  }

  #placeAnchor(): { marker: IMarker; row: number } | undefined {
    const { active } = this.#terminal.buffer;
    const marker = this.#terminal.registerMarker(0) as IMarker | undefined;
    return marker === undefined ? undefined : { marker, row: active.baseY + active.cursorY };
  }

  #take(matches: readonly TextMatch[], text: BufferText, anchor: { marker: IMarker; row: number } | undefined): void {
    // A snapshot replaced everything, most likely with more history above: what is below the current match is the same.
    const wasReplaced = this.#anchor?.marker.isDisposed === true && this.#current !== -1;
    const below = this.#matches.length - this.#current;
    const before = this.#currentCells()[0];
    this.#anchor?.marker.dispose();
    this.#anchor = anchor;
    this.#text = text;
    this.#setMatches(matches);
    if (wasReplaced) {
      this.#current = matches.length === 0 ? -1 : Math.max(0, matches.length - below);
      this.#showCurrent();
      return;
    }
    const isFirst = before === undefined;
    this.#current = this.#nearest(
      before ?? {
        row: this.#terminal.buffer.active.length - this.#fromEnd,
        column: Number.POSITIVE_INFINITY,
        width: 0,
      },
    );
    if (isFirst) this.#showCurrent();
    else this.#tell();
  }

  #setMatches(matches: readonly TextMatch[]): void {
    this.#matches = matches;
    this.#version++;
    if (matches.length === 0) this.#current = -1;
    this.#clearHighlights();
    this.#draw();
  }

  /** The last match that begins at the place or before it, else the first. */
  #nearest({ row, column }: CellRange): number {
    let low = 0;
    let high = this.#matches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const cell = this.#cells(middle)[0];
      const isBehind = cell !== undefined && (cell.row > row || (cell.row === row && cell.column > column));
      if (isBehind) high = middle;
      else low = middle + 1;
    }
    return this.#matches.length === 0 ? -1 : Math.max(0, low - 1);
  }

  #shift(): number {
    if (this.#anchor === undefined) return 0;
    return this.#anchor.marker.isDisposed ? 0 : this.#anchor.marker.line - this.#anchor.row;
  }

  /** Cells of a match in the buffer as it is now. */
  #cells(index: number): CellRange[] {
    const match = this.#matches[index];
    if (match === undefined) return [];
    const row = (this.#text.rows[match.line] ?? 0) + this.#shift();
    return cellsOf(this.#terminal.buffer.active, row, match.start, match.end);
  }

  #currentCells(): CellRange[] {
    return this.#current === -1 ? [] : this.#cells(this.#current);
  }

  #showCurrent(): void {
    const [cell] = this.#currentCells();
    const { active } = this.#terminal.buffer;
    if (cell !== undefined) {
      this.#fromEnd = active.length - cell.row;
      const isShown = cell.row >= active.viewportY && cell.row < active.viewportY + this.#terminal.rows;
      if (!isShown) this.#terminal.scrollToLine(Math.max(0, cell.row - Math.floor(this.#terminal.rows / 2)));
    }
    this.#version++;
    this.#draw();
    this.#tell();
  }

  #tell(): void {
    const count = this.#matches.length;
    this.#onState({ kind: 'found', count, current: this.#current + 1, isMore: count >= MOST_MATCHES });
  }

  /** Highlights what is on show, and no more: a common word may be found tens of thousands of times. */
  #draw(): void {
    if (this.#isDisposed) return;
    const { active } = this.#terminal.buffer;
    const top = active.viewportY;
    const bottom = top + this.#terminal.rows - 1;
    const key = `${this.#version} ${top - this.#shift()} ${bottom} ${active.type}`;
    if (key === this.#drawn) return;
    this.#clearHighlights();
    this.#drawn = key;
    const colors = isDark(this.#terminal.options.theme?.background) ? ON_DARK : ON_LIGHT;
    // The match before the first row may reach into it.
    for (let index = Math.max(0, this.#nearest({ row: top, column: -1, width: 0 })); ; index++) {
      const cells = this.#cells(index);
      if (cells[0] === undefined || cells[0].row > bottom) break;
      for (const range of cells) this.#highlight(range, index === this.#current, colors);
    }
    // The alternate screen takes no highlights; there the current match is selected.
    if (active.type === 'alternate') {
      const [cell] = this.#currentCells();
      if (cell !== undefined) this.#terminal.select(cell.column, cell.row, cell.width);
    }
  }

  #highlight({ row, column, width }: CellRange, isCurrent: boolean, colors: Colors): void {
    const { active } = this.#terminal.buffer;
    if (active.type === 'alternate') return;
    const marker = this.#terminal.registerMarker(row - active.baseY - active.cursorY) as IMarker | undefined;
    if (marker === undefined) return;
    const decoration = this.#terminal.registerDecoration({
      marker,
      x: column,
      width,
      layer: 'top',
      backgroundColor: isCurrent ? colors.currentGround : colors.ground,
      ...(isCurrent ? { foregroundColor: colors.currentText } : {}),
    });
    this.#decorations.push({ decoration, marker });
  }

  #clearHighlights(): void {
    this.#drawn = '';
    for (const { decoration, marker } of this.#decorations) {
      decoration?.dispose();
      marker.dispose();
    }
    this.#decorations = [];
  }
}

function isDark(color: string | undefined): boolean {
  const value = Number.parseInt((color ?? '#000000').slice(1, 7), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 0xff, value & 0xff];
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}
