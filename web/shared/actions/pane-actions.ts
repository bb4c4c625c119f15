/** Tabs and panes. */
import type { Action } from '../action-table.ts';
import { paneOf, type Side } from '../layout.ts';
import { hasNeighbour, hasPanes, hasSession, hasTabs, isInTab, letter, onSession } from './action-helpers.ts';

function moveBeside(id: string, title: string, side: Side): Action {
  return {
    id,
    title,
    group: 'Tabs and panes',
    words: 'split own pane',
    isAvailable: hasNeighbour,
    run: onSession(({ workspace }, sessionId) => {
      const pane = paneOf(workspace.arrangement.layout, sessionId);
      if (pane !== undefined) workspace.arrangement.split(sessionId, side, pane.id);
    }),
  };
}

export const PANES: readonly Action[] = [
  {
    id: 'pane.right',
    title: 'New terminal to the right',
    group: 'Tabs and panes',
    chords: [letter('D')],
    words: 'split vertical side by side',
    isAvailable: (state) => state.tabs.order.length > 0,
    run: ({ workspace }) => workspace.splitTerminal('right'),
  },
  {
    id: 'pane.below',
    title: 'New terminal below',
    group: 'Tabs and panes',
    chords: [letter('S')],
    words: 'split horizontal',
    isAvailable: (state) => state.tabs.order.length > 0,
    run: ({ workspace }) => workspace.splitTerminal('down'),
  },
  {
    id: 'pane.next',
    title: 'Next pane',
    group: 'Tabs and panes',
    chords: [letter('O')],
    words: 'focus other',
    isAvailable: hasPanes,
    run: ({ workspace }) => workspace.arrangement.stepPane(1),
  },
  {
    id: 'pane.carry',
    title: 'Move tab to the next pane',
    group: 'Tabs and panes',
    chords: [letter('M')],
    isAvailable: hasPanes,
    run: ({ workspace }) => workspace.arrangement.carryTab(),
  },
  moveBeside('tab.to-right', 'Move tab to the right', 'right'),
  moveBeside('tab.to-bottom', 'Move tab below', 'down'),
  {
    id: 'tab.hide',
    title: 'Put the tab away, keep it running',
    group: 'Tabs and panes',
    words: 'hide detach background',
    isAvailable: (state, id) => isInTab(state, id) && hasSession(state, id),
    run: onSession(({ workspace }, id) => workspace.arrangement.hide([id])),
  },
  {
    id: 'tab.hide-others',
    title: 'Put the other tabs away',
    group: 'Tabs and panes',
    words: 'hide only this background',
    isAvailable: (state, id) => isInTab(state, id) && hasTabs(state),
    run: onSession(({ workspace }, id) =>
      workspace.arrangement.hide(workspace.store.getState().tabs.order.filter((one) => one !== id)),
    ),
  },
  {
    id: 'pane.menu',
    title: 'Menu of the terminal',
    group: 'Tabs and panes',
    // Shift+F10 alone is a key that programs in the terminal know.
    chords: [{ code: 'F10', label: 'F10' }],
    words: 'context',
    isAvailable: hasSession,
    run: ({ openPaneMenu }) => openPaneMenu(),
  },
  {
    id: 'pane.even',
    title: 'Make panes the same size',
    group: 'Tabs and panes',
    words: 'even equal balance',
    isAvailable: hasPanes,
    run: ({ workspace }) => workspace.arrangement.evenShares(),
  },
  {
    id: 'pane.join',
    title: 'Join all panes into one',
    group: 'Tabs and panes',
    words: 'unsplit single merge',
    isAvailable: hasPanes,
    run: ({ workspace }) => workspace.arrangement.joinPanes(),
  },
  {
    id: 'tab.next',
    title: 'Next tab',
    group: 'Tabs and panes',
    chords: [{ code: 'ArrowRight', label: '→' }],
    repeats: true,
    isAvailable: hasTabs,
    run: ({ workspace }) => workspace.arrangement.stepTab(1),
  },
  {
    id: 'tab.previous',
    title: 'Previous tab',
    group: 'Tabs and panes',
    chords: [{ code: 'ArrowLeft', label: '←' }],
    repeats: true,
    isAvailable: hasTabs,
    run: ({ workspace }) => workspace.arrangement.stepTab(-1),
  },
  ...Array.from({ length: 9 }, (_, index): Action => {
    const number = index + 1;
    return {
      id: `tab.${number}`,
      title: `Tab ${number}`,
      group: 'Tabs and panes',
      chords: [{ code: `Digit${number}`, label: String(number) }],
      isListed: false,
      run: ({ workspace }) => workspace.arrangement.showAt(index),
    };
  }),
];
