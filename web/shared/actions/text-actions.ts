/** Text in terminals: copy, paste, save, links, find, scroll. */
import type { Action } from '../action-table.ts';
import { hasSession, letter, onSession, sessionOf } from './action-helpers.ts';

export const TEXT: readonly Action[] = [
  {
    id: 'text.copy',
    title: 'Copy what is selected',
    group: 'Text',
    chords: [{ ...letter('C'), isInTerminal: true }],
    words: 'clipboard',
    isAvailable: hasSession,
    run: ({ workspace }) => void workspace.text.copySelection(),
  },
  {
    id: 'text.paste',
    title: 'Paste',
    group: 'Text',
    chords: [{ ...letter('V'), isNative: true }],
    words: 'clipboard insert',
    isAvailable: hasSession,
    run: ({ workspace }) => void workspace.text.pasteClipboard(),
  },
  {
    id: 'text.select-all',
    title: 'Select everything',
    group: 'Text',
    chords: [{ ...letter('A'), isInTerminal: true }],
    isAvailable: hasSession,
    run: ({ workspace }) => workspace.text.selectAll(),
  },
  {
    id: 'text.save',
    title: 'Save the text as a file',
    group: 'Text',
    chords: [letter('Y')],
    words: 'download scrollback history log export',
    isAvailable: hasSession,
    run: onSession(({ workspace }, id) => void workspace.text.save(id, false)),
  },
  {
    id: 'text.save-colours',
    title: 'Save the text with its colours',
    group: 'Text',
    words: 'download scrollback history log export ansi colors',
    isAvailable: hasSession,
    run: onSession(({ workspace }, id) => void workspace.text.save(id, true)),
  },
  {
    id: 'text.copy-folder',
    title: 'Copy the path of the folder',
    group: 'Text',
    words: 'clipboard directory cwd',
    isAvailable: (state, id) => (sessionOf(state, id)?.cwd ?? '') !== '',
    run: onSession(({ workspace }, id) => {
      const cwd = workspace.store.getState().sessions.get(id)?.cwd;
      if (cwd) void workspace.text.copy(cwd, 'The path is copied.');
    }),
  },
  {
    id: 'links',
    title: 'Links in the terminal',
    group: 'Text',
    chords: [{ code: 'Semicolon', label: ';' }],
    words: 'open url address path file hyperlink',
    isAvailable: hasSession,
    run: ({ workspace }) => workspace.openLinks(),
  },
  {
    id: 'find.open',
    title: 'Find in terminal',
    group: 'Text',
    chords: [letter('F')],
    words: 'search regex history',
    isAvailable: hasSession,
    run: ({ workspace }) => workspace.openFind(),
  },
  {
    id: 'find.next',
    title: 'Next match',
    group: 'Text',
    chords: [letter('G')],
    words: 'find search down',
    repeats: true,
    isAvailable: (state) => state.find !== undefined,
    run: ({ workspace }) => workspace.stepFind(1),
  },
  {
    id: 'find.previous',
    title: 'Previous match',
    group: 'Text',
    chords: [letter('H')],
    words: 'find search up',
    repeats: true,
    isAvailable: (state) => state.find !== undefined,
    run: ({ workspace }) => workspace.stepFind(-1),
  },
  {
    id: 'scroll.top',
    title: 'Scroll to the beginning',
    group: 'Text',
    chords: [{ code: 'Home', label: 'Home' }],
    words: 'oldest first top',
    isAvailable: hasSession,
    run: ({ workspace }) => {
      workspace.stage.current?.loadWholeHistory();
      workspace.stage.current?.terminal.scrollToTop();
    },
  },
  {
    id: 'scroll.bottom',
    title: 'Scroll to the end',
    group: 'Text',
    chords: [{ code: 'End', label: 'End' }],
    words: 'newest last bottom prompt',
    isAvailable: hasSession,
    run: ({ workspace }) => workspace.stage.current?.terminal.scrollToBottom(),
  },
];
