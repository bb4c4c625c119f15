/**
 * Tabs that agents open (mcp.md UI-1), in every window at once. Owns `agentTabs` of the store and where they stand among the tabs of
 * terminals. The list always comes from the server: an event only says when to ask for it, and whether the person is taken to the tab.
 * So a reload, a break or a second window never show another truth.
 *
 * Ordering: of two readings that overlap the one asked later counts. A tab is in the store before it has a place, and loses its place
 * before it leaves the store. What the person closes is gone at once and stays away, also from readings asked before.
 */
import { type Client, RequestRefused } from '../../src/client/index.ts';
import type { AgentTab, AppEvent } from '../../src/contract/index.ts';
import type { Arrangement } from './arrangement.ts';
import { isRefusal } from './failures.ts';
import { cleanText } from './labels.ts';
import type { WorkspaceStore } from './workspace-state.ts';

/** No id of a session holds a colon, and no id of an element may hold a space. */
const PREFIX = 'page:';

/** Names the tab among those of terminals: in layouts, and as part of the ids of elements. */
export function panelOf(tabId: string): string {
  return PREFIX + encodeURIComponent(tabId);
}

export function isAgentPanel(panelId: string): boolean {
  return panelId.startsWith(PREFIX);
}

export function tabLabel({ title, id }: AgentTab): string {
  return cleanText(title) || cleanText(id);
}

export interface AgentTabDependencies {
  client: { tabs: Pick<Client['tabs'], 'list' | 'close'> };
  store: WorkspaceStore;
  arrangement: Pick<Arrangement, 'restore' | 'place' | 'show' | 'leave' | 'focus'>;
  explain: (error: unknown, what: string) => void;
}

export class AgentTabList {
  readonly #dependencies: AgentTabDependencies;
  #asked = 0;
  #newest = 0;
  /** Ids of tabs that the person is to be taken to once they are here. */
  readonly #wanted = new Set<string>();
  /** Ids of tabs that are being closed. */
  readonly #closing = new Set<string>();

  constructor(dependencies: AgentTabDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the list again; after a break nobody knows what was missed. */
  async load(): Promise<void> {
    const own = ++this.#asked;
    let tabs: readonly AgentTab[];
    try {
      tabs = await this.#dependencies.client.tabs.list();
    } catch (error) {
      // The next connection asks again, and whoever is logged out is told by the list of sessions.
      if (!isRefusal(error)) throw error;
      if (!this.#dependencies.store.getState().areTabsLoaded) this.#show([]);
      return;
    }
    if (own < this.#newest) return;
    this.#newest = own;
    this.#show(tabs);
  }

  onEvent(event: AppEvent): void {
    if (event.name === 'ui-tab') {
      if (event.data.focus) this.#wanted.add(event.data.id);
      void this.load();
    } else if (event.name === 'close-html-tabs') {
      for (const id of event.data.tab_ids) this.#wanted.delete(id);
      void this.load();
    }
  }

  find(panelId: string): AgentTab | undefined {
    return this.#dependencies.store.getState().agentTabs.get(panelId);
  }

  /** Closes it everywhere. */
  async close(panelId: string): Promise<void> {
    const tab = this.find(panelId);
    if (tab === undefined) return;
    const { client, store, explain } = this.#dependencies;
    this.#closing.add(tab.id);
    this.#show([...store.getState().agentTabs.values()]);
    try {
      await client.tabs.close(tab.id);
    } catch (error) {
      // Closed elsewhere meanwhile.
      if (!(error instanceof RequestRefused && error.status === 404))
        explain(error, `“${tabLabel(tab)}” could not be closed`);
    } finally {
      this.#closing.delete(tab.id);
    }
    await this.load();
  }

  #show(listed: readonly AgentTab[]): void {
    const { store, arrangement } = this.#dependencies;
    const open = listed.filter(({ id }) => !this.#closing.has(id));
    const next = new Map(open.map((tab) => [panelOf(tab.id), tab]));
    const { agentTabs: before, tabs } = store.getState();
    const gone = [...before.keys()].filter((panel) => !next.has(panel));
    for (const panel of gone) arrangement.leave(panel);
    store.setState({ agentTabs: next, areTabsLoaded: true });
    arrangement.restore();
    arrangement.place();
    // What had the keyboard is gone; what is shown in its place has it now.
    if (gone.some((panel) => panel === tabs.active)) arrangement.focus();
    for (const [panel, { id }] of next) if (this.#wanted.delete(id)) arrangement.show(panel);
  }
}
