/** Everything the phone page shows, in one store. Only `Phone` (phone.ts) and its parts change it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PendingConfirm, SessionInfo } from '../../src/contract/index.ts';
import type { OpenChoices } from '../shared/choices.ts';
import type { Limits } from '../shared/limits.ts';
import type { Preferences } from '../shared/preferences.ts';
import { type TerminalTheme, type ThemeName, terminalTheme } from '../terminal/palettes.ts';
import type { LivenessState } from './liveness.ts';
import type { FeedConnection } from './log-feed.ts';
import type { LogViewState } from './log-view.ts';

export type Route = { page: 'list' } | { page: 'session'; reference: string };

export type Sheet =
  | { kind: 'new' }
  | { kind: 'settings' }
  | { kind: 'session'; sessionId: string }
  | { kind: 'rename'; sessionId: string }
  /** `process`: what would be ended, null when it is unknown. */
  | { kind: 'close'; sessionId: string; process: string };

export interface Notice {
  id: number;
  kind: 'info' | 'error';
  text: string;
}

/** A close that can still be taken back. */
export interface PendingClose {
  sessionId: string;
  label: string;
}

/** What was typed and not sent, with the reason. It stays in the field. */
export type SendState =
  | { kind: 'idle' }
  | { kind: 'sending' }
  /** `isUncertain`: it may have arrived. */
  | { kind: 'failed'; reason: string; isUncertain: boolean };

export interface ViewerState {
  connection: FeedConnection;
  hasOutput: boolean;
  /** Why nothing will follow; undefined while it may. */
  end: string | undefined;
  log: LogViewState;
  applicationCursorKeys: boolean;
  bracketedPaste: boolean;
  /** The program draws a whole screen; its rows are no text that could be wrapped. */
  isFullScreen: boolean;
  send: SendState;
}

export const FRESH_VIEWER: ViewerState = {
  connection: 'loading',
  hasOutput: false,
  end: undefined,
  log: { isFollowing: true, newLines: 0, isSelecting: false },
  applicationCursorKeys: false,
  bracketedPaste: false,
  isFullScreen: false,
  send: { kind: 'idle' },
};

export interface PhoneState {
  access: 'checking' | 'granted' | 'needed';
  liveness: LivenessState;
  isLoaded: boolean;
  sessions: ReadonlyMap<string, SessionInfo>;
  limits: Limits;
  route: Route;
  viewer: ViewerState;
  sheet: Sheet | undefined;
  notices: readonly Notice[];
  /** What agents ask, oldest first. */
  questions: readonly PendingConfirm[];
  /** What agents offer to choose from on their screens. */
  choices: OpenChoices;
  pendingCloses: readonly PendingClose[];
  isCreating: boolean;
  preferences: Preferences;
  wrapsLines: boolean;
  systemTheme: ThemeName;
}

export type PhoneStore = StoreApi<PhoneState>;

export function createPhoneStore(
  initial: Pick<PhoneState, 'preferences' | 'systemTheme' | 'route' | 'wrapsLines'>,
): PhoneStore {
  return createStore<PhoneState>(() => ({
    access: 'checking',
    liveness: { reach: 'connecting', asOf: undefined },
    isLoaded: false,
    sessions: new Map(),
    limits: new Map(),
    viewer: FRESH_VIEWER,
    sheet: undefined,
    notices: [],
    questions: [],
    choices: new Map(),
    pendingCloses: [],
    isCreating: false,
    ...initial,
  }));
}

/** The session on screen; its address may be its id or its alias. */
export function shownSession({ route, sessions }: PhoneState): SessionInfo | undefined {
  if (route.page === 'list') return undefined;
  const { reference } = route;
  return sessions.get(reference) ?? [...sessions.values()].find((one) => one.alias === reference);
}

export function themeInForce({ preferences, systemTheme }: PhoneState): ThemeName {
  return preferences.theme === 'system' ? systemTheme : preferences.theme;
}

export function logTheme(state: PhoneState): TerminalTheme {
  return terminalTheme(state.preferences.terminalTheme, themeInForce(state));
}
