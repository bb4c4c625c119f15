/** The workspace's composition root: makes the parts, joins them to the page's events, draws. */
import '@xterm/xterm/css/xterm.css';
import './styles/tokens.css';
import './styles/layout.css';
import './styles/panes.css';
import './styles/status-bar.css';
import './styles/parts.css';
import './styles/terminal.css';
import './styles/palette.css';
import './styles/find.css';
import './styles/menu.css';
import './styles/agent-tabs.css';
import './styles/questions.css';
import './styles/agents.css';
import './styles/choices.css';
import { createRoot } from 'react-dom/client';
import { systemClock } from '../../src/base/index.ts';
import { createClient } from '../../src/client/index.ts';
import { ActionTable } from '../shared/action-table.ts';
import { agentTabActions } from '../shared/actions/agent-tab-actions.ts';
import { layoutActions, sessionActions, suggestionActions, WORKSPACE_ACTIONS } from '../shared/actions.ts';
import { createClientId } from '../shared/client-id.ts';
import { createDebugObject, type DebugObject, SnapshotRegistry } from '../shared/debug-object.ts';
import { createPageTransport } from '../shared/page-transport.ts';
import { createMemory, PREFERENCES_KEY, readPreferences } from '../shared/preferences.ts';
import { Workspace } from '../shared/workspace.ts';
import { createWorkspaceStore, themeInForce, workspaceSnapshots } from '../shared/workspace-state.ts';
import { App } from './app.tsx';
import { preloadChoices } from './choice-cards.tsx';
import { preloadDialogs } from './dialogs.tsx';
import { handleKey, isListShown, isWorkspaceKey } from './keys.ts';
import { preloadFind } from './terminal-panel.tsx';
import { ActionsContext, WorkspaceContext } from './workspace-context.ts';

/** Milliseconds until parts that are opened by keys are fetched. */
const PRELOAD_DELAY = 1_500;

declare global {
  interface Window {
    __TUIC__?: DebugObject;
  }
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');

// The server marks a visit that began on another site; the mark has done its work.
if (window.location.search === '?again') window.history.replaceState(null, '', '/');

const browserMemory = createMemory(() => window.localStorage);
const windowMemory = createMemory(() => window.sessionStorage);
const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
const moreContrast = window.matchMedia('(prefers-contrast: more)');
const readSystemTheme = () => (moreContrast.matches ? 'contrast' : darkScheme.matches ? 'dark' : 'light');
const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');

const preferences = readPreferences(browserMemory);
// `?renderer=dom` draws with elements for this visit, whatever is preferred.
const renderer = new URLSearchParams(window.location.search).get('renderer');
const store = createWorkspaceStore(renderer === 'dom' ? { ...preferences, renderer } : preferences, readSystemTheme());

const actions = new ActionTable(WORKSPACE_ACTIONS);
actions.addSource(suggestionActions);
actions.addSource(sessionActions);
actions.addSource(agentTabActions);
actions.addSource(layoutActions);

const clientId = createClientId();
const workspace = new Workspace({
  client: createClient({
    transport: createPageTransport(),
    clientId,
  }),
  clientId,
  store,
  clock: systemClock,
  windowMemory,
  browserMemory,
  reducedMotion: () => reducedMotion.matches,
  isListSeen: () => document.visibilityState === 'visible' && isListShown(store.getState()),
  isWorkspaceKey: (event) => isWorkspaceKey(actions, event),
  load: (path) => import(/* @vite-ignore */ path),
  openPage: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
});

const registry = new SnapshotRegistry();
registry.addAll({ ...workspaceSnapshots(store), keybindings: () => actions.snapshot() });
window.__TUIC__ = createDebugObject({ registry, store, client: workspace.client });

document.documentElement.dataset.theme = themeInForce(store.getState());
for (const query of [darkScheme, moreContrast]) {
  query.addEventListener('change', () => store.setState({ systemTheme: readSystemTheme() }));
}
reducedMotion.addEventListener('change', () => workspace.stage.refreshAppearance());
window.addEventListener('keydown', (event) => handleKey(workspace, actions, event), { capture: true });
document.addEventListener('visibilitychange', () => workspace.setPageVisible(document.visibilityState === 'visible'));
// Windows of one browser look alike: what one of them remembers, the others take over.
window.addEventListener('storage', (event) => {
  if (event.key === PREFERENCES_KEY) workspace.looks.takeOver(readPreferences(browserMemory));
});
window.addEventListener('pageshow', () => workspace.wake());
window.addEventListener('online', () => workspace.retryNow());
window.addEventListener('focus', () => workspace.reportFocus(true));
window.addEventListener('blur', () => workspace.reportFocus(false));

workspace.start();
createRoot(root).render(
  <WorkspaceContext value={workspace}>
    <ActionsContext value={actions}>
      <App />
    </ActionsContext>
  </WorkspaceContext>,
);

// The first terminal comes first.
setTimeout(() => {
  preloadDialogs();
  preloadChoices();
  preloadFind();
}, PRELOAD_DELAY);
