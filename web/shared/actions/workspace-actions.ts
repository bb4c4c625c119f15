/** The workspace itself, and the pages beside it. */
import type { Action } from '../action-table.ts';
import { letter } from './action-helpers.ts';

/** Pages of this server beside the workspace. */
const PAGES = [
  {
    id: 'page.monitor',
    title: 'Process monitor',
    words: 'processor memory load cpu top open page',
    path: '/process/monitor',
  },
  { id: 'page.phone', title: 'Phone page', words: 'mobile open small touch', path: '/mobile' },
  {
    id: 'page.api',
    title: 'Documentation of the API',
    words: 'openapi rest http reference open page',
    path: '/docs/api',
  },
] as const;

export const WORKSPACE: readonly Action[] = [
  {
    id: 'palette',
    title: 'All commands',
    group: 'Workspace',
    chords: [letter('P'), { code: 'Space', label: 'Space' }],
    words: 'palette search',
    run: ({ workspace }) => workspace.openDialog('palette'),
  },
  {
    id: 'list.focus',
    title: 'Go to the session list',
    group: 'Workspace',
    chords: [{ code: 'ArrowUp', label: '↑' }],
    words: 'sidebar',
    run: ({ focusList }) => focusList(),
  },
  {
    id: 'tabs.focus',
    title: 'Go to the tabs of this pane',
    group: 'Workspace',
    // A terminal keeps Tab for its program, so the buttons between two of them need a way of their own.
    chords: [letter('L')],
    isAvailable: (state) => state.tabs.order.length > 0,
    run: ({ focusTabs }) => focusTabs(),
  },
  {
    id: 'terminal.focus',
    title: 'Go to the terminal',
    group: 'Workspace',
    chords: [{ code: 'ArrowDown', label: '↓' }],
    run: ({ workspace }) => workspace.arrangement.focus(),
  },
  {
    id: 'questions.focus',
    title: 'Go to the question of an agent',
    group: 'Workspace',
    chords: [{ code: 'BracketRight', label: ']' }],
    words: 'confirm answer yes no ask',
    isAvailable: (state) => state.questions.length > 0,
    run: ({ focusQuestion }) => focusQuestion(),
  },
  {
    id: 'list.toggle',
    title: 'Show or hide the session list',
    group: 'Workspace',
    chords: [letter('B')],
    words: 'sidebar',
    run: ({ workspace, isSmallScreen }) => workspace.toggleSidebar(isSmallScreen()),
  },
  {
    id: 'layouts',
    title: 'Layouts: save, use, rename, delete…',
    group: 'Workspace',
    chords: [{ code: 'Quote', label: "'" }],
    words: 'arrangement panes named keep manage',
    run: ({ workspace }) => workspace.openLayouts(),
  },
  ...PAGES.map(
    ({ id, title, words, path }): Action => ({
      id,
      title,
      group: 'Workspace',
      words,
      run: ({ openPage }) => openPage(path),
    }),
  ),
  {
    id: 'preferences',
    title: 'Preferences',
    group: 'Workspace',
    chords: [{ code: 'Comma', label: ',' }],
    words: 'settings options configuration',
    run: ({ workspace }) => workspace.openDialog('preferences'),
  },
  {
    id: 'keys',
    title: 'Keyboard shortcuts',
    group: 'Workspace',
    chords: [{ code: 'Slash', label: '/' }],
    words: 'help keys bindings',
    run: ({ workspace }) => workspace.openDialog('shortcuts'),
  },
  {
    id: 'connection.retry',
    title: 'Connect again now',
    group: 'Workspace',
    words: 'retry reconnect server',
    isAvailable: (state) => state.connection.kind === 'reconnecting',
    run: ({ workspace }) => workspace.retryNow(),
  },
];
