/**
 * The terminals of this window: one view a session, of which each pane shows one. Owns the views. Views that were not shown
 * for long are given up beyond a small number, since each costs memory here and attention on the server; showing such a
 * session again begins with a snapshot and its history.
 *
 * Ordering: panes appear on the page after they were arranged, or leave it before. A view is put into its pane as soon as
 * both are there, and focus that was asked for before that is given then.
 */

import type { Client } from '../../src/client/index.ts';
import type { SessionInfo } from '../../src/contract/index.ts';
import type { CellCount } from './cell-fit.ts';
import type { TerminalAppearance, TerminalViewEvents } from './terminal-model.ts';
import { TerminalView } from './terminal-view.ts';

/** Views kept besides those on show. */
const VIEWS_KEPT = 5;

export interface TerminalStageOptions {
  client: Client;
  appearance(): TerminalAppearance;
  events(sessionId: string): TerminalViewEvents;
  /** A view is gone and with it its status. */
  onDropped(sessionId: string): void;
}

export interface ShownTerminal {
  paneId: string;
  session: SessionInfo;
}

export class TerminalStage {
  readonly #options: TerminalStageOptions;
  /** Least recently shown first. */
  readonly #views = new Map<string, TerminalView>();
  /** Where each pane shows its terminal. */
  readonly #places = new Map<string, HTMLElement>();
  /** Pane of each session on show. */
  #shown: ReadonlyMap<string, string> = new Map();
  #focused: string | undefined;
  #isFocusWanted = false;
  #isPageVisible = true;

  constructor(options: TerminalStageOptions) {
    this.#options = options;
  }

  /** Where a pane shows its terminal. Undefined takes it off the page without ending it. */
  setPlace(paneId: string, place: HTMLElement | undefined): void {
    if (place === undefined) this.#places.delete(paneId);
    else this.#places.set(paneId, place);
    this.#apply();
  }

  /** Shows one terminal a pane. `focused` is the session whose terminal takes the keyboard when asked. */
  arrange(shown: readonly ShownTerminal[], focused: string | undefined): void {
    for (const { session } of shown) {
      const id = session.session_id;
      const view =
        this.#views.get(id) ??
        new TerminalView(this.#options.client, session, this.#options.appearance(), this.#options.events(id));
      this.#views.delete(id);
      this.#views.set(id, view);
    }
    this.#shown = new Map(shown.map(({ paneId, session }) => [session.session_id, paneId]));
    this.#focused = focused;
    this.#apply();
    this.#dropSurplus();
  }

  drop(sessionId: string): void {
    const view = this.#views.get(sessionId);
    if (view === undefined) return;
    this.#views.delete(sessionId);
    view.dispose();
    this.#options.onDropped(sessionId);
  }

  /** The focused pane's terminal takes the keyboard, as soon as it is on the page. */
  focus(): void {
    this.#isFocusWanted = true;
    this.#giveFocus();
  }

  get current(): TerminalView | undefined {
    return this.#focused === undefined ? undefined : this.#views.get(this.#focused);
  }

  view(sessionId: string): TerminalView | undefined {
    return this.#views.get(sessionId);
  }

  setPageVisible(visible: boolean): void {
    this.#isPageVisible = visible;
    this.#apply();
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

  /** Cells that a new terminal would have in a pane. */
  estimateSize(paneId: string, fontSize: number): CellCount | undefined {
    for (const [id, pane] of this.#shown) {
      const own = pane === paneId ? this.#views.get(id)?.ownSize : undefined;
      if (own !== undefined) return own;
    }
    const place = this.#places.get(paneId);
    if (place === undefined || place.clientWidth === 0) return undefined;
    // Usual proportions of a fixed-width font; the terminal corrects them once it is drawn.
    return {
      rows: Math.max(5, Math.floor((place.clientHeight - 12) / (fontSize * 1.18))),
      cols: Math.max(20, Math.floor((place.clientWidth - 30) / (fontSize * 0.602))),
    };
  }

  #apply(): void {
    for (const [id, view] of this.#views) {
      const pane = this.#shown.get(id);
      const place = pane === undefined ? undefined : this.#places.get(pane);
      if (place !== undefined) {
        // Moving an element takes the keyboard away from it.
        const hadFocus = view.element.contains(document.activeElement);
        if (view.element.parentElement !== place) {
          view.mount(place);
          if (hadFocus) this.#isFocusWanted = true;
        }
      }
      view.element.hidden = place === undefined;
      view.setVisible(place !== undefined && this.#isPageVisible);
    }
    this.#giveFocus();
  }

  #giveFocus(): void {
    const view = this.current;
    if (!this.#isFocusWanted || view === undefined || view.element.hidden || !view.element.isConnected) return;
    this.#isFocusWanted = false;
    view.focus();
  }

  #dropSurplus(): void {
    for (const id of [...this.#views.keys()]) {
      if (this.#views.size <= this.#shown.size + VIEWS_KEPT) return;
      if (!this.#shown.has(id)) this.drop(id);
    }
  }
}
