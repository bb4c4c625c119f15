/** Everything the workspace shows, in one store. Only the workspace (workspace.ts) changes it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AgentTab, PendingConfirm, SessionInfo } from '../../src/contract/index.ts';
import type { ThemeName } from '../terminal/palettes.ts';
import type { PreparedPaste } from '../terminal/paste-text.ts';
import type { LinkTarget } from '../terminal/terminal-links.ts';
import type { TerminalStatus } from '../terminal/terminal-model.ts';
import type { OpenChoices } from './choices.ts';
import { type Layout, ONE_PANE, type Side } from './layout.ts';
import type { Limits } from './limits.ts';
import type { Preferences } from './preferences.ts';
import { NO_TABS, type Tabs } from './tabs.ts';

export interface SessionEntry extends SessionInfo {
  /** A person closed it: it is about to be ended, unless that is undone. */
  isClosing: boolean;
}

export type Connection =
  | { kind: 'connecting' }
  | { kind: 'connected' }
  /** `retryAt`: epoch milliseconds of the next attempt. */
  | { kind: 'reconnecting'; retryAt: number };

export interface Notice {
  id: number;
  kind: 'info' | 'error';
  text: string;
  actions?: readonly NoticeAction[];
  /** It is about something that lasts until then (epoch milliseconds), and goes with it. */
  until?: number;
}

export interface NoticeAction {
  label: string;
  run(): void;
}

/** A paste that takes more than a moment, in bytes. */
export interface Pasting {
  sent: number;
  total: number;
}

export type Dialog =
  | { kind: 'close'; sessionId: string; process: string }
  | { kind: 'paste'; sessionId: string; paste: PreparedPaste }
  /** A terminal in a folder to be chosen, in a tab or beside the focused pane. */
  | { kind: 'new'; side: Side | undefined }
  /** The same with an agent. */
  | { kind: 'new-agent'; side: Side | undefined }
  /** The saved layouts; one of them may be about to get another name. */
  | { kind: 'layouts'; renaming: string | undefined }
  | { kind: 'shortcuts' }
  | { kind: 'palette' }
  | { kind: 'links'; sessionId: string }
  | { kind: 'preferences' };

/** What a terminal of a saved layout was started with. */
export interface SavedSession {
  cwd?: string;
  shell?: string;
  args?: readonly string[];
  /** Only one that a person gave. */
  name?: string;
}

/** An arrangement that was given a name. */
export interface NamedLayout {
  name: string;
  layout: Layout;
  sessions: Readonly<Record<string, SavedSession>>;
  /** Epoch milliseconds; 0 when unknown. */
  savedAt: number;
}

export type MenuKind = 'tab' | 'pane' | 'session' | 'page';

/** A menu that is open, at a place of the window in pixels. */
export interface OpenMenu {
  kind: MenuKind;
  sessionId: string | undefined;
  x: number;
  y: number;
}

export interface WorkspaceState {
  access: 'checking' | 'granted' | 'needed';
  connection: Connection;
  /** The list was read at least once. */
  isLoaded: boolean;
  sessions: ReadonlyMap<string, SessionEntry>;
  /** What runs in front in a terminal; null: its shell. Absent while unknown. */
  programs: ReadonlyMap<string, string | null>;
  limits: Limits;
  layout: Layout;
  /** All tabs of the layout in reading order, and the one that has the keyboard. */
  tabs: Tabs;
  /** Saved under names, on the server. */
  layouts: readonly NamedLayout[];
  terminals: ReadonlyMap<string, TerminalStatus>;
  preferences: Preferences;
  systemTheme: ThemeName;
  /** The list covers the terminal on small screens; there it is open only while asked for. */
  drawerOpen: boolean;
  renaming: { sessionId: string; place: 'tab' | 'list' } | undefined;
  dialog: Dialog | undefined;
  menu: OpenMenu | undefined;
  /** By session. */
  pasting: ReadonlyMap<string, Pasting>;
  /** The session find is open on. `asked` counts the times it was asked for, so that each gives the field the keyboard. */
  find: { sessionId: string; asked: number } | undefined;
  /** The link the pointer is on. */
  pointedLink: { sessionId: string; target: LinkTarget } | undefined;
  notices: readonly Notice[];
  /** What agents ask, oldest first. */
  questions: readonly PendingConfirm[];
  /** What agents offer to choose from on their screens, as far as this page has got with each. */
  choices: OpenChoices;
  /** A card of these is to have the keyboard, and has not been drawn yet. */
  isChoiceFocusWanted: boolean;
  /** Tabs that agents opened, by the names that they have in layouts; oldest first. */
  agentTabs: ReadonlyMap<string, AgentTab>;
  /** Their list was read, or could not be. */
  areTabsLoaded: boolean;
  /** The tab of an agent that is shown in the focused pane is to have the keyboard, and has not been drawn yet. */
  isPageFocusWanted: boolean;
  /** Counts refused key strokes, so that each can be shown. */
  refusedInputs: number;
  isCreating: boolean;
}

export type WorkspaceStore = StoreApi<WorkspaceState>;

export function createWorkspaceStore(preferences: Preferences, systemTheme: ThemeName): WorkspaceStore {
  return createStore<WorkspaceState>(() => ({
    access: 'checking',
    connection: { kind: 'connecting' },
    isLoaded: false,
    sessions: new Map(),
    programs: new Map(),
    limits: new Map(),
    layout: ONE_PANE,
    tabs: NO_TABS,
    layouts: [],
    terminals: new Map(),
    preferences,
    systemTheme,
    drawerOpen: false,
    renaming: undefined,
    dialog: undefined,
    menu: undefined,
    pasting: new Map(),
    find: undefined,
    pointedLink: undefined,
    notices: [],
    questions: [],
    choices: new Map(),
    isChoiceFocusWanted: false,
    agentTabs: new Map(),
    areTabsLoaded: false,
    isPageFocusWanted: false,
    refusedInputs: 0,
    isCreating: false,
  }));
}

export function themeInForce(state: WorkspaceState): ThemeName {
  return state.preferences.theme === 'system' ? state.systemTheme : state.preferences.theme;
}

/** Sessions in the order they were opened. Ended ones are listed only while this window still shows them. */
export function listedSessions(state: WorkspaceState): SessionEntry[] {
  return [...state.sessions.values()]
    .filter((session) => session.lifecycle !== 'exited' || state.tabs.order.includes(session.session_id))
    .sort((a, b) => a.created_at - b.created_at || (a.session_id < b.session_id ? -1 : 1));
}

/** What may be seen of the store from outside (debug-object.ts): of a dialog or a field its kind, never what was typed or pasted there. */
export function workspaceSnapshots(store: WorkspaceStore): Record<string, () => unknown> {
  return {
    ui: () => {
      const state = store.getState();
      return {
        access: state.access,
        connection: state.connection,
        isLoaded: state.isLoaded,
        drawerOpen: state.drawerOpen,
        dialog: state.dialog?.kind ?? null,
        menu: state.menu?.kind ?? null,
        renaming: state.renaming?.sessionId ?? null,
        find: state.find?.sessionId ?? null,
        pasting: [...state.pasting.keys()],
        questions: state.questions.length,
        choices: state.choices.size,
        notices: state.notices.length,
        refusedInputs: state.refusedInputs,
        isCreating: state.isCreating,
      };
    },
    paneLayout: () => {
      const { layout, tabs, layouts } = store.getState();
      return { layout, tabs, saved: layouts.map(({ name, savedAt }) => ({ name, savedAt })) };
    },
    settings: () => {
      const state = store.getState();
      return { ...state.preferences, themeInForce: themeInForce(state) };
    },
  };
}
