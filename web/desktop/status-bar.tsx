import { keyHint } from '../shared/action-table.ts';
import {
  CommandIcon,
  ContrastIcon,
  HalfIcon,
  KeyboardIcon,
  MonitorIcon,
  MoonIcon,
  PhoneIcon,
  SlidersIcon,
  SunIcon,
} from '../shared/icons.tsx';
import { cleanText, sessionAlias } from '../shared/labels.ts';
import type { ThemeChoice } from '../shared/preferences.ts';
import { waitingCount } from '../shared/session-status.ts';
import { useActions, useWorkspace, useWorkspaceState } from './workspace-context.ts';

const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'contrast',
  contrast: 'system',
};
const THEME_NAMES: Readonly<Record<ThemeChoice, string>> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
  contrast: 'high contrast',
};

const THEME_ICONS = { system: HalfIcon, light: SunIcon, dark: MoonIcon, contrast: ContrastIcon } as const;

export function StatusBar() {
  const workspace = useWorkspace();
  const actions = useActions();
  const session = useWorkspaceState((state) =>
    state.tabs.active === undefined ? undefined : state.sessions.get(state.tabs.active),
  );
  const status = useWorkspaceState((state) =>
    state.tabs.active === undefined ? undefined : state.terminals.get(state.tabs.active),
  );
  const theme = useWorkspaceState((state) => state.preferences.theme);
  const ThemeIcon = THEME_ICONS[theme];

  return (
    <section className="status-bar" aria-label="Status">
      <ConnectionState />
      <Waiting />
      {session !== undefined && (
        <>
          <span className="status-item status-alias" title="Alias of the session">
            {sessionAlias(session)}
          </span>
          <span className="status-item status-folder" title="Folder it was started in">
            <bdi>{cleanText(session.cwd ?? '')}</bdi>
          </span>
        </>
      )}
      <span className="status-space" />
      {status !== undefined && (
        <span className="status-item" title="Columns × rows" data-testid="session-size">
          {status.cols} × {status.rows}
        </span>
      )}
      {session !== undefined && <span className="status-item status-encoding">UTF-8</span>}
      <a
        className="icon-button status-page"
        href="/process/monitor"
        target="_blank"
        rel="noopener"
        aria-label="Process monitor"
        title="Process monitor, in a tab of its own"
      >
        <MonitorIcon />
      </a>
      <a
        className="icon-button status-page"
        href="/mobile"
        target="_blank"
        rel="noopener"
        aria-label="Phone page"
        title="Phone page, in a tab of its own"
      >
        <PhoneIcon />
      </a>
      <button
        type="button"
        className="icon-button"
        aria-label={`Theme: ${THEME_NAMES[theme]}`}
        title={`Theme: ${THEME_NAMES[theme]}`}
        onClick={() => workspace.setPreferences({ theme: NEXT_THEME[theme] })}
      >
        <ThemeIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Preferences"
        title="Preferences"
        onClick={() => workspace.openDialog('preferences')}
      >
        <SlidersIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="All commands"
        title={`All commands${keyHint(actions.get('palette'))}`}
        onClick={() => workspace.openDialog('palette')}
      >
        <CommandIcon />
      </button>
      <button
        type="button"
        className="icon-button status-keys"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (Ctrl+Shift+/)"
        onClick={() => workspace.openDialog('shortcuts')}
      >
        <KeyboardIcon />
      </button>
    </section>
  );
}

/** How many wait for the person; leads to them one after the other. */
function Waiting() {
  const workspace = useWorkspace();
  const actions = useActions();
  const count = useWorkspaceState((state) => waitingCount(state.sessions.values(), state.questions));
  if (count === 0) return null;
  return (
    <button
      type="button"
      className="status-item status-waiting"
      data-testid="waiting"
      title={`Next agent that waits for you${keyHint(actions.get('agent.next-waiting'))}`}
      onClick={() => workspace.waiting.next()}
    >
      <span className="dot dot-asks" aria-hidden="true" />
      {count === 1 ? '1 waits' : `${count} wait`}
      <span className="status-waiting-whom">for you</span>
    </button>
  );
}

function ConnectionState() {
  const workspace = useWorkspace();
  const connection = useWorkspaceState((state) => state.connection.kind);
  if (connection === 'reconnecting') {
    return (
      <button
        type="button"
        className="status-item connection is-reconnecting"
        data-testid="connection"
        data-state={connection}
        title="The server does not answer. Try now"
        onClick={() => workspace.retryNow()}
      >
        <span className="spinner" aria-hidden="true" />
        Reconnecting…
      </button>
    );
  }
  return (
    <span
      className={`status-item connection is-${connection}`}
      data-testid="connection"
      data-state={connection}
      role="status"
    >
      <span className="connection-dot" aria-hidden="true" />
      {connection === 'connected' ? 'Connected' : 'Connecting…'}
    </span>
  );
}
