import { useEffect, useRef } from 'react';
import { AgentIcon, FolderIcon, PlusIcon } from '../shared/icons.tsx';
import { cleanText, describeBytes, sessionAlias } from '../shared/labels.ts';
import { copyText, describeFollow } from '../shared/links.ts';
import { canResume } from '../shared/resuming.ts';
import type { Tabs } from '../shared/tabs.ts';
import type { SessionEntry } from '../shared/workspace-state.ts';
import { AgentPanels } from './agent-panel.tsx';
import { Lazy, LazyPart } from './lazy-part.tsx';
import { useMenuOpener } from './menu-opener.ts';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

/** The place of a pane's terminals, and of what agents show over them. They are no components: they live on while other parts are drawn again. */
export function TerminalPanel({ paneId, tabs }: { paneId: string; tabs: Tabs }) {
  const { active } = tabs;
  const workspace = useWorkspace();
  const place = useRef<HTMLDivElement>(null);
  const session = useWorkspaceState((state) => (active === undefined ? undefined : state.sessions.get(active)));
  const isLoaded = useWorkspaceState((state) => state.isLoaded);
  const isPage = useWorkspaceState((state) => active !== undefined && state.agentTabs.has(active));
  const menu = useMenuOpener('pane', active);

  useEffect(() => {
    workspace.stage.setPlace(paneId, place.current ?? undefined);
    return () => workspace.stage.setPlace(paneId, undefined);
  }, [workspace, paneId]);

  return (
    <div
      className="panel"
      id={`panel-${paneId}`}
      role="tabpanel"
      aria-label={active === undefined ? 'No terminal' : undefined}
      aria-labelledby={active === undefined ? undefined : `tab-${active}`}
    >
      <div
        className="terminals"
        ref={place}
        // On its way down, before the terminal answers the click by moving its text field there.
        onContextMenuCapture={(event) => {
          event.preventDefault();
          event.stopPropagation();
          // A program that reads the mouse has the click already; Shift keeps it from the program.
          const modes = active === undefined ? undefined : workspace.stage.view(active)?.terminal.modes;
          const isTaken = modes !== undefined && modes.mouseTrackingMode !== 'none';
          if (isTaken && !event.shiftKey) return;
          // What closes the menu gives the keyboard back to this terminal.
          workspace.arrangement.focusPane(paneId);
          workspace.stage.focus();
          menu.onContextMenu(event);
        }}
        onPointerDown={menu.onPointerDown}
        onPointerMove={menu.onPointerMove}
        onPointerUp={menu.onPointerUp}
        onPointerCancel={menu.onPointerCancel}
      />
      {session !== undefined && <Overlays session={session} />}
      {session !== undefined && <LinkHint sessionId={session.session_id} />}
      {session !== undefined && <FindPlace sessionId={session.session_id} />}
      {isLoaded && session === undefined && !isPage && <EmptyPanel />}
      {session !== undefined && session.lifecycle !== 'live' && <EndBanner session={session} />}
      <AgentPanels paneId={paneId} order={tabs.order} active={active} />
    </div>
  );
}

const findBar = new LazyPart(
  async () => {
    const { FindBar, prepareFind } = await import('./find-bar.tsx');
    prepareFind();
    return FindBar;
  },
  (workspace) => workspace.closeFind(),
);

export function preloadFind(): void {
  findBar.preload();
}

function FindPlace({ sessionId }: { sessionId: string }) {
  const isOpen = useWorkspaceState((state) => state.find?.sessionId === sessionId);
  return isOpen ? <Lazy key={sessionId} part={findBar} props={{ sessionId }} /> : null;
}

function Overlays({ session }: { session: SessionEntry }) {
  const workspace = useWorkspace();
  const status = useWorkspaceState((state) => state.terminals.get(session.session_id));
  const refusedInputs = useWorkspaceState((state) => state.refusedInputs);
  const pasting = useWorkspaceState((state) => state.pasting.get(session.session_id));
  if (status === undefined) return null;
  const isCut = status.connection === 'reconnecting' && session.lifecycle === 'live';
  return (
    <>
      {isCut && (
        <div className="pill pill-warning" role="status" data-testid="reconnecting">
          <span className="spinner" aria-hidden="true" />
          <span>
            Reconnecting… This is the last known screen.{' '}
            {refusedInputs > 0 && (
              <span key={refusedInputs} className="refused">
                Typing is not sent.
              </span>
            )}
          </span>
          <button type="button" className="link-button" onClick={() => workspace.retryNow()}>
            Try now
          </button>
        </div>
      )}
      {pasting !== undefined && (
        <div className="pill pill-late pill-low" role="status" data-testid="pasting">
          <span className="spinner" aria-hidden="true" />
          Pasting {describeBytes(pasting.total)}: {Math.floor((100 * pasting.sent) / pasting.total)} %
        </div>
      )}
      {status.followsOther && status.connection === 'live' && (
        <div className="pill pill-late" role="status" data-testid="size-follows">
          Size follows another window: {status.cols} × {status.rows}
          <button
            type="button"
            className="link-button"
            onClick={() => workspace.stage.view(session.session_id)?.claimSize()}
          >
            Fit here
          </button>
        </div>
      )}
      {status.lostBytes > 0 && (
        <div className="pill pill-warning pill-low" role="status" data-testid="lost-output">
          {describeBytes(status.lostBytes)} of output were lost while the server was away.
        </div>
      )}
    </>
  );
}

/** Where the link under the pointer really leads, whatever its text says. */
function LinkHint({ sessionId }: { sessionId: string }) {
  const pointed = useWorkspaceState((state) => state.pointedLink);
  if (pointed?.sessionId !== sessionId) return null;
  return (
    <div className="link-hint" data-testid="link-hint">
      <bdi>{cleanText(copyText(pointed.target))}</bdi>
      <span>Ctrl + click: {describeFollow(pointed.target)}</span>
    </div>
  );
}

function EndBanner({ session }: { session: SessionEntry }) {
  const workspace = useWorkspace();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const id = session.session_id;
  const isLost = session.lifecycle === 'lost';
  const mayResume = canResume(session);
  const isFailure = isLost || (session.exit_code ?? 0) !== 0;
  return (
    <div className={isFailure ? 'end-banner is-failure' : 'end-banner'} role="status" data-testid="end-banner">
      <span className="end-text" title={describeEnd(session)}>
        {describeEnd(session)}
      </span>
      {mayResume && (
        <button
          type="button"
          className="button button-primary"
          title="The agent goes on with its conversation"
          onClick={() => void workspace.resuming.resume(id)}
        >
          Resume
        </button>
      )}
      <button type="button" className="button" disabled={isCreating} onClick={() => void workspace.restart(id)}>
        Start again
      </button>
      <button type="button" className="button button-quiet" onClick={() => void workspace.close(id)}>
        Close
      </button>
    </div>
  );
}

function describeEnd(session: SessionEntry): string {
  const alias = sessionAlias(session);
  if (session.lifecycle === 'lost') return 'The terminal host ended. This is the last screen it left.';
  if (session.exit_code === undefined) return `${alias} has ended.`;
  return `${alias} ended with exit code ${session.exit_code}.`;
}

function EmptyPanel() {
  const workspace = useWorkspace();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const hasSessions = useWorkspaceState((state) => state.sessions.size > 0);
  return (
    <div className="empty">
      <div className="empty-mark" aria-hidden="true">
        <span className="empty-prompt">$</span>
        <span className="empty-cursor" />
      </div>
      <h1>{hasSessions ? 'No terminal is shown' : 'No terminal is open yet'}</h1>
      <p>Terminals keep running when this window closes, and when the server restarts.</p>
      <div className="empty-actions">
        <button
          type="button"
          className="button button-primary"
          disabled={isCreating}
          onClick={() => void workspace.createTerminal()}
        >
          <PlusIcon />
          Open a terminal
        </button>
        <button type="button" className="button" onClick={() => workspace.openLauncher()}>
          <FolderIcon />
          In a folder…
        </button>
        <button type="button" className="button" onClick={() => workspace.openAgentLauncher()}>
          <AgentIcon />
          With an agent…
        </button>
      </div>
      <p className="hint">
        <kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd>
      </p>
    </div>
  );
}
