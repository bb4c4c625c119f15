/** The menu of a tab, a pane or a session. A modal dialog around it keeps keys and clicks of everything else away. */
import { Fragment, useLayoutEffect, useRef } from 'react';
import { type Action, chordKeys } from '../shared/action-table.ts';
import { tabLabel } from '../shared/agent-tabs.ts';
import { sessionLabel } from '../shared/labels.ts';
import { menuGroups } from '../shared/menus.ts';
import type { OpenMenu } from '../shared/workspace-state.ts';
import { actionContext } from './keys.ts';
import { isMenuKey } from './menu-opener.ts';
import { useActions, useWorkspace, useWorkspaceState } from './workspace-context.ts';

/** Pixels between a menu and the border of the window. */
const MARGIN = 6;

export function ContextMenu() {
  const menu = useWorkspaceState((state) => state.menu);
  return menu === undefined ? null : <Menu menu={menu} />;
}

function Menu({ menu }: { menu: OpenMenu }) {
  const workspace = useWorkspace();
  const table = useActions();
  const element = useRef<HTMLDialogElement>(null);
  const { kind, sessionId, x, y } = menu;
  const state = workspace.store.getState();
  const session = sessionId === undefined ? undefined : state.sessions.get(sessionId);
  // What can be done is looked up once: nothing moves under the pointer.
  const groups = useRef(menuGroups(table, kind, state, sessionId)).current;
  const tab = sessionId === undefined ? undefined : state.agentTabs.get(sessionId);
  const label =
    tab !== undefined
      ? `Menu of ${tabLabel(tab)}`
      : session === undefined
        ? 'Menu'
        : `Menu of ${sessionLabel(session)}`;

  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    dialog.showModal();
    const { width, height } = dialog.getBoundingClientRect();
    dialog.style.left = `${Math.max(MARGIN, Math.min(x, window.innerWidth - width - MARGIN))}px`;
    dialog.style.top = `${Math.max(MARGIN, Math.min(y, window.innerHeight - height - MARGIN))}px`;
    itemsOf(dialog)[0]?.focus({ preventScroll: true });
    // Closing gives the keyboard back to what had it.
    return () => dialog.close();
  }, [x, y]);

  const run = (action: Action) => {
    workspace.closeMenu();
    table.run(action, actionContext(workspace, sessionId, kind === 'session' ? 'list' : 'tab'));
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLDialogElement>) => {
    const items = itemsOf(event.currentTarget);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const { key } = event;
    if (key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (key === 'ArrowUp') items.at(at <= 0 ? -1 : at - 1)?.focus();
    else if (key === 'Home') items[0]?.focus();
    else if (key === 'End') items.at(-1)?.focus();
    else if (key === 'Escape' || key === 'Tab' || isMenuKey(event)) workspace.closeMenu();
    else if (key.length === 1 && key !== ' ' && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const begins = (item: HTMLElement) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()) === true;
      [...items.slice(at + 1), ...items].find(begins)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <dialog
      ref={element}
      className="context-menu"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        workspace.closeMenu();
      }}
      // The press, not the click: the finger of a long touch still has to be lifted.
      onPointerDown={(event) => {
        if (event.target === element.current) workspace.closeMenu();
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        if (event.target === element.current) workspace.closeMenu();
      }}
      onKeyDown={onKeyDown}
    >
      <div role="menu" aria-label={label} className="menu-items">
        {groups.map((group, index) => (
          <Fragment key={group[0]?.id}>
            {index > 0 && <hr className="menu-line" />}
            {group.map((action) => (
              <button
                key={action.id}
                type="button"
                role="menuitem"
                tabIndex={-1}
                data-action={action.id}
                className={/^(?:terminal|page)\.close$/.test(action.id) ? 'menu-item is-danger' : 'menu-item'}
                onPointerEnter={(event) => {
                  if (event.pointerType === 'mouse') event.currentTarget.focus({ preventScroll: true });
                }}
                onClick={() => run(action)}
              >
                <span>{action.title}</span>
                {action.chords?.[0] !== undefined && <small>{chordKeys(action.chords[0]).join('+')}</small>}
              </button>
            ))}
          </Fragment>
        ))}
      </div>
    </dialog>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
}
