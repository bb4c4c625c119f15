/**
 * The arrangement of this window: which sessions have tabs, in which panes, and which has the keyboard. Owns `layout` and
 * `tabs` of the store and what is remembered of them.
 *
 * Ordering: every change goes through `#set`, which puts layout and tabs into the store in one step, then shows the
 * terminals, then remembers. Nothing is remembered before the stored arrangement was read, so an early change (a session
 * that ends while the page loads) cannot overwrite it.
 */
import type { TerminalStage } from '../terminal/terminal-stage.ts';
import {
  addTab,
  allTabs,
  closeSession,
  evenShares,
  focusedPane,
  focusPane,
  keepSessions,
  type Layout,
  moveBorder,
  moveIntoPane,
  openSession,
  panesOf,
  type Side,
  singlePane,
  splitPane,
  stepPane,
} from './layout.ts';
import { type Memory, readLayout, writeLayout } from './preferences.ts';
import { stepTab } from './tabs.ts';
import { listedSessions, type WorkspaceStore } from './workspace-state.ts';

/** Tabs opened when a browser sees this server for the first time. */
const FIRST_TABS = 8;

export interface ArrangementMemories {
  /** Survives this window's reload only. */
  window: Memory;
  /** Survives the window: what the next new window begins with. */
  browser: Memory;
}

export class Arrangement {
  readonly #store: WorkspaceStore;
  readonly #stage: TerminalStage;
  readonly #memories: ArrangementMemories;
  #isRestored = false;

  constructor(store: WorkspaceStore, stage: TerminalStage, memories: ArrangementMemories) {
    this.#store = store;
    this.#stage = stage;
    this.#memories = memories;
  }

  get layout(): Layout {
    return this.#store.getState().layout;
  }

  get activeSession(): string | undefined {
    return this.#store.getState().tabs.active;
  }

  /**
   * Once, with the first lists of sessions and of tabs of agents: what this window showed, else what the browser showed last, else
   * what is there.
   */
  restore(): void {
    const state = this.#store.getState();
    if (this.#isRestored || !state.isLoaded || !state.areTabsLoaded) return;
    this.#isRestored = true;
    const remembered = readLayout(this.#memories.window) ?? readLayout(this.#memories.browser);
    if (remembered !== undefined) this.#set(this.#completed(remembered));
    else {
      const order = listedSessions(state)
        .slice(-FIRST_TABS)
        .map((session) => session.session_id);
      this.#set(this.#completed(singlePane({ order, active: order.at(-1) })));
    }
    this.focus();
  }

  /** Puts a stored arrangement in place; sessions of it that are gone are left out. */
  use(layout: Layout): void {
    this.#set(this.#completed(layout));
    this.focus();
  }

  /** Gives tabs of agents that have no place one, without taking the person there. */
  place(): void {
    if (this.#isRestored) this.#set(this.#completed(this.layout));
  }

  /** What is shown in the focused pane takes the keyboard. */
  focus(): void {
    const { activeSession } = this;
    const isPageFocusWanted = activeSession !== undefined && this.#store.getState().agentTabs.has(activeSession);
    this.#store.setState({ isPageFocusWanted });
    if (!isPageFocusWanted) this.#stage.focus();
  }

  /** True once for each time that a tab of an agent was to have the keyboard. */
  takePageFocus(): boolean {
    const { isPageFocusWanted } = this.#store.getState();
    if (isPageFocusWanted) this.#store.setState({ isPageFocusWanted: false });
    return isPageFocusWanted;
  }

  show(id: string): void {
    if (!this.#isThere(id)) return;
    this.#set(openSession(this.layout, id));
    this.#store.setState({ drawerOpen: false });
    this.focus();
  }

  /** The tab goes; the session does not. */
  leave(id: string): void {
    this.#set(closeSession(this.layout, id));
  }

  /** Takes tabs away; their sessions go on and stay in the list. Those of agents stand in no list, so they stay. */
  hide(ids: readonly string[]): void {
    const { sessions } = this.#store.getState();
    this.#set(ids.filter((id) => sessions.has(id)).reduce(closeSession, this.layout));
    this.focus();
  }

  /** A session stays in its pane and another takes its tab, at the same place. */
  replace(id: string, by: string): void {
    const pane = panesOf(this.layout.root).find(({ tabs }) => tabs.order.includes(id));
    if (pane === undefined) return;
    const at = pane.tabs.order.indexOf(id);
    this.#set(closeSession(moveIntoPane(this.layout, by, pane.id, at), id));
    this.focus();
  }

  /** Goes through the tabs of the focused pane, around the ends. */
  stepTab(steps: number): void {
    const pane = focusedPane(this.layout);
    const { active } = stepTab(pane.tabs, steps);
    if (active !== undefined) this.show(active);
  }

  /** The tab at a place, counted through all panes in reading order. */
  showAt(index: number): void {
    const id = this.#store.getState().tabs.order[index];
    if (id !== undefined) this.show(id);
  }

  moveTab(id: string, paneId: string, to?: number): void {
    this.#set(moveIntoPane(this.layout, id, paneId, to));
    this.focus();
  }

  /** Gives a session a pane of its own. False when it is alone in its pane and stays. */
  split(id: string, side: Side, besideId?: string): boolean {
    const before = this.layout;
    this.#set(splitPane(before, id, besideId ?? focusedPane(before).id, side));
    this.focus();
    return this.layout !== before;
  }

  focusPane(paneId: string): void {
    this.#set(focusPane(this.layout, paneId));
  }

  stepPane(steps: number): void {
    this.#set(stepPane(this.layout, steps));
    this.focus();
  }

  /** Moves the active tab into the next pane. */
  carryTab(): void {
    const id = this.activeSession;
    const next = stepPane(this.layout, 1).focused;
    if (id !== undefined && next !== this.layout.focused) this.moveTab(id, next);
  }

  moveBorder(path: readonly number[], index: number, by: number): void {
    this.#set(moveBorder(this.layout, path, index, by));
  }

  evenShares(): void {
    this.#set(evenShares(this.layout));
  }

  /** Everything into one pane. */
  joinPanes(): void {
    this.#set(singlePane(allTabs(this.layout)));
    this.focus();
  }

  #isThere(id: string): boolean {
    const { sessions, agentTabs } = this.#store.getState();
    return sessions.has(id) || agentTabs.has(id);
  }

  /** Without what is gone, and with every tab of an agent: beside the terminal it comes from. */
  #completed(layout: Layout): Layout {
    const { agentTabs } = this.#store.getState();
    const kept = allTabs(layout).order.every((id) => this.#isThere(id))
      ? layout
      : keepSessions(layout, (id) => this.#isThere(id));
    return [...agentTabs].reduce(
      (next, [panel, { origin_session_id }]) => addTab(next, panel, origin_session_id),
      kept,
    );
  }

  #set(layout: Layout): void {
    if (layout === this.layout) return;
    this.#store.setState({ layout, tabs: allTabs(layout) });
    const { sessions } = this.#store.getState();
    const shown = panesOf(layout.root).flatMap(({ id, tabs: { active } }) => {
      const session = active === undefined ? undefined : sessions.get(active);
      return session === undefined ? [] : [{ paneId: id, session }];
    });
    this.#stage.arrange(shown, this.activeSession);
    if (!this.#isRestored) return;
    writeLayout(this.#memories.window, layout);
    writeLayout(this.#memories.browser, layout);
  }
}
