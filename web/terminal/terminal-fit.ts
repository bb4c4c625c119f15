/**
 * How one terminal fills its place: how many cells fit at the chosen font, how large the letters are when another viewer's
 * size is in force, and what draws them.
 *
 * Ordering: a cell is measured only once the way of drawing stands, as the two ways differ a little in it; looks at the size
 * are put together into one a frame.
 */
import type { IDisposable, Terminal } from '@xterm/xterm';
import type { Disposable } from '../../src/base/index.ts';
import { type CellCount, fitCells, fitFont, type PixelSize } from './cell-fit.ts';
import { loadWebgl, type RendererChoice } from './renderer.ts';

/** Place the scroll bar needs beside the cells. */
const SCROLL_BAR = 14;

export interface TerminalFitOptions {
  terminal: Terminal;
  element: HTMLElement;
  look(): { fontSize: number; renderer: RendererChoice };
  /** Another number of cells fits now. */
  onFit(own: CellCount): void;
}

export class TerminalFit implements Disposable {
  readonly #options: TerminalFitOptions;
  readonly #observer: ResizeObserver;
  #webgl: IDisposable | undefined;
  #cell: { size: PixelSize; font: number; ratio: number } | undefined;
  #own: CellCount | undefined;
  #request = 0;
  #isDisposed = false;

  constructor(options: TerminalFitOptions) {
    this.#options = options;
    this.#observer = new ResizeObserver(() => this.schedule());
  }

  /** Cells that fit here at the chosen font, once measured. */
  get own(): CellCount | undefined {
    return this.#own;
  }

  /** The terminal is on the page. */
  start(): void {
    this.#observer.observe(this.#options.element);
    this.chooseRenderer();
  }

  schedule(): void {
    if (this.#request !== 0 || this.#options.element.dataset.renderer === undefined) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#fit();
    });
  }

  /** The font is another one. */
  measureAgain(): void {
    this.#cell = undefined;
    this.#options.terminal.options.fontSize = this.#options.look().fontSize;
    this.schedule();
  }

  #fit(): void {
    const place = this.#measurePlace();
    const cell = this.#measureCell();
    if (place === undefined || cell === undefined) return;
    const own = fitCells(place, cell);
    if (own === undefined) return;
    const isNew = own.rows !== this.#own?.rows || own.cols !== this.#own.cols;
    this.#own = own;
    this.applyFont();
    if (isNew) this.#options.onFit(own);
  }

  #measurePlace(): PixelSize | undefined {
    const { element } = this.#options;
    const { clientWidth, clientHeight } = element;
    if (clientWidth === 0 || clientHeight === 0) return undefined;
    const style = getComputedStyle(element);
    return {
      width: clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - SCROLL_BAR,
      height: clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
    };
  }

  /** Size of a cell at the chosen font, known from the drawn screen. Measured only while that font is in force. */
  #measureCell(): PixelSize | undefined {
    const { terminal, element, look } = this.#options;
    const { fontSize } = look();
    const ratio = window.devicePixelRatio;
    if (this.#cell?.font === fontSize && this.#cell.ratio === ratio) return this.#cell.size;
    if (terminal.options.fontSize !== fontSize) terminal.options.fontSize = fontSize;
    const screen = element.querySelector<HTMLElement>('.xterm-screen');
    if (screen === null || screen.offsetWidth === 0) return undefined;
    const bounds = screen.getBoundingClientRect();
    const size = { width: bounds.width / terminal.cols, height: bounds.height / terminal.rows };
    this.#cell = { size, font: fontSize, ratio };
    return size;
  }

  /** Letters in the size in which the terminal, as it is, fits its place. */
  applyFont(): void {
    if (this.#own === undefined) return;
    const { terminal, look } = this.#options;
    const fitting = fitFont(look().fontSize, this.#own, { rows: terminal.rows, cols: terminal.cols });
    if (terminal.options.fontSize !== fitting) terminal.options.fontSize = fitting;
  }

  /** Chooses how to draw, as preferred and as the browser can. */
  chooseRenderer(): void {
    const { terminal, look } = this.#options;
    if (terminal.element === undefined) return;
    this.#webgl?.dispose();
    this.#webgl = undefined;
    if (look().renderer === 'dom') {
      this.#onRenderer('dom');
      return;
    }
    const isWanted = () => !this.#isDisposed && this.#webgl === undefined && look().renderer === 'auto';
    void loadWebgl(terminal, isWanted, () => {
      this.#webgl = undefined;
      this.#onRenderer('dom');
    }).then((webgl) => {
      if (this.#isDisposed) return;
      this.#webgl ??= webgl;
      this.#onRenderer(this.#webgl === undefined ? 'dom' : 'webgl');
    });
  }

  #onRenderer(renderer: 'dom' | 'webgl'): void {
    this.#options.element.dataset.renderer = renderer;
    this.#cell = undefined;
    this.schedule();
  }

  dispose(): void {
    this.#isDisposed = true;
    cancelAnimationFrame(this.#request);
    this.#observer.disconnect();
    this.#webgl?.dispose();
  }
}
