import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../src/contract/index.ts';
import { ActionTable } from './action-table.ts';
import { WORKSPACE_ACTIONS } from './actions.ts';
import { allTabs, ONE_PANE, openSession, splitPane } from './layout.ts';
import { MENUS, menuGroups } from './menus.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore, type MenuKind } from './workspace-state.ts';

const table = new ActionTable(WORKSPACE_ACTIONS);
const KINDS = Object.keys(MENUS) as MenuKind[];

const session = (id: string, change: Partial<SessionInfo> = {}) => ({
  session_id: id,
  cwd: '/srv',
  worktree_path: null,
  worktree_branch: null,
  is_remote: false,
  lifecycle: 'live' as const,
  created_at: 1,
  rows: 24,
  cols: 80,
  isClosing: false,
  ...change,
});

function stateWith(layout = ONE_PANE, change: Partial<SessionInfo> = {}) {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const sessions = new Map(['a', 'b'].map((id) => [id, session(id, change)]));
  store.setState({ sessions, layout, tabs: allTabs(layout) });
  return store.getState();
}

const idsOf = (kind: MenuKind, state = stateWith(), id = 'a') =>
  menuGroups(table, kind, state, id)
    .flat()
    .map((action) => action.id);

describe('DESIGN 9: menus are made of the one table of actions', () => {
  it.each(KINDS)('every entry of the menu of a %s is an action, and stands in it once', (kind) => {
    const ids = MENUS[kind].flat();
    expect(ids.filter((id) => table.get(id) === undefined)).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('what cannot be done is left out, and so is a group without anything', () => {
    const one = openSession(ONE_PANE, 'a');
    expect(idsOf('tab', stateWith(one))).not.toContain('tab.to-right');
    const two = openSession(one, 'b');
    expect(idsOf('tab', stateWith(two))).toContain('tab.to-right');
    expect(idsOf('tab', stateWith(two))).not.toContain('terminal.restart');
    expect(idsOf('tab', stateWith(two, { lifecycle: 'exited' }))).toContain('terminal.restart');
    expect(menuGroups(table, 'tab', stateWith(one), 'gone').every((group) => group.length > 0)).toBe(true);
  });

  it('a session that is shown is not offered to be shown beside itself; one without a tab is', () => {
    const shown = stateWith(openSession(ONE_PANE, 'a'));
    expect(idsOf('session', shown)).not.toContain('terminal.show');
    expect(idsOf('session', shown)).toContain('tab.hide');
    expect(idsOf('session', shown, 'b')).toEqual(
      expect.arrayContaining(['terminal.show', 'terminal.show-right', 'terminal.show-below']),
    );
    expect(idsOf('session', shown, 'b')).not.toContain('tab.hide');
  });

  it('panes that can be left are offered only where there are several', () => {
    const one = openSession(ONE_PANE, 'a');
    expect(idsOf('pane', stateWith(one))).not.toContain('pane.join');
    expect(idsOf('pane', stateWith(splitPane(one, 'b', 'p1', 'right')))).toContain('pane.join');
  });
});
