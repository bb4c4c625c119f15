import { type ReactNode, useEffect, useRef } from 'react';
import type { AgentTab } from '../../src/contract/index.ts';
import { keyHint } from '../shared/action-table.ts';
import { tabLabel } from '../shared/agent-tabs.ts';
import {
  CloseIcon,
  MoreIcon,
  PageIcon,
  PinIcon,
  PlusIcon,
  SidebarIcon,
  SplitDownIcon,
  SplitRightIcon,
} from '../shared/icons.tsx';
import { sessionAlias, sessionLabel } from '../shared/labels.ts';
import { paneById, type Side } from '../shared/layout.ts';
import type { Tabs } from '../shared/tabs.ts';
import type { SessionEntry } from '../shared/workspace-state.ts';
import { useMenuOpener } from './menu-opener.ts';
import { NameField } from './name-field.tsx';
import { StatusDot } from './status-dot.tsx';
import { SMALL_SCREEN, useActions, useMediaQuery, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export interface TabStripProps {
  /** The pane these tabs stand in; undefined while one strip holds the tabs of all panes. */
  paneId: string | undefined;
  panelId: string;
  tabs: Tabs;
  /** The strip in the corner carries the button of the session list. */
  isFirst: boolean;
  isFocused: boolean;
  drag: TabDrag;
}

/** A tab on its way to another place. */
export interface TabDrag {
  dragged: string | undefined;
  setDragged(id: string | undefined): void;
}

export function TabStrip({ paneId, panelId, tabs, isFirst, isFocused, drag }: TabStripProps) {
  const workspace = useWorkspace();
  const sessions = useWorkspaceState((state) => state.sessions);
  const agentTabs = useWorkspaceState((state) => state.agentTabs);
  const { dragged, setDragged } = drag;

  const dropAt = (event: React.DragEvent) => {
    if (dragged === undefined || paneId === undefined) return;
    event.preventDefault();
    const over = tabAt(event.target);
    if (over !== dragged)
      workspace.arrangement.moveTab(dragged, paneId, over === undefined ? undefined : tabs.order.indexOf(over));
  };

  return (
    <div className={isFocused ? 'tab-strip is-focused' : 'tab-strip'}>
      {isFirst && <SidebarButton />}
      <div
        className="tabs"
        role="none"
        onDragStart={(event) => {
          const id = tabAt(event.target);
          event.dataTransfer.effectAllowed = 'move';
          // Firefox drags only what carries something; a private type that no page or program takes as text.
          event.dataTransfer.setData('application/x-tuicommander-tab', id ?? '');
          setDragged(id);
        }}
        onDragEnd={() => setDragged(undefined)}
        onDragOver={(event) => {
          const over = tabAt(event.target);
          if (dragged === undefined || paneId === undefined) return;
          event.preventDefault();
          const isOwn = tabs.order.includes(dragged);
          if (isOwn && over !== undefined && over !== dragged) {
            workspace.arrangement.moveTab(dragged, paneId, tabs.order.indexOf(over));
          }
        }}
        onDrop={dropAt}
        onAuxClick={(event) => {
          const id = tabAt(event.target);
          if (event.button === 1 && id !== undefined) void workspace.requestClose(id);
        }}
      >
        {/* A list of tabs holds nothing but tabs, and each of these has its close button beside it. */}
        {tabs.order.length > 0 && (
          <span role="tablist" aria-label="Open tabs" aria-owns={tabs.order.map((id) => `tab-${id}`).join(' ')} />
        )}
        {tabs.order.map((id) => {
          const session = sessions.get(id);
          const agentTab = agentTabs.get(id);
          if (agentTab !== undefined) {
            return (
              <AgentTabHandle
                key={id}
                panel={id}
                tab={agentTab}
                isActive={tabs.active === id}
                isFocused={isFocused && tabs.active === id}
                isDragged={dragged === id}
                panelId={panelId}
              />
            );
          }
          if (session === undefined) return null;
          return (
            <Tab
              key={id}
              session={session}
              isActive={tabs.active === id}
              isFocused={isFocused && tabs.active === id}
              isDragged={dragged === id}
              panelId={panelId}
            />
          );
        })}
      </div>
      <StripButtons paneId={paneId} />
    </div>
  );
}

function SidebarButton() {
  const workspace = useWorkspace();
  const isSmall = useMediaQuery(SMALL_SCREEN);
  const isListOpen = useWorkspaceState((state) => (isSmall ? state.drawerOpen : state.preferences.sidebarOpen));
  return (
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
  );
}

function StripButtons({ paneId }: { paneId: string | undefined }) {
  const workspace = useWorkspace();
  const actions = useActions();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const hasTabs = useWorkspaceState((state) => state.tabs.order.length > 0);
  const active = useWorkspaceState((state) =>
    paneId === undefined ? state.tabs.active : paneById(state.layout, paneId)?.tabs.active,
  );
  const isPage = useWorkspaceState((state) => active !== undefined && state.agentTabs.has(active));
  const openMenu = (button: HTMLElement) => {
    if (paneId !== undefined) workspace.arrangement.focusPane(paneId);
    workspace.arrangement.focus();
    const { right, bottom } = button.getBoundingClientRect();
    workspace.openMenu({ kind: isPage ? 'page' : 'pane', sessionId: active, x: right, y: bottom });
  };
  const create = (side?: Side) => {
    if (paneId !== undefined) workspace.arrangement.focusPane(paneId);
    void workspace.createTerminal(undefined, side);
  };
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="New terminal"
        title="New terminal (Ctrl+Shift+Enter)"
        disabled={isCreating}
        onClick={() => create()}
      >
        <PlusIcon />
      </button>
      <span className="strip-space" />
      {paneId !== undefined && hasTabs && (
        <span className="strip-splits">
          <button
            type="button"
            className="icon-button"
            aria-label="Split to the right"
            title="New terminal to the right (Ctrl+Shift+D)"
            disabled={isCreating}
            onClick={() => create('right')}
          >
            <SplitRightIcon />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Split downwards"
            title="New terminal below (Ctrl+Shift+S)"
            disabled={isCreating}
            onClick={() => create('down')}
          >
            <SplitDownIcon />
          </button>
        </span>
      )}
      {active !== undefined && (
        <button
          type="button"
          className="icon-button"
          aria-label={isPage ? 'Menu of the tab' : 'Menu of the terminal'}
          aria-haspopup="menu"
          title={isPage ? 'Menu of the tab' : `Menu of the terminal${keyHint(actions.get('pane.menu'))}`}
          onClick={(event) => openMenu(event.currentTarget)}
        >
          <MoreIcon />
        </button>
      )}
    </>
  );
}

/** The session whose tab an event happened on. */
function tabAt(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('.tab')?.dataset.sessionId : undefined;
}

interface TabPlace {
  isActive: boolean;
  /** Active in the pane that has the keyboard. */
  isFocused: boolean;
  isDragged: boolean;
  panelId: string;
}

function Tab({ session, ...place }: TabPlace & { session: SessionEntry }) {
  const workspace = useWorkspace();
  const id = session.session_id;
  const isRenaming = useWorkspaceState((state) => state.renaming?.sessionId === id && state.renaming.place === 'tab');
  const label = sessionLabel(session);
  const alias = sessionAlias(session);
  return (
    <TabFrame
      {...place}
      id={id}
      kind="tab"
      label={label}
      title={label === alias ? alias : `${label} (${alias})`}
      mark={<StatusDot session={session} />}
      nameField={isRenaming ? <NameField session={session} /> : undefined}
      onRename={() => workspace.beginRename(id, 'tab')}
    />
  );
}

/** The tab of what an agent shows: it has another mark and no name to give. */
function AgentTabHandle({ panel, tab, ...place }: TabPlace & { panel: string; tab: AgentTab }) {
  const label = tabLabel(tab);
  return (
    <TabFrame
      {...place}
      id={panel}
      kind="page"
      label={label}
      title={`${label} (${tab.pinned ? 'pinned tab' : 'tab'} of an agent)`}
      mark={<span className="tab-mark">{tab.pinned ? <PinIcon /> : <PageIcon />}</span>}
    />
  );
}

interface TabFrameProps extends TabPlace {
  id: string;
  kind: 'tab' | 'page';
  label: string;
  title: string;
  mark: ReactNode;
  /** In place of the name while it is changed. */
  nameField?: ReactNode;
  onRename?: () => void;
}

function TabFrame({ id, kind, label, title, mark, nameField, onRename, ...place }: TabFrameProps) {
  const { isActive, isFocused, isDragged, panelId } = place;
  const workspace = useWorkspace();
  const element = useRef<HTMLDivElement>(null);
  const menu = useMenuOpener(kind, id);

  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isActive]);

  return (
    <div
      ref={element}
      className={`tab${isActive ? ' is-chosen' : ''}${isFocused ? ' is-active' : ''}${isDragged ? ' is-dragged' : ''}`}
      data-session-id={id}
      draggable={nameField === undefined}
      {...menu}
    >
      {nameField !== undefined ? (
        <span className="tab-main">
          {mark}
          {nameField}
        </span>
      ) : (
        <button
          type="button"
          role="tab"
          className="tab-main"
          id={`tab-${id}`}
          aria-selected={isActive}
          aria-controls={panelId}
          tabIndex={isActive ? 0 : -1}
          title={title}
          onClick={() => workspace.arrangement.show(id)}
          onDoubleClick={onRename}
          onKeyDown={(event) => {
            if (event.ctrlKey || event.altKey || event.metaKey) return;
            if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
              event.preventDefault();
              focusNeighbour(event.currentTarget, event.key === 'ArrowRight' ? 1 : -1);
            }
            if (event.key === 'F2') onRename?.();
            if (event.key === 'Delete') void workspace.requestClose(id);
          }}
        >
          {mark}
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
  const tabs = [...(from.closest('.tabs')?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
  const at = tabs.indexOf(from);
  tabs[(at + step + tabs.length) % tabs.length]?.focus();
}
