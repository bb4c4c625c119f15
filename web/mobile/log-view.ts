/**
 * Draws a LogBuffer into the page. Plain elements, outside of React: a program may write thousands of lines a second.
 *
 * Owns the scrolling element and whether it follows the newest line: it does until a person scrolls up, and again once
 * they are back at the end. Text is set as text only. While text is selected inside, nothing is redrawn, so that it can be
 * copied. Ordering: marks of what changed are collected and drawn together at most each 100 ms.
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import { DEADLINES, type GapReason, type LogLine } from '../../src/contract/index.ts';
import type { TerminalTheme } from '../terminal/palettes.ts';
import { type LogBuffer, lineText } from './log-buffer.ts';
import { LogColors } from './log-colors.ts';

export interface LogViewState {
  isFollowing: boolean;
  /** Lines below the part on screen that came since it stopped to follow. */
  newLines: number;
  isSelecting: boolean;
}

export interface LogViewEvents {
  changed(state: LogViewState): void;
  /** The oldest line held is near: older ones are wanted. */
  nearTop(): void;
}

/** This near to the end counts as the end: fingers and fractional heights are not exact. */
const AT_END = 24;
const NEAR_TOP = 400;

const GAP_TEXTS: Readonly<Record<GapReason, string>> = {
  evicted: 'are older than what is kept',
  'slow viewer': 'came faster than this page could take them',
  'host overrun': 'were written while no server was there to take them',
  'cleared by program': 'were cleared by the program',
};

export class LogView implements Disposable {
  readonly #scroller: HTMLElement;
  readonly #linesElement = document.createElement('div');
  readonly #screenElement = document.createElement('div');
  readonly #buffer: LogBuffer;
  readonly #events: LogViewEvents;
  readonly #clock: Clock;
  readonly #observer: ResizeObserver;
  #colors: LogColors;
  #drawnFirst = 0;
  #drawnEnd = 0;
  #drawnMarks: unknown;
  #screenKeys: string[] = [];
  #timer: Disposable | undefined;
  #state: LogViewState = { isFollowing: true, newLines: 0, isSelecting: false };
  #pausedAt = 0;
  #lastTop = 0;

  constructor(scroller: HTMLElement, buffer: LogBuffer, theme: TerminalTheme, clock: Clock, events: LogViewEvents) {
    this.#scroller = scroller;
    this.#buffer = buffer;
    this.#colors = new LogColors(theme);
    this.#setGround(theme);
    this.#clock = clock;
    this.#events = events;
    this.#linesElement.className = 'log-lines';
    this.#screenElement.className = 'log-screen';
    scroller.replaceChildren(this.#linesElement, this.#screenElement);
    scroller.addEventListener('scroll', this.#onScroll, { passive: true });
    document.addEventListener('selectionchange', this.#onSelection);
    // A keyboard that comes up, a turned phone: the end stays the end.
    this.#observer = new ResizeObserver(() => this.#stick());
    this.#observer.observe(scroller);
  }

  get state(): LogViewState {
    return this.#state;
  }

  /** The buffer changed. */
  invalidate(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.after(DEADLINES.phoneDraw, () => {
      this.#timer = undefined;
      this.draw();
    });
  }

  /** Draws what changed now. */
  draw(): void {
    if (this.#state.isSelecting) return;
    this.#drawLines();
    this.#drawScreen();
    this.#stick();
    this.#countNew();
  }

  /** Everything anew: another window of lines, another theme. */
  redraw(theme?: TerminalTheme): void {
    if (theme !== undefined) {
      this.#colors = new LogColors(theme);
      this.#setGround(theme);
    }
    this.#linesElement.replaceChildren();
    this.#drawnFirst = this.#drawnEnd = this.#buffer.first;
    this.#screenElement.replaceChildren();
    this.#screenKeys = [];
    this.draw();
  }

  follow(): void {
    this.#set({ isFollowing: true, newLines: 0 });
    this.draw();
  }

  /** All text on the program's screen, without what scrolled off. */
  screenText(): string {
    return this.#buffer.screen.map(lineText).join('\n');
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#observer.disconnect();
    this.#scroller.removeEventListener('scroll', this.#onScroll);
    document.removeEventListener('selectionchange', this.#onSelection);
  }

  #setGround({ colours }: TerminalTheme): void {
    this.#scroller.style.backgroundColor = colours.background;
    this.#scroller.style.color = colours.foreground;
  }

  #drawLines(): void {
    const { first, end, marks } = this.#buffer;
    const isElsewhere = first >= this.#drawnEnd || end <= this.#drawnFirst || marks !== this.#drawnMarks;
    this.#drawnMarks = marks;
    if (isElsewhere && this.#drawnEnd > this.#drawnFirst) {
      this.#linesElement.replaceChildren();
      this.#drawnFirst = this.#drawnEnd = first;
    }
    if (this.#linesElement.childElementCount === 0) this.#drawnFirst = this.#drawnEnd = first;
    if (first > this.#drawnFirst) {
      for (let number = this.#drawnFirst; number < first; number++) this.#linesElement.firstElementChild?.remove();
      this.#drawnFirst = first;
    }
    if (first < this.#drawnFirst) {
      const before = this.#scroller.scrollHeight;
      this.#linesElement.prepend(this.#drawRange(first, this.#drawnFirst));
      this.#drawnFirst = first;
      // What is read stays where it is.
      this.#scroller.scrollTop += this.#scroller.scrollHeight - before;
    }
    if (end > this.#drawnEnd) {
      this.#linesElement.append(this.#drawRange(this.#drawnEnd, end));
      this.#drawnEnd = end;
    }
  }

  #drawRange(from: number, to: number): DocumentFragment {
    const fragment = document.createDocumentFragment();
    for (let number = from; number < to; number++) {
      const line = this.#buffer.line(number);
      if (line === undefined) continue;
      const element = this.#drawLine(line);
      const mark = this.#buffer.marks.find((each) => each.before === number);
      if (mark !== undefined) {
        element.dataset.gap = `${mark.missing.toLocaleString('en')} lines ${GAP_TEXTS[mark.reason]}`;
      }
      fragment.append(element);
    }
    return fragment;
  }

  /** Only rows that changed are replaced: a spinner must not redraw the screen around it. */
  #drawScreen(): void {
    // The screen belongs below the newest line; below older ones it would pretend that nothing is between them.
    const rows = this.#buffer.isCut ? [] : this.#buffer.screen;
    const keys = rows.map((row) => JSON.stringify(row.spans));
    keys.forEach((key, index) => {
      const row = rows[index];
      if (row === undefined || key === this.#screenKeys[index]) return;
      const old = this.#screenElement.children[index];
      if (old === undefined) this.#screenElement.append(this.#drawLine(row));
      else old.replaceWith(this.#drawLine(row));
    });
    while (this.#screenElement.childElementCount > keys.length) this.#screenElement.lastElementChild?.remove();
    this.#screenKeys = keys;
  }

  #drawLine(line: LogLine): HTMLElement {
    const element = document.createElement('div');
    element.className = 'log-line';
    for (const span of line.spans) {
      const { color, background } = this.#colors.of(span);
      if (color === undefined && background === undefined && !span.bold && !span.italic && !span.underline) {
        element.append(span.text);
        continue;
      }
      const part = document.createElement('span');
      part.textContent = span.text;
      if (color !== undefined) part.style.color = color;
      if (background !== undefined) part.style.backgroundColor = background;
      if (span.bold) part.style.fontWeight = '700';
      if (span.italic) part.style.fontStyle = 'italic';
      if (span.underline) part.style.textDecoration = 'underline';
      element.append(part);
    }
    return element;
  }

  #stick(): void {
    if (!this.#state.isFollowing) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#lastTop = this.#scroller.scrollTop;
  }

  readonly #onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= AT_END;
    const isUpwards = scrollTop < this.#lastTop - 1;
    this.#lastTop = scrollTop;
    if (isAtEnd && !this.#buffer.isCut) this.#set({ isFollowing: true, newLines: 0 });
    // Content that shrinks below the view also moves it; only a person moves it up and away from the end.
    else if (isUpwards && this.#state.isFollowing && !isAtEnd) {
      this.#pausedAt = this.#buffer.total;
      this.#set({ isFollowing: false });
    }
    if (isUpwards && scrollTop < NEAR_TOP) this.#events.nearTop();
  };

  readonly #onSelection = () => {
    const selection = document.getSelection();
    const isSelecting =
      selection !== null &&
      !selection.isCollapsed &&
      selection.anchorNode !== null &&
      this.#scroller.contains(selection.anchorNode);
    if (isSelecting === this.#state.isSelecting) return;
    this.#set({ isSelecting });
    if (!isSelecting) this.draw();
  };

  #countNew(): void {
    if (!this.#state.isFollowing) this.#set({ newLines: Math.max(0, this.#buffer.total - this.#pausedAt) });
  }

  #set(change: Partial<LogViewState>): void {
    const next = { ...this.#state, ...change };
    const { isFollowing, newLines, isSelecting } = this.#state;
    if (next.isFollowing === isFollowing && next.newLines === newLines && next.isSelecting === isSelecting) return;
    this.#state = next;
    this.#events.changed(next);
  }
}
