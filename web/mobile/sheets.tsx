import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { writeClipboard } from '../shared/clipboard.ts';
import { CheckIcon, CopyIcon, EndIcon, PenIcon } from '../shared/icons.tsx';
import { cleanText, sessionLabel } from '../shared/labels.ts';
import { FONT_SIZES, type ThemeChoice } from '../shared/preferences.ts';
import { recentFolders } from '../shared/recent-places.ts';
import { usePhone, usePhoneState } from './phone-context.ts';

/** What slides up from the bottom: one at a time. */
export function Sheets() {
  const sheet = usePhoneState((state) => state.sheet);
  switch (sheet?.kind) {
    case 'new':
      return <NewSheet />;
    case 'settings':
      return <SettingsSheet />;
    case 'session':
      return <SessionSheet sessionId={sheet.sessionId} />;
    case 'rename':
      return <RenameSheet sessionId={sheet.sessionId} />;
    case 'close':
      return <CloseSheet sessionId={sheet.sessionId} process={sheet.process} />;
    case undefined:
      return null;
  }
}

/** The browser's own modal dialog: it keeps the focus inside and closes on Escape or the phone's back gesture. */
function Sheet({
  title,
  focus,
  children,
}: {
  title: string;
  focus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}) {
  const phone = usePhone();
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    element.current?.showModal();
    // Not the first field by itself: that would bring the keyboard up over what there is to choose from.
    (focus ?? element).current?.focus();
  }, [focus]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own; the click is on the backdrop
    <dialog
      ref={element}
      className="sheet"
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        phone.closeSheet();
      }}
      onClick={(event) => {
        // Only the backdrop: what is inside has targets of its own.
        if (event.target === element.current) phone.closeSheet();
      }}
    >
      <div className="sheet-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

function NewSheet() {
  const phone = usePhone();
  const sessions = usePhoneState((state) => state.sessions);
  const isCreating = usePhoneState((state) => state.isCreating);
  const [folders] = useState(() => recentFolders(sessions.values()));
  const [folder, setFolder] = useState(folders[0] ?? '');
  const [name, setName] = useState('');
  const [agents, setAgents] = useState<readonly string[]>([]);
  /** Empty for a shell. */
  const [agent, setAgent] = useState('');
  const [task, setTask] = useState('');
  useEffect(() => void phone.agentsHere().then(setAgents), [phone]);
  const open = () => {
    const place = {
      ...(folder.trim() === '' ? {} : { cwd: folder.trim() }),
      ...(name.trim() === '' ? {} : { display_name: name.trim(), display_name_is_custom: true }),
    };
    return agent === '' ? phone.create(place) : phone.startAgent({ ...place, agent_type: agent, prompt: task });
  };
  return (
    <Sheet title="New terminal">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        {agents.length > 0 && (
          <fieldset className="chips">
            <legend>What runs in it</legend>
            {['', ...agents].map((each) => (
              <button
                key={each}
                type="button"
                className={each === agent ? 'chip is-chosen' : 'chip'}
                aria-pressed={each === agent}
                onClick={() => setAgent(each)}
              >
                <bdi>{each === '' ? 'Shell' : cleanText(each)}</bdi>
              </button>
            ))}
          </fieldset>
        )}
        {agent !== '' && (
          <label className="field">
            <span>Task</span>
            <textarea
              rows={3}
              required
              value={task}
              placeholder="what it is to do"
              onChange={(event) => setTask(event.target.value)}
            />
          </label>
        )}
        {agent === 'codex' && (
          <p className="sheet-note">Codex acts without asking, unless agents.json of the server says otherwise.</p>
        )}
        <label className="field">
          <span>Folder</span>
          <input
            value={folder}
            placeholder="your home folder"
            autoCapitalize="none"
            autoCorrect="off"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setFolder(event.target.value)}
          />
        </label>
        {folders.length > 0 && (
          <fieldset className="chips">
            <legend>Recent folders</legend>
            {folders.map((each) => (
              <button
                key={each}
                type="button"
                className={each === folder ? 'chip is-chosen' : 'chip'}
                aria-pressed={each === folder}
                onClick={() => setFolder(each)}
              >
                <bdi>{cleanText(each)}</bdi>
              </button>
            ))}
          </fieldset>
        )}
        <label className="field">
          <span>Name</span>
          <input
            value={name}
            placeholder="may stay empty"
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <div className="sheet-actions">
          <button type="button" className="action" onClick={() => phone.closeSheet()}>
            Cancel
          </button>
          <button
            type="submit"
            className="action action-primary"
            disabled={isCreating || (agent !== '' && task.trim() === '')}
          >
            {agent === '' ? 'Open' : 'Start'}
          </button>
        </div>
      </form>
    </Sheet>
  );
}

function SessionSheet({ sessionId }: { sessionId: string }) {
  const phone = usePhone();
  const session = usePhoneState((state) => state.sessions.get(sessionId));
  const route = usePhoneState((state) => state.route);
  const wraps = usePhoneState((state) => state.wrapsLines);
  const [copied, setCopied] = useState<boolean>();
  if (session === undefined) return null;
  const label = sessionLabel(session);
  return (
    <Sheet title={label}>
      {session.cwd !== null && <p className="sheet-detail">{cleanText(session.cwd)}</p>}
      <ul className="menu">
        {route.page === 'session' && (
          <>
            <li>
              <button type="button" onClick={() => void writeClipboard(phone.screenText()).then(setCopied)}>
                {copied === true ? <CheckIcon /> : <CopyIcon />}
                {copied === undefined
                  ? 'Copy the screen'
                  : copied
                    ? 'Copied'
                    : 'The browser refused: select it instead'}
              </button>
            </li>
            <li>
              <label className="menu-choice">
                Wrap long lines
                <input type="checkbox" checked={wraps} onChange={(event) => phone.setWrapping(event.target.checked)} />
              </label>
            </li>
            <li>
              <TextSize />
            </li>
          </>
        )}
        <li>
          <button type="button" onClick={() => phone.openSheet({ kind: 'rename', sessionId })}>
            <PenIcon />
            Rename
          </button>
        </li>
        <li>
          <button type="button" className="is-danger" onClick={() => void phone.requestClose(sessionId)}>
            <EndIcon />
            {session.lifecycle === 'live' ? 'End and close' : 'Put away'}
          </button>
        </li>
      </ul>
      <div className="sheet-actions">
        <button type="button" className="action" onClick={() => phone.closeSheet()}>
          Done
        </button>
      </div>
    </Sheet>
  );
}

function RenameSheet({ sessionId }: { sessionId: string }) {
  const phone = usePhone();
  const session = usePhoneState((state) => state.sessions.get(sessionId));
  const [name, setName] = useState(session?.display_name ?? '');
  const field = useRef<HTMLInputElement>(null);
  return (
    <Sheet title="Rename" focus={field}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void phone.rename(sessionId, name);
        }}
      >
        <label className="field">
          <span>Name</span>
          <input
            ref={field}
            value={name}
            onFocus={(event) => event.target.select()}
            maxLength={200}
            placeholder="empty: the program's title"
            autoComplete="off"
            enterKeyHint="done"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <div className="sheet-actions">
          <button type="button" className="action" onClick={() => phone.closeSheet()}>
            Cancel
          </button>
          <button type="submit" className="action action-primary">
            Rename
          </button>
        </div>
      </form>
    </Sheet>
  );
}

function CloseSheet({ sessionId, process }: { sessionId: string; process: string }) {
  const phone = usePhone();
  const session = usePhoneState((state) => state.sessions.get(sessionId));
  return (
    <Sheet title={`Close ${session === undefined ? 'this terminal' : sessionLabel(session)}?`}>
      <p>
        <strong>{cleanText(process)}</strong> is running in it and will be ended, with everything it started.
      </p>
      <div className="sheet-actions">
        <button type="button" className="action" onClick={() => phone.closeSheet()}>
          Keep it
        </button>
        <button type="button" className="action action-danger" onClick={() => phone.beginClose(sessionId)}>
          End and close
        </button>
      </div>
    </Sheet>
  );
}

const THEMES: readonly { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'Contrast' },
];

function SettingsSheet() {
  const phone = usePhone();
  const theme = usePhoneState((state) => state.preferences.theme);
  return (
    <Sheet title="Settings">
      <fieldset className="segments">
        <legend>Theme</legend>
        {THEMES.map(({ value, label }) => (
          <label key={value} className={theme === value ? 'segment is-chosen' : 'segment'}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => phone.setPreferences({ theme: value })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <TextSize />
      <p className="hint">
        To keep this page like an app, choose “Add to home screen” in the menu of the browser.{' '}
        <a href="/index.html">Open the workspace</a> instead.
      </p>
      <div className="sheet-actions">
        <button type="button" className="action" onClick={() => phone.closeSheet()}>
          Done
        </button>
      </div>
    </Sheet>
  );
}

function TextSize() {
  const phone = usePhone();
  const fontSize = usePhoneState((state) => state.preferences.fontSize);
  const id = useId();
  return (
    <div className="menu-choice">
      <span id={id}>Text size</span>
      <fieldset className="stepper" aria-labelledby={id}>
        <button
          type="button"
          className="tool"
          aria-label="Smaller text"
          disabled={fontSize <= FONT_SIZES.least}
          onClick={() => phone.setPreferences({ fontSize: fontSize - 1 })}
        >
          −
        </button>
        <output>{fontSize}</output>
        <button
          type="button"
          className="tool"
          aria-label="Larger text"
          disabled={fontSize >= FONT_SIZES.most}
          onClick={() => phone.setPreferences({ fontSize: fontSize + 1 })}
        >
          +
        </button>
      </fieldset>
    </div>
  );
}
