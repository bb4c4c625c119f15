import { describe, expect, it } from 'vitest';
import { ActionTable } from './action-table.ts';
import { createDebugObject, SnapshotRegistry } from './debug-object.ts';
import { toJsonValue } from './json-value.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { openTab } from './tabs.ts';
import { createWorkspaceStore, type SessionEntry, workspaceSnapshots } from './workspace-state.ts';

const session = (session_id: string, more: Partial<SessionEntry> = {}): SessionEntry => ({
  session_id,
  alias: `alias-of-${session_id}`,
  cwd: '/work',
  worktree_path: null,
  worktree_branch: null,
  is_remote: false,
  lifecycle: 'live',
  created_at: 0,
  rows: 24,
  cols: 80,
  isClosing: false,
  ...more,
});

function setUp() {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const asked: object[] = [];
  const registry = new SnapshotRegistry();
  const table = new ActionTable([
    { id: 'find', title: 'Find', group: 'Text', chords: [{ code: 'KeyF', label: 'F' }], run: () => undefined },
  ]);
  registry.addAll({ ...workspaceSnapshots(store), keybindings: () => table.snapshot() });
  const client = {
    logs: {
      list: async (query: object = {}) => {
        asked.push(query);
        return [];
      },
      access: async () => [],
    },
  };
  return { store, registry, asked, debug: createDebugObject({ registry, store, client }) };
}

describe('window.__TUIC__', () => {
  it('DBG-2: has the stores that registered, each as it is now', () => {
    const { debug, registry, store } = setUp();
    expect(debug.stores()).toEqual(['keybindings', 'paneLayout', 'settings', 'ui']);
    expect(debug.store('settings')).toMatchObject({ fontSize: 14, themeInForce: 'dark' });
    store.setState({ preferences: { ...DEFAULT_PREFERENCES, fontSize: 20, theme: 'light' } });
    expect(debug.store('settings')).toMatchObject({ fontSize: 20, themeInForce: 'light' });
    expect(debug.store('keybindings')).toEqual([{ id: 'find', title: 'Find', group: 'Text', keys: ['Ctrl+Shift+F'] }]);
    expect(debug.store('github')).toBe(null);
    const gone = registry.add('github', () => 1);
    expect(debug.store('github')).toBe(1);
    expect(() => registry.add('github', () => 2)).toThrow('twice');
    gone.dispose();
    expect(debug.stores()).not.toContain('github');
  });

  it('DBG-2: tells each terminal, by id and by alias, and what agent it is', () => {
    const { debug, store } = setUp();
    const state = { awaiting_input: false, rate_limited: false, last_activity_ms: 1, agent_type: 'claude' };
    const tabs = openTab({ order: [], active: undefined }, 'a');
    store.setState({
      sessions: new Map([
        ['a', session('a', { state })],
        ['b', session('b')],
      ]),
      layout: { root: { kind: 'pane', id: 'p1', tabs }, focused: 'p1' },
      tabs,
    });
    expect(debug.terminals()).toHaveLength(2);
    expect(debug.terminal('alias-of-a')).toMatchObject({ session_id: 'a', pane: 'p1', is_shown: true, rows: 24 });
    expect(debug.terminal('b')).toMatchObject({ pane: null, is_shown: false });
    expect([debug.terminal('c'), debug.agentTypeForSession('a'), debug.agentTypeForSession('b')]).toEqual([
      null,
      'claude',
      null,
    ]);
    expect([debug.plugins(), debug.plugin('x'), debug.pluginLogs('x')]).toEqual([[], null, []]);
  });

  it('DBG-2: tells what waits for the person, and the newest of the log', async () => {
    const { debug, store, asked } = setUp();
    store.setState({ notices: [{ id: 1, kind: 'info', text: 'done' }] });
    expect(debug.activity()).toEqual([
      { id: 'questions', items: [] },
      { id: 'notices', items: [{ id: 1, kind: 'info', text: 'done' }] },
    ]);
    await debug.logs();
    await debug.logs(3);
    expect(asked).toEqual([{ limit: 50 }, { limit: 3 }]);
  });

  it('DBG-2: nothing that a person typed or pasted, and no command line, is in it', () => {
    const { debug, store } = setUp();
    const secret = 'hunter2-correct-horse';
    store.setState({
      sessions: new Map([['a', session('a', { args: ['--token', secret] })]]),
      dialog: { kind: 'paste', sessionId: 'a', paste: { text: secret } as never },
      layouts: [
        {
          name: 'mine',
          layout: store.getState().layout,
          sessions: { a: { args: [secret] } },
          savedAt: 1,
        },
      ],
    });
    expect(debug.store('ui')).toMatchObject({ dialog: 'paste' });
    const everything = [debug.stores().map((name) => debug.store(name)), debug.terminals(), debug.activity()];
    const text = JSON.stringify(toJsonValue(everything, 1_000_000));
    expect(text).toContain('mine');
    expect(text).not.toContain(secret);
  });
});
