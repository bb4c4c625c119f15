/** What the menus of tabs, panes and sessions hold: actions of the one table, by their ids. */
import type { Action, ActionTable } from './action-table.ts';
import type { MenuKind, WorkspaceState } from './workspace-state.ts';

/** Groups, parted by lines. */
export const MENUS: Readonly<Record<MenuKind, readonly (readonly string[])[]>> = {
  tab: [
    ['terminal.rename', 'terminal.same-folder', 'terminal.restart'],
    ['tab.to-right', 'tab.to-bottom', 'pane.carry'],
    ['text.copy-folder', 'text.save'],
    ['tab.hide', 'tab.hide-others'],
    ['terminal.close'],
  ],
  pane: [
    ['text.copy', 'text.paste', 'text.select-all'],
    ['find.open', 'links', 'text.save', 'text.copy-folder'],
    ['pane.right', 'pane.below', 'pane.next', 'pane.even', 'pane.join'],
    ['terminal.rename', 'terminal.restart', 'terminal.close'],
  ],
  session: [
    ['terminal.show', 'terminal.show-right', 'terminal.show-below'],
    ['terminal.rename', 'terminal.same-folder', 'terminal.restart'],
    ['text.copy-folder', 'text.save'],
    ['tab.hide', 'terminal.close'],
  ],
  page: [['page.outside'], ['tab.to-right', 'tab.to-bottom', 'pane.carry'], ['page.close']],
};

/** The groups of a menu with what can be done now; groups without anything are left out. */
export function menuGroups(
  table: ActionTable,
  kind: MenuKind,
  state: WorkspaceState,
  sessionId: string | undefined,
): readonly (readonly Action[])[] {
  return MENUS[kind]
    .map((ids) =>
      ids
        .map((id) => table.get(id))
        .filter((action) => action !== undefined)
        .filter((action) => action.isAvailable?.(state, sessionId) !== false),
    )
    .filter((group) => group.length > 0);
}
