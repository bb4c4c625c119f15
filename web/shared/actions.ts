/**
 * The actions of the workspace itself. Keys are Ctrl+Shift with one more where programs could want the key: they cannot tell
 * those apart from Ctrl alone and hence do not use them, and browsers leave these to the page. Zoom has the keys it has
 * everywhere.
 */
import type { Action, ActionContext, ActionSource, Chord } from './action-table.ts';
import { cleanText, describeLayout, folderName, sessionAlias, sessionLabel } from './labels.ts';
import { paneOf, type Side } from './layout.ts';
import { DEFAULT_PREFERENCES, THEME_CHOICES, type ThemeChoice } from './preferences.ts';
import { listedSessions, type SessionEntry, type WorkspaceState } from './workspace-state.ts';

const letter = (name: string): Chord => ({ code: `Key${name}`, label: name });

const sessionOf = (state: WorkspaceState, id: string | undefined): SessionEntry | undefined =>
  id === undefined ? undefined : state.sessions.get(id);
const hasSession = (state: WorkspaceState, id: string | undefined) => sessionOf(state, id) !== undefined;
const hasPanes = (state: WorkspaceState) => state.layout.root.kind === 'split';
const isInTab = (state: WorkspaceState, id: string | undefined) => id !== undefined && state.tabs.order.includes(id);
/** It can leave its pane for one of its own. */
const hasNeighbour = (state: WorkspaceState, id: string | undefined) =>
  id !== undefined && (paneOf(state.layout, id)?.tabs.order.length ?? 0) > 1;
const hasTabs = (state: WorkspaceState) => state.tabs.order.length > 1;

function onSession(act: (context: ActionContext, id: string) => void): (context: ActionContext) => void {
  return (context) => {
    if (context.sessionId !== undefined) act(context, context.sessionId);
  };
}

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

const TERMINALS: readonly Action[] = [
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

const PANES: readonly Action[] = [
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
    isAvailable: isInTab,
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

const TEXT: readonly Action[] = [
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

const ZOOM: readonly Action[] = [
  {
    id: 'zoom.in',
    title: 'Larger text',
    group: 'Look',
    chords: [
      { key: '+', label: '+' },
      { key: '=', label: '=' },
    ],
    words: 'zoom in bigger font size',
    repeats: true,
    run: ({ workspace }) => zoom(workspace, 1),
  },
  {
    id: 'zoom.out',
    title: 'Smaller text',
    group: 'Look',
    chords: [{ key: '-', label: '−' }],
    words: 'zoom out font size',
    repeats: true,
    run: ({ workspace }) => zoom(workspace, -1),
  },
  {
    id: 'zoom.reset',
    title: 'Text in its usual size',
    group: 'Look',
    chords: [{ key: '0', label: '0' }],
    words: 'zoom reset font size',
    run: ({ workspace }) => workspace.setPreferences({ fontSize: DEFAULT_PREFERENCES.fontSize }),
  },
];

function zoom(workspace: ActionContext['workspace'], by: number): void {
  workspace.setPreferences({ fontSize: workspace.store.getState().preferences.fontSize + by });
}

const THEME_TITLES: Readonly<Record<ThemeChoice, string>> = {
  system: 'Theme as the system',
  light: 'Light theme',
  dark: 'Dark theme',
  contrast: 'High-contrast theme',
};

const LOOK: readonly Action[] = [
  ...ZOOM,
  ...THEME_CHOICES.map(
    (theme): Action => ({
      id: `theme.${theme}`,
      title: THEME_TITLES[theme],
      group: 'Look',
      words: 'colour color scheme appearance',
      isAvailable: (state) => state.preferences.theme !== theme,
      run: ({ workspace }) => workspace.setPreferences({ theme }),
    }),
  ),
];

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

const WORKSPACE: readonly Action[] = [
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
    run: ({ workspace }) => workspace.stage.focus(),
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

export const WORKSPACE_ACTIONS: readonly Action[] = [...TERMINALS, ...PANES, ...TEXT, ...LOOK, ...WORKSPACE];

/** One entry for each session that can be shown. */
export const sessionActions: ActionSource = (state) =>
  listedSessions(state)
    .filter((session) => session.session_id !== state.tabs.active && !session.isClosing)
    .map((session) => ({
      id: `session:${session.session_id}`,
      title: `Go to ${sessionLabel(session)}`,
      group: 'Terminals',
      words: `${sessionAlias(session)} ${cleanText(session.title ?? '')}`,
      detail: [sessionAlias(session), cleanText(folderName(session.cwd))].filter((part) => part !== '').join(' · '),
      run: ({ workspace }) => workspace.arrangement.show(session.session_id),
    }));

/** What can be done with each saved layout. */
export const layoutActions: ActionSource = (state) =>
  state.layouts.flatMap(({ name, layout }): readonly Action[] => [
    {
      id: `layout:${name}`,
      title: `Layout ${name}`,
      group: 'Tabs and panes',
      words: 'use switch arrangement',
      detail: describeLayout(layout),
      run: ({ workspace }) => workspace.layouts.use(name),
    },
    {
      id: `layout.save:${name}`,
      title: `Save layout ${name} again`,
      group: 'Tabs and panes',
      words: 'overwrite update keep',
      isAvailable: ({ tabs }) => tabs.order.length > 0,
      run: ({ workspace }) => void workspace.layouts.save(name),
    },
    {
      id: `layout.rename:${name}`,
      title: `Rename layout ${name}`,
      group: 'Tabs and panes',
      words: 'name',
      run: ({ workspace }) => workspace.openLayouts(name),
    },
    {
      id: `layout.delete:${name}`,
      title: `Delete layout ${name}`,
      group: 'Tabs and panes',
      words: 'remove',
      run: ({ workspace }) => void workspace.layouts.remove(name),
    },
  ]);
