/**
 * The terminals of this window: one view a session, of which one is shown. Owns the views. Views that were not shown for
 * long are given up beyond a small number, since each costs memory here and attention on the server; showing such a
 * session again begins with a snapshot and its history.
 */

import type { Client } from '../../src/client/index.ts';
import type { SessionInfo } from '../../src/contract/index.ts';
import type { CellCount } from './cell-fit.ts';
import { type TerminalAppearance, TerminalView, type TerminalViewEvents } from './terminal-view.ts';

const VIEWS_KEPT = 6;

export interface TerminalStageOptions {
  client: Client;
  appearance(): TerminalAppearance;
  events(sessionId: string): TerminalViewEvents;
  /** A view is gone and with it its status. */
  onDropped(sessionId: string): void;
}

export class TerminalStage {
  readonly #options: TerminalStageOptions;
  /** Least recently shown first. */
  readonly #views = new Map<string, TerminalView>();
  #place: HTMLElement | undefined;
  #shown: string | undefined;
  #isPageVisible = true;

  constructor(options: TerminalStageOptions) {
    this.#options = options;
  }

  /** Where terminals are shown. Undefined takes them off the page without ending them. */
  setPlace(place: HTMLElement | undefined): void {
    this.#place = place;
    if (place === undefined) return;
    for (const view of this.#views.values()) view.mount(place);
    this.#applyVisibility();
  }

  show(session: SessionInfo): void {
    const id = session.session_id;
    let view = this.#views.get(id);
    if (view === undefined) {
      view = new TerminalView(this.#options.client, session, this.#options.appearance(), this.#options.events(id));
      if (this.#place !== undefined) view.mount(this.#place);
    }
    this.#views.delete(id);
    this.#views.set(id, view);
    this.#shown = id;
    this.#applyVisibility();
    this.#dropSurplus();
  }

  showNothing(): void {
    this.#shown = undefined;
    this.#applyVisibility();
  }

  drop(sessionId: string): void {
    const view = this.#views.get(sessionId);
    if (view === undefined) return;
    this.#views.delete(sessionId);
    if (this.#shown === sessionId) this.#shown = undefined;
    view.dispose();
    this.#options.onDropped(sessionId);
  }

  focus(): void {
    this.#current?.focus();
  }

  claimSize(): void {
    this.#current?.claimSize();
  }

  setPageVisible(visible: boolean): void {
    this.#isPageVisible = visible;
    this.#applyVisibility();
  }

  refreshAppearance(): void {
    for (const view of this.#views.values()) view.setAppearance(this.#options.appearance());
  }

  retryNow(): void {
    for (const view of this.#views.values()) view.retryNow();
  }

  reconnect(): void {
    for (const view of this.#views.values()) view.reconnect();
  }

  /** Cells that a new terminal would have here. */
  estimateSize(fontSize: number): CellCount | undefined {
    if (this.#current?.ownSize !== undefined) return this.#current.ownSize;
    if (this.#place === undefined || this.#place.clientWidth === 0) return undefined;
    // Usual proportions of a fixed-width font; the terminal corrects them once it is drawn.
    const { clientWidth, clientHeight } = this.#place;
    return {
      rows: Math.max(5, Math.floor((clientHeight - 12) / (fontSize * 1.18))),
      cols: Math.max(20, Math.floor((clientWidth - 30) / (fontSize * 0.602))),
    };
  }

  get #current(): TerminalView | undefined {
    return this.#shown === undefined ? undefined : this.#views.get(this.#shown);
  }

  #applyVisibility(): void {
    for (const [id, view] of this.#views) {
      const isShown = id === this.#shown;
      view.element.hidden = !isShown;
      view.setVisible(isShown && this.#isPageVisible && this.#place !== undefined);
    }
  }

  #dropSurplus(): void {
    for (const id of [...this.#views.keys()]) {
      if (this.#views.size <= VIEWS_KEPT) return;
      if (id !== this.#shown) this.drop(id);
    }
  }
}
