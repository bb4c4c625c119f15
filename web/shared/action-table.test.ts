import { describe, expect, it } from 'vitest';
import { ActionTable, chordKeys, type KeyEventLike, keyHint } from './action-table.ts';
import { sessionActions, WORKSPACE_ACTIONS } from './actions.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore } from './workspace-state.ts';

const press = (key: Partial<KeyEventLike>): KeyEventLike => ({
  code: '',
  key: '',
  ctrlKey: true,
  shiftKey: true,
  altKey: false,
  metaKey: false,
  ...key,
});
const state = () => createWorkspaceStore(DEFAULT_PREFERENCES, 'dark').getState();

describe('DESIGN 9: one table of actions for palette, keys, menus and the sheet', () => {
  const table = new ActionTable(WORKSPACE_ACTIONS);

  it('no key stands for two actions, and each is found by its own key', () => {
    const seen = new Set<string>();
    for (const action of table.all()) {
      for (const chord of action.chords ?? []) {
        const name = chordKeys(chord).join('+');
        expect(seen.has(name), name).toBe(false);
        seen.add(name);
        const event = chord.key === undefined ? { code: chord.code ?? '' } : { key: chord.key, shiftKey: false };
        expect(table.byKey(press(event))?.action.id).toBe(action.id);
      }
    }
    expect(seen.size).toBeGreaterThan(20);
  });

  it('keys of programs stay theirs: Ctrl alone, Ctrl+_ of the shell, Alt and Meta', () => {
    expect(table.byKey(press({ code: 'KeyP', key: 'p', shiftKey: false }))).toBeUndefined();
    expect(table.byKey(press({ code: 'Minus', key: '_' }))).toBeUndefined();
    expect(table.byKey(press({ code: 'KeyP', key: 'P', altKey: true }))).toBeUndefined();
    expect(table.byKey(press({ code: 'KeyP', key: 'P', metaKey: true }))).toBeUndefined();
    expect(table.byKey(press({ code: 'KeyP', key: 'P', ctrlKey: false }))).toBeUndefined();
  });

  it('zoom is found by what the key types, on any layout', () => {
    expect(table.byKey(press({ code: 'BracketRight', key: '+', shiftKey: false }))?.action.id).toBe('zoom.in');
    expect(table.byKey(press({ code: 'Slash', key: '-', shiftKey: false }))?.action.id).toBe('zoom.out');
  });

  it('an id is there once; what was added can be taken away again', () => {
    expect(() => table.add([{ id: 'palette', title: 'x', group: 'Look', run: () => undefined }])).toThrow('twice');
    const more = table.add([{ id: 'more', title: 'More', group: 'Look', run: () => undefined }]);
    expect(table.listed(state()).some(({ id }) => id === 'more')).toBe(true);
    more.dispose();
    expect(table.get('more')).toBeUndefined();
  });

  it('lists what can be done now, what was used last first', () => {
    const now = state();
    const ids = () => table.listed(now).map(({ id }) => id);
    expect(ids()).not.toContain('terminal.close');
    expect(ids()).not.toContain('tab.1');
    expect(ids()[0]).toBe('terminal.new');
    table.remember('keys');
    expect(ids()[0]).toBe('keys');
  });

  it('sessions come with their names as plain text', () => {
    const session = {
      session_id: 'a',
      cwd: '/srv/x',
      worktree_path: null,
      worktree_branch: null,
      is_remote: false,
      lifecycle: 'live' as const,
      alias: 'T1',
      created_at: 0,
      rows: 1,
      cols: 2,
      title: 'ev\u202eil\u0007',
      isClosing: false,
    };
    const [action] = sessionActions({ ...state(), sessions: new Map([['a', session]]) });
    expect(action).toMatchObject({ id: 'session:a', title: 'Go to ev il', detail: 'T1 · x' });
  });

  it('hints carry the first key', () => {
    expect(keyHint(table.get('palette'))).toBe(' (Ctrl+Shift+P)');
    expect(keyHint(table.get('zoom.out'))).toBe(' (Ctrl+−)');
    expect(keyHint(table.get('terminal.restart'))).toBe('');
  });
});
