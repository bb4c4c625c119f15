import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { AgentTab, AppEvent, SessionInfo } from '../../src/contract/index.ts';
import type { TerminalStage } from '../terminal/terminal-stage.ts';
import { AgentTabList, panelOf } from './agent-tabs.ts';
import { Arrangement } from './arrangement.ts';
import { openSession, paneOf, splitPane } from './layout.ts';
import { DEFAULT_PREFERENCES, type Memory, writeLayout } from './preferences.ts';
import { createWorkspaceStore, type SessionEntry } from './workspace-state.ts';

const tab = (id: string, change: Partial<AgentTab> = {}): AgentTab => ({
  id,
  title: `title of ${id}`,
  kind: 'html',
  pinned: false,
  frame_url: `/ui/files/t-${id}/`,
  opened_at: 0,
  changed_at: 0,
  ...change,
});

const session = (id: string): SessionEntry => ({
  ...({ session_id: id, cwd: '/', lifecycle: 'live', created_at: 0, rows: 24, cols: 80 } as SessionInfo),
  isClosing: false,
});

function memory(): Memory {
  const texts = new Map<string, string>();
  return { read: (key) => texts.get(key), write: (key, text) => void texts.set(key, text) };
}

function openWindow(windowMemory = memory()) {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const waiting: { resolve(tabs: AgentTab[]): void; reject(error: Error): void }[] = [];
  const focused: string[] = [];
  const told: string[] = [];
  const closed: string[] = [];
  const state = { refusal: undefined as Error | undefined };
  const stage = { arrange: () => undefined, focus: () => void focused.push('terminal') } as unknown as TerminalStage;
  const arrangement = new Arrangement(store, stage, { window: windowMemory, browser: memory() });
  const tabs = new AgentTabList({
    client: {
      tabs: {
        list: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
        close: async (id) => {
          closed.push(id);
          if (state.refusal !== undefined) throw state.refusal;
        },
      },
    },
    store,
    arrangement,
    explain: (_error, what) => void told.push(what),
  });
  /** The server answers the reading that waits longest. */
  const answer = async (...listed: AgentTab[]) => {
    waiting.shift()?.resolve(listed);
    await settled();
  };
  const loadSessions = (...ids: string[]) => {
    store.setState({ sessions: new Map(ids.map((id) => [id, session(id)])), isLoaded: true });
    arrangement.restore();
  };
  const opened = (id: string, focus: boolean): AppEvent => ({
    name: 'ui-tab',
    data: { ...tab(id), html: '', focus },
  });
  return {
    store,
    arrangement,
    tabs,
    answer,
    waiting,
    loadSessions,
    opened,
    focused,
    told,
    closed,
    state,
    windowMemory,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('tabs of agents', () => {
  it('UI-1: take the person there when they should, and leave them where they are when not', async () => {
    const { store, tabs, answer, loadSessions, opened } = openWindow();
    loadSessions('a', 'b');
    void tabs.load();
    await answer();
    expect(store.getState().tabs).toEqual({ order: ['a', 'b'], active: 'b' });
    tabs.onEvent(opened('quiet', false));
    await answer(tab('quiet'));
    expect(store.getState().tabs).toEqual({ order: ['a', 'b', 'page:quiet'], active: 'b' });
    expect(store.getState().isPageFocusWanted).toBe(false);
    tabs.onEvent(opened('plan', true));
    await answer(tab('quiet'), tab('plan'));
    expect(store.getState().tabs.active).toBe('page:plan');
    expect(store.getState().isPageFocusWanted).toBe(true);
    // New content of what is open already, unasked: nothing moves.
    tabs.onEvent(opened('quiet', false));
    await answer(tab('quiet', { changed_at: 9 }), tab('plan'));
    expect(store.getState().tabs.active).toBe('page:plan');
    expect(store.getState().agentTabs.get('page:quiet')?.changed_at).toBe(9);
  });

  it('stand beside the terminal they come from, in whichever pane that is', async () => {
    const { store, arrangement, tabs, answer, loadSessions } = openWindow();
    loadSessions('a', 'b');
    void tabs.load();
    await answer();
    arrangement.use(splitPane(openSession(arrangement.layout, 'a'), 'b', 'p1', 'right'));
    arrangement.show('a');
    void tabs.load();
    await answer(tab('of-b', { origin_session_id: 'b' }), tab('loose'));
    const { layout } = store.getState();
    expect(paneOf(layout, panelOf('of-b'))?.tabs).toEqual({ order: ['b', 'page:of-b'], active: 'b' });
    expect(paneOf(layout, panelOf('loose'))?.tabs).toEqual({ order: ['a', 'page:loose'], active: 'a' });
  });

  it('keep their place over a reload, whichever list comes first; what is gone leaves no trace', async () => {
    const first = openWindow();
    first.loadSessions('a', 'b');
    void first.tabs.load();
    await first.answer(tab('plan'), tab('gone'));
    first.arrangement.moveTab('page:plan', 'p1', 0);
    for (const sessionsFirst of [true, false]) {
      const copy = memory();
      writeLayout(copy, first.arrangement.layout);
      const again = openWindow(copy);
      if (sessionsFirst) again.loadSessions('a', 'b');
      void again.tabs.load();
      expect(again.store.getState().tabs.order).toEqual([]);
      await again.answer(tab('plan'));
      if (!sessionsFirst) again.loadSessions('a', 'b');
      expect(again.store.getState().tabs).toEqual({ order: ['page:plan', 'a', 'b'], active: 'page:plan' });
    }
  });

  it('do not keep terminals from coming back when their list cannot be read', async () => {
    const { store, tabs, waiting, loadSessions, answer } = openWindow();
    loadSessions('a');
    void tabs.load();
    waiting.shift()?.reject(new RequestRefused(404, 'an older server'));
    await settled();
    expect(store.getState().tabs.order).toEqual(['a']);
    void tabs.load();
    await answer(tab('plan'));
    expect(store.getState().tabs.order).toEqual(['a', 'page:plan']);
  });

  it('of two readings that overlap the one asked later counts', async () => {
    const { store, tabs, waiting } = openWindow();
    void tabs.load();
    void tabs.load();
    waiting[1]?.resolve([tab('new')]);
    await settled();
    waiting[0]?.resolve([]);
    await settled();
    expect([...store.getState().agentTabs.keys()]).toEqual(['page:new']);
  });

  it('closed by the person they are gone at once, also from an answer that is older; the keyboard goes to what is shown then', async () => {
    const { store, tabs, answer, loadSessions, arrangement, focused, closed, told } = openWindow();
    loadSessions('a');
    void tabs.load();
    await answer(tab('plan'));
    arrangement.show('page:plan');
    focused.length = 0;
    void tabs.load();
    const closing = tabs.close('page:plan');
    expect(store.getState().tabs).toEqual({ order: ['a'], active: 'a' });
    expect(focused).toEqual(['terminal']);
    await answer(tab('plan'));
    await answer();
    await closing;
    expect([store.getState().agentTabs.size, closed, told]).toEqual([0, ['plan'], []]);
  });

  it('that could not be closed come back, and the person is told', async () => {
    const { store, tabs, answer, loadSessions, state, told } = openWindow();
    loadSessions('a');
    void tabs.load();
    await answer(tab('plan', { title: 'My \u202eplan' }));
    state.refusal = new RequestRefused(403, 'no');
    const closing = tabs.close('page:plan');
    await settled();
    await answer(tab('plan'));
    await closing;
    expect(store.getState().tabs.order).toEqual(['a', 'page:plan']);
    expect(told).toEqual(['“My plan” could not be closed']);
    state.refusal = new RequestRefused(404, 'closed already');
    const second = tabs.close('page:plan');
    await settled();
    await answer();
    await second;
    expect([store.getState().tabs.order, told.length]).toEqual([['a'], 1]);
  });

  it('go with their session; those of the terminal list can be put away, these cannot', async () => {
    const { store, tabs, answer, loadSessions, arrangement } = openWindow();
    loadSessions('a', 'b');
    void tabs.load();
    await answer(tab('plan'));
    arrangement.hide(['a', 'page:plan']);
    expect(store.getState().tabs.order).toEqual(['b', 'page:plan']);
    tabs.onEvent({ name: 'close-html-tabs', data: { tab_ids: ['plan'] } });
    await answer();
    expect(store.getState().tabs.order).toEqual(['b']);
  });

  it('have a name in layouts that is no session, and fits into an id of an element', () => {
    expect(panelOf('Plan für heute/2 "x"')).toBe('page:Plan%20f%C3%BCr%20heute%2F2%20%22x%22');
  });
});
