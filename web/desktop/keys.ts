/** Joins the keys of the action table to the page. Keys of programs pass: whatever is no chord of the table is left alone. */
import type { ActionContext, ActionTable } from '../shared/action-table.ts';
import type { Workspace } from '../shared/workspace.ts';
import type { WorkspaceState } from '../shared/workspace-state.ts';
import { SMALL_SCREEN } from './workspace-context.ts';

export function isSmallScreen(): boolean {
  return window.matchMedia(SMALL_SCREEN).matches;
}

/** What an action may use, for the active session or the one it was chosen for. */
export function actionContext(
  workspace: Workspace,
  sessionId?: string,
  origin?: ActionContext['origin'],
): ActionContext {
  const state = workspace.store.getState();
  return {
    workspace,
    sessionId: sessionId ?? state.tabs.active,
    isSmallScreen,
    focusList: () => focusList(workspace),
    focusTabs: () => document.querySelector<HTMLElement>('.pane.is-focused [role=tab][aria-selected=true]')?.focus(),
    // On "No": whoever presses a key too early has allowed nothing.
    focusQuestion: () => document.querySelector<HTMLElement>('.question .question-button')?.focus(),
    focusedCard: () => document.activeElement?.closest<HTMLElement>('.choice')?.dataset.sessionId,
    openPaneMenu: () => openPaneMenu(workspace),
    openPage: (path) => void window.open(path, '_blank', 'noopener'),
    origin,
  };
}

export function isListShown({ drawerOpen, preferences }: WorkspaceState): boolean {
  return isSmallScreen() ? drawerOpen : preferences.sidebarOpen;
}

function focusList(workspace: Workspace): void {
  if (!isListShown(workspace.store.getState())) workspace.toggleSidebar(isSmallScreen());
  requestAnimationFrame(() => {
    const rows = document.querySelectorAll<HTMLElement>('.session-main');
    const active = document.querySelector<HTMLElement>('.session-main[aria-current]');
    (active ?? rows[0])?.focus();
  });
}

/** How far the menu of a terminal that was asked for by keys stands inside its pane. */
const MENU_INSET = 12;

function openPaneMenu(workspace: Workspace): void {
  const panel = document.querySelector('.pane.is-focused .panel') ?? document.querySelector('.panel');
  if (panel === null) return;
  workspace.arrangement.focus();
  const { left, top } = panel.getBoundingClientRect();
  const sessionId = workspace.store.getState().tabs.active;
  workspace.openMenu({ kind: 'pane', sessionId, x: left + MENU_INSET, y: top + MENU_INSET });
}

/** True takes the key away from the terminal. */
export function isWorkspaceKey(actions: ActionTable, event: KeyboardEvent): boolean {
  const found = actions.byKey(event);
  return found !== undefined && found.chord.isNative !== true;
}

/** Runs what a key stands for. True when it was one. */
export function handleKey(workspace: Workspace, actions: ActionTable, event: KeyboardEvent): boolean {
  if (event.type !== 'keydown') return false;
  const { drawerOpen, dialog } = workspace.store.getState();
  if (event.key === 'Escape' && drawerOpen && dialog === undefined) {
    workspace.toggleSidebar(true);
    workspace.arrangement.focus();
    return true;
  }
  const found = actions.byKey(event);
  if (found === undefined || found.chord.isNative === true) return false;
  const { action, chord } = found;
  if (chord.isInTerminal === true && !(event.target instanceof Element && event.target.closest('.terminal')))
    return false;
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat && action.repeats !== true) return true;
  workspace.closeMenu();
  // A question that is open is answered first; the palette's own key closes it.
  if (dialog === undefined || (action.group === 'Look' && dialog.kind !== 'palette'))
    actions.run(action, actionContext(workspace));
  else if (dialog.kind === 'palette' && action.id === 'palette') workspace.closeDialog();
  return true;
}
