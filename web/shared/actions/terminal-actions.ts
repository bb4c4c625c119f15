/** What is done with a terminal as a whole. */
import type { Action } from '../action-table.ts';
import type { Side } from '../layout.ts';
import { hasSession, isInTab, letter, onSession, sessionOf } from './action-helpers.ts';

function showBeside(id: string, title: string, side: Side): Action {
  return {
    id,
    title,
    group: 'Terminals',
    isListed: false,
    isAvailable: (state, sessionId) =>
      hasSession(state, sessionId) && state.tabs.order.length > 0 && !isInTab(state, sessionId),
    run: onSession(({ workspace }, sessionId) => void workspace.arrangement.split(sessionId, side)),
  };
}

export const TERMINALS: readonly Action[] = [
  {
    id: 'terminal.new',
    title: 'New terminal',
    group: 'Terminals',
    chords: [{ code: 'Enter', label: 'Enter' }],
    words: 'open create shell session',
    run: ({ workspace }) => void workspace.createTerminal(),
  },
  {
    id: 'terminal.new-in',
    title: 'New terminal in a folder…',
    group: 'Terminals',
    chords: [{ code: 'Period', label: '.' }],
    words: 'open create shell session directory path recent place project',
    run: ({ workspace }) => workspace.openLauncher(),
  },
  {
    id: 'terminal.same-folder',
    title: 'New terminal in the same folder',
    group: 'Terminals',
    // For the active terminal the usual one does this.
    isListed: false,
    isAvailable: hasSession,
    run: onSession(({ workspace }, id) => {
      const cwd = workspace.store.getState().sessions.get(id)?.cwd;
      void workspace.createTerminal(cwd ? { cwd } : {});
    }),
  },
  {
    id: 'terminal.show',
    title: 'Show',
    group: 'Terminals',
    // The palette has one entry for each session.
    isListed: false,
    isAvailable: (state, id) => hasSession(state, id) && state.tabs.active !== id,
    run: onSession(({ workspace }, id) => workspace.arrangement.show(id)),
  },
  showBeside('terminal.show-right', 'Show to the right', 'right'),
  showBeside('terminal.show-below', 'Show below', 'down'),
  {
    id: 'terminal.rename',
    title: 'Rename terminal',
    group: 'Terminals',
    chords: [letter('E')],
    words: 'name title',
    isAvailable: hasSession,
    run: onSession(({ workspace, origin }, id) =>
      workspace.beginRename(id, origin ?? (isInTab(workspace.store.getState(), id) ? 'tab' : 'list')),
    ),
  },
  {
    id: 'terminal.close',
    title: 'Close terminal',
    group: 'Terminals',
    chords: [letter('X')],
    words: 'end kill exit',
    instead: 'page.close',
    isAvailable: hasSession,
    run: onSession(({ workspace }, id) => void workspace.requestClose(id)),
  },
  {
    id: 'terminal.undo-close',
    title: 'Undo close',
    group: 'Terminals',
    chords: [letter('Z')],
    words: 'reopen restore back',
    isAvailable: (state) => [...state.sessions.values()].some((session) => session.isClosing),
    run: ({ workspace }) => workspace.closing.undo(),
  },
  {
    id: 'terminal.restart',
    title: 'Start again',
    group: 'Terminals',
    words: 'restart rerun',
    isAvailable: (state, id) => {
      const session = sessionOf(state, id);
      return session !== undefined && session.lifecycle !== 'live';
    },
    run: onSession(({ workspace }, id) => void workspace.restart(id)),
  },
];
