import { keyHint } from '../shared/action-table.ts';
import { AgentIcon, CloseIcon, FolderIcon, PlusIcon, PromptIcon } from '../shared/icons.tsx';
import { cleanText, describeAge, describeProgram, folderName, sessionAlias, sessionLabel } from '../shared/labels.ts';
import { lostAgents } from '../shared/resuming.ts';
import {
  describeStatus,
  statusDetail,
  statusOf,
  statusWord,
  suggestionsOf,
  usageText,
} from '../shared/session-status.ts';
import { StatusWord } from '../shared/status-line.tsx';
import { listedSessions, type SessionEntry } from '../shared/workspace-state.ts';
import { useMenuOpener } from './menu-opener.ts';
import { NameField } from './name-field.tsx';
import { StatusDot } from './status-dot.tsx';
import { useActions, useSlowTime, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Sidebar() {
  const workspace = useWorkspace();
  const actions = useActions();
  const isLoaded = useWorkspaceState((state) => state.isLoaded);
  const isCreating = useWorkspaceState((state) => state.isCreating);
  // The list is derived anew on each change of what it depends on.
  useWorkspaceState((state) => state.sessions);
  useWorkspaceState((state) => state.tabs);
  const sessions = listedSessions(workspace.store.getState());
  const liveCount = sessions.filter((session) => session.lifecycle === 'live').length;

  return (
    <nav className="sidebar" aria-label="Sessions">
      <header className="sidebar-head">
        <span className="brand">
          <PromptIcon />
          TUICommander
        </span>
      </header>
      <div className="new-terminal">
        <button
          type="button"
          className="button button-quiet"
          disabled={isCreating}
          title={`New terminal${keyHint(actions.get('terminal.new'))}`}
          onClick={() => void workspace.createTerminal()}
        >
          <PlusIcon />
          New terminal
        </button>
        <button
          type="button"
          className="button button-quiet"
          aria-label="New terminal in a folder"
          title={`New terminal in a folder${keyHint(actions.get('terminal.new-in'))}`}
          onClick={() => workspace.openLauncher()}
        >
          <FolderIcon />
        </button>
        <button
          type="button"
          className="button button-quiet"
          aria-label="New agent"
          title={`New agent${keyHint(actions.get('agent.new'))}`}
          onClick={() => workspace.openAgentLauncher()}
        >
          <AgentIcon />
        </button>
      </div>
      <h2 className="section-title">
        Sessions <span className="count">{isLoaded ? liveCount : ''}</span>
      </h2>
      <LostAgents />
      {isLoaded ? (
        <ul className="session-list" onKeyDown={moveFocus}>
          {sessions.map((session) => (
            <SessionRow key={session.session_id} session={session} />
          ))}
        </ul>
      ) : (
        <div className="session-list" aria-hidden="true">
          <div className="skeleton" />
          <div className="skeleton" />
          <div className="skeleton" />
        </div>
      )}
      {isLoaded && sessions.length === 0 && <p className="hint">No terminal is open.</p>}
    </nav>
  );
}

function SessionRow({ session }: { session: SessionEntry }) {
  const workspace = useWorkspace();
  const id = session.session_id;
  const isActive = useWorkspaceState((state) => state.tabs.active === id);
  const isRenaming = useWorkspaceState((state) => state.renaming?.sessionId === id && state.renaming.place === 'list');
  const now = useSlowTime();
  const menu = useMenuOpener('session', id);
  const label = sessionLabel(session);
  const alias = sessionAlias(session);
  const inFront = useWorkspaceState((state) => state.programs.get(id));
  const program = describeProgram(session, inFront);
  const status = statusOf(session);
  const detail = statusDetail(session);
  const limitEnd = useWorkspaceState((state) => state.limits.get(id));
  const usage = usageText(session);
  const details = [label === alias ? '' : alias, folderName(session.cwd)].filter((part) => part !== '').join(' · ');

  return (
    <li
      className={`session-row${isActive ? ' is-active' : ''}${status === 'asks' ? ' is-waiting' : ''}`}
      data-session-id={id}
      {...menu}
    >
      {isRenaming ? (
        <div className="session-main">
          <StatusDot session={session} />
          <NameField session={session} />
        </div>
      ) : (
        <button
          type="button"
          className="session-main"
          aria-current={isActive ? 'true' : undefined}
          title={[describeStatus(session), usage ?? '', cleanText(session.cwd ?? '')]
            .filter((part) => part !== '')
            .join(' · ')}
          disabled={session.isClosing}
          onClick={() => workspace.arrangement.show(id)}
          onDoubleClick={() => workspace.beginRename(id, 'list')}
          onKeyDown={(event) => {
            if (event.key === 'F2') workspace.beginRename(id, 'list');
            if (event.key === 'Delete') void workspace.requestClose(id);
            if (event.key === 'Escape') workspace.arrangement.focus();
          }}
        >
          <StatusDot session={session} />
          <span className="session-text">
            <span className="session-name">{label}</span>
            {detail !== undefined && (
              <span className={`session-detail is-${status}`} title={detail} data-testid="session-detail">
                <bdi>{detail}</bdi>
              </span>
            )}
            <span className="session-details">
              <StatusWord session={session} limitEnd={limitEnd} />
              {usage !== undefined && ` · ${usage}`}
              {statusWord(session) !== undefined && (program !== undefined || details !== '') && ' · '}
              {program !== undefined && (
                <span className={inFront === null ? 'session-program' : 'session-program is-other'}>{program}</span>
              )}
              {program !== undefined && details !== '' && ' · '}
              {details}
            </span>
          </span>
          <time
            hidden={session.isClosing}
            className="session-age"
            dateTime={new Date(session.created_at).toISOString()}
          >
            {describeAge(session.created_at, now)}
          </time>
        </button>
      )}
      <Suggestions session={session} />
      {session.isClosing ? (
        <button
          type="button"
          className="link-button row-undo"
          aria-label={`Undo closing ${label}`}
          onClick={() => workspace.closing.undo(id)}
        >
          Undo
        </button>
      ) : (
        <button
          type="button"
          className="icon-button row-close"
          aria-label={`Close ${label}`}
          tabIndex={-1}
          onClick={() => void workspace.requestClose(id)}
        >
          <CloseIcon />
        </button>
      )}
    </li>
  );
}

/** After the loss of their terminal host; nothing goes on by itself. */
function LostAgents() {
  const workspace = useWorkspace();
  const count = useWorkspaceState((state) => lostAgents(state.sessions).length);
  if (count === 0) return null;
  return (
    <p className="lost-agents" role="status" data-testid="lost-agents">
      <span>{count === 1 ? '1 agent lost' : `${count} agents lost`}</span>
      <button
        type="button"
        className="button"
        title="Each goes on with its conversation in a new terminal"
        onClick={() => void workspace.resuming.resumeAll()}
      >
        {count === 1 ? 'Resume' : 'Resume all'}
      </button>
    </p>
  );
}

/** What the agent offers to do next. Given to it as a prompt, when nothing speaks against it. */
function Suggestions({ session }: { session: SessionEntry }) {
  const workspace = useWorkspace();
  const suggestions = suggestionsOf(session);
  if (suggestions.length === 0) return null;
  return (
    <fieldset className="suggestions" aria-label={`What ${sessionLabel(session)} offers`}>
      {suggestions.map((text) => (
        <button
          key={text}
          type="button"
          className="suggestion"
          title={text}
          onClick={() => void workspace.suggestions.take(session.session_id, text)}
        >
          <bdi>{text}</bdi>
        </button>
      ))}
    </fieldset>
  );
}

/** Arrow keys walk through the list. */
function moveFocus(event: React.KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.target instanceof HTMLInputElement) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('button.session-main')];
  const at = document.activeElement instanceof HTMLElement ? rows.indexOf(document.activeElement) : -1;
  event.preventDefault();
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}
