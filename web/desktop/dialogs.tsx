import { type ReactNode, useEffect, useRef } from 'react';
import { cleanText, sessionLabel } from '../shared/labels.ts';
import { FONT_SIZES, type ThemeChoice } from '../shared/preferences.ts';
import { OTHER_KEYS, type Shortcut } from './shortcuts.ts';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Dialogs({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const dialog = useWorkspaceState((state) => state.dialog);
  switch (dialog?.kind) {
    case 'close':
      return <CloseDialog sessionId={dialog.sessionId} process={dialog.process} />;
    case 'shortcuts':
      return <ShortcutsDialog shortcuts={shortcuts} />;
    case 'preferences':
      return <PreferencesDialog />;
    case undefined:
      return null;
  }
}

/** The browser's own modal dialog: it keeps the focus inside and closes on Escape. */
function Modal({ title, children }: { title: string; children: ReactNode }) {
  const workspace = useWorkspace();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        workspace.closeDialog();
      }}
      onClick={(event) => {
        // Only the backdrop: what is inside has targets of its own.
        if (event.target === element.current) workspace.closeDialog();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') workspace.closeDialog();
      }}
    >
      <div className="dialog-body">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

function CloseDialog({ sessionId, process }: { sessionId: string; process: string }) {
  const workspace = useWorkspace();
  const session = useWorkspaceState((state) => state.sessions.get(sessionId));
  const label = session === undefined ? 'this terminal' : sessionLabel(session);
  return (
    <Modal title={`Close ${label}?`}>
      <p>
        <strong>{cleanText(process)}</strong> is running in it and will be ended, with everything it started.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={() => workspace.closeDialog()}>
          Keep it
        </button>
        <button type="button" className="button button-danger" onClick={() => void workspace.close(sessionId)}>
          End and close
        </button>
      </div>
    </Modal>
  );
}

function ShortcutsDialog({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const workspace = useWorkspace();
  return (
    <Modal title="Keyboard shortcuts">
      <dl className="key-list">
        {[...shortcuts, ...OTHER_KEYS].map(({ keys, label }) => (
          <div key={label} className="key-row">
            <dt>{label}</dt>
            <dd>
              <kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className="hint">In the list and on tabs: F2 renames, Delete closes. Ctrl and click opens a link.</p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => workspace.closeDialog()}>
          Done
        </button>
      </div>
    </Modal>
  );
}

const THEMES: readonly { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function PreferencesDialog() {
  const workspace = useWorkspace();
  const preferences = useWorkspaceState((state) => state.preferences);
  const { fontSize } = preferences;
  return (
    <Modal title="Preferences">
      <fieldset className="choice-row">
        <legend>Theme</legend>
        <div className="segments">
          {THEMES.map(({ value, label }) => (
            <label key={value} className={preferences.theme === value ? 'segment is-chosen' : 'segment'}>
              <input
                type="radio"
                name="theme"
                value={value}
                checked={preferences.theme === value}
                onChange={() => workspace.setPreferences({ theme: value })}
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="choice-row">
        <span id="font-size-label">Text size</span>
        <fieldset className="stepper" aria-labelledby="font-size-label">
          <button
            type="button"
            className="icon-button"
            aria-label="Smaller"
            disabled={fontSize <= FONT_SIZES.least}
            onClick={() => workspace.setPreferences({ fontSize: fontSize - 1 })}
          >
            −
          </button>
          <output>{fontSize}</output>
          <button
            type="button"
            className="icon-button"
            aria-label="Larger"
            disabled={fontSize >= FONT_SIZES.most}
            onClick={() => workspace.setPreferences({ fontSize: fontSize + 1 })}
          >
            +
          </button>
        </fieldset>
      </div>
      <label className="choice-row">
        <span>
          Screen reader text
          <small>Keeps a readable copy of the screen. Costs some speed.</small>
        </span>
        <input
          type="checkbox"
          checked={preferences.screenReader}
          onChange={(event) => workspace.setPreferences({ screenReader: event.target.checked })}
        />
      </label>
      <label className="choice-row">
        <span>
          Draw without WebGL
          <small>For graphics drivers that misbehave.</small>
        </span>
        <input
          type="checkbox"
          checked={preferences.renderer === 'dom'}
          onChange={(event) => workspace.setPreferences({ renderer: event.target.checked ? 'dom' : 'auto' })}
        />
      </label>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => workspace.closeDialog()}>
          Done
        </button>
      </div>
    </Modal>
  );
}
