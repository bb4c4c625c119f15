import { cleanText, sessionLabel } from '../shared/labels.ts';
import { FONT_SIZES, type ThemeChoice } from '../shared/preferences.ts';
import { Lazy, LazyPart } from './lazy-part.tsx';
import { Modal } from './modal.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const palette = new LazyPart(
  async () => (await import('./palette.tsx')).Palette,
  (workspace) => workspace.closeDialog(),
);
const keySheet = new LazyPart(
  async () => (await import('./key-sheet.tsx')).KeySheet,
  (workspace) => workspace.closeDialog(),
);

/** Fetches what keys open, so that it opens at once and also while the server is away. */
export function preloadDialogs(): void {
  palette.preload();
  keySheet.preload();
}

export function Dialogs() {
  const dialog = useWorkspaceState((state) => state.dialog);
  switch (dialog?.kind) {
    case 'close':
      return <CloseDialog sessionId={dialog.sessionId} process={dialog.process} />;
    case 'shortcuts':
      return <Lazy part={keySheet} props={{}} />;
    case 'palette':
      return <Lazy part={palette} props={{}} />;
    case 'preferences':
      return <PreferencesDialog />;
    case undefined:
      return null;
  }
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

const THEMES: readonly { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'Contrast' },
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
