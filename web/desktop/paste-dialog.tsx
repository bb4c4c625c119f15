/** Asks before text is pasted that would run, or that is large. Shows it as it is, hostile letters included, as text. */
import { useRef } from 'react';
import { cleanText, describeBytes, sessionLabel } from '../shared/labels.ts';
import { joinLines, type PreparedPaste } from '../terminal/paste-text.ts';
import { Modal } from './modal.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const LINES_SHOWN = 200;

export function PasteDialog({ sessionId, paste }: { sessionId: string; paste: PreparedPaste }) {
  const workspace = useWorkspace();
  const session = useWorkspaceState((state) => state.sessions.get(sessionId));
  const confirmPaste = useWorkspaceState((state) => state.preferences.confirmPaste);
  const isPasting = useRef(false);
  const label = session === undefined ? 'the terminal' : sessionLabel(session);
  const shown = paste.text.split('\r', LINES_SHOWN).map(cleanText);
  const send = (text: string) => {
    if (isPasting.current) return;
    isPasting.current = true;
    workspace.closeDialog();
    workspace.text.paste(sessionId, text);
  };
  const count = paste.lines === 1 ? 'one line' : `${paste.lines.toLocaleString('en')} lines`;
  return (
    <Modal title={`Paste ${count} into ${label}?`}>
      <p>
        {describeBytes(paste.bytes)}.{paste.text.includes('\r') && ' A shell runs each line at its end.'}
        {paste.removed > 0 && ` Control characters are left out: ${paste.removed}.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the preview scrolls, and the keyboard must reach it */}
      <pre className="paste-preview" tabIndex={0}>
        {shown.join('\n')}
        {paste.lines > LINES_SHOWN && '\n…'}
      </pre>
      <label className="check-row">
        <input
          type="checkbox"
          checked={confirmPaste}
          onChange={(event) => workspace.setPreferences({ confirmPaste: event.target.checked })}
        />
        Ask before such a paste
      </label>
      <div className="dialog-actions">
        <button type="button" className="button button-quiet" onClick={() => workspace.closeDialog()}>
          Cancel
        </button>
        {paste.lines > 1 && (
          <button type="button" className="button" onClick={() => send(joinLines(paste.text))}>
            As one line
          </button>
        )}
        <button type="button" className="button button-primary" onClick={() => send(paste.text)}>
          Paste
        </button>
      </div>
    </Modal>
  );
}
