import { useEffect, useRef, useState } from 'react';
import { sessionAlias, sessionLabel } from '../shared/labels.ts';
import type { SessionEntry } from '../shared/workspace-state.ts';
import { CloseIcon, PlusIcon, SidebarIcon } from './icons.tsx';
import { NameField } from './name-field.tsx';
import { StatusDot } from './status-dot.tsx';
import { SMALL_SCREEN, useMediaQuery, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function TabStrip() {
  const workspace = useWorkspace();
  const order = useWorkspaceState((state) => state.tabs.order);
  const sessions = useWorkspaceState((state) => state.sessions);
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const isSmall = useMediaQuery(SMALL_SCREEN);
  const isListOpen = useWorkspaceState((state) => (isSmall ? state.drawerOpen : state.preferences.sidebarOpen));
  const [dragged, setDragged] = useState<string | undefined>(undefined);

  return (
    <div className="tab-strip">
      <button
        type="button"
        className="icon-button"
        aria-label={isListOpen ? 'Hide the session list' : 'Show the session list'}
        aria-expanded={isListOpen}
        title="Session list (Ctrl+Shift+B)"
        onClick={() => workspace.toggleSidebar(isSmall)}
      >
        <SidebarIcon />
      </button>
      <div
        className="tabs"
        role="tablist"
        aria-label="Open terminals"
        tabIndex={-1}
        onDragStart={(event) => setDragged(tabAt(event.target))}
        onDragEnd={() => setDragged(undefined)}
        onDragOver={(event) => {
          const over = tabAt(event.target);
          if (dragged === undefined || over === undefined) return;
          event.preventDefault();
          if (over !== dragged) workspace.move(dragged, order.indexOf(over));
        }}
        onAuxClick={(event) => {
          const id = tabAt(event.target);
          if (event.button === 1 && id !== undefined) void workspace.requestClose(id);
        }}
      >
        {order.map((id) => {
          const session = sessions.get(id);
          return session === undefined ? null : <Tab key={id} session={session} isDragged={dragged === id} />;
        })}
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label="New terminal"
        title="New terminal (Ctrl+Shift+Enter)"
        disabled={isCreating}
        onClick={() => void workspace.createTerminal()}
      >
        <PlusIcon />
      </button>
    </div>
  );
}

/** The session whose tab an event happened on. */
function tabAt(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('.tab')?.dataset.sessionId : undefined;
}

function Tab({ session, isDragged }: { session: SessionEntry; isDragged: boolean }) {
  const workspace = useWorkspace();
  const id = session.session_id;
  const isActive = useWorkspaceState((state) => state.tabs.active === id);
  const isRenaming = useWorkspaceState((state) => state.renaming?.sessionId === id && state.renaming.place === 'tab');
  const element = useRef<HTMLDivElement>(null);
  const label = sessionLabel(session);
  const alias = sessionAlias(session);

  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isActive]);

  return (
    <div
      ref={element}
      className={`tab${isActive ? ' is-active' : ''}${isDragged ? ' is-dragged' : ''}`}
      data-session-id={id}
      draggable={!isRenaming}
    >
      {isRenaming ? (
        <span className="tab-main">
          <StatusDot session={session} />
          <NameField session={session} />
        </span>
      ) : (
        <button
          type="button"
          role="tab"
          className="tab-main"
          id={`tab-${id}`}
          aria-selected={isActive}
          aria-controls="terminal-panel"
          tabIndex={isActive ? 0 : -1}
          title={label === alias ? alias : `${label} (${alias})`}
          onClick={() => workspace.show(id)}
          onDoubleClick={() => workspace.beginRename(id, 'tab')}
          onKeyDown={(event) => {
            if (event.ctrlKey || event.altKey || event.metaKey) return;
            if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
              event.preventDefault();
              focusNeighbour(event.currentTarget, event.key === 'ArrowRight' ? 1 : -1);
            }
            if (event.key === 'F2') workspace.beginRename(id, 'tab');
            if (event.key === 'Delete') void workspace.requestClose(id);
          }}
        >
          <StatusDot session={session} />
          <span className="tab-name">{label}</span>
        </button>
      )}
      <button
        type="button"
        className="icon-button tab-close"
        aria-label={`Close ${label}`}
        title="Close (Ctrl+Shift+X)"
        tabIndex={-1}
        onClick={() => void workspace.requestClose(id)}
      >
        <CloseIcon />
      </button>
    </div>
  );
}

function focusNeighbour(from: HTMLElement, step: number): void {
  const tabs = [...(from.closest('[role=tablist]')?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
  const at = tabs.indexOf(from);
  tabs[(at + step + tabs.length) % tabs.length]?.focus();
}
