import { cleanText, sessionLabel } from '../shared/labels.ts';
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

const linkPicker = new LazyPart(
  async () => (await import('./link-picker.tsx')).LinkPicker,
  (workspace) => workspace.closeDialog(),
);

const settings = new LazyPart(
  async () => (await import('./settings.tsx')).Settings,
  (workspace) => workspace.closeDialog(),
);

const pasteDialog = new LazyPart(
  async () => (await import('./paste-dialog.tsx')).PasteDialog,
  (workspace) => workspace.closeDialog(),
);

const launcher = new LazyPart(
  async () => (await import('./launcher.tsx')).Launcher,
  (workspace) => workspace.closeDialog(),
);

const agentLauncher = new LazyPart(
  async () => (await import('./agent-launcher.tsx')).AgentLauncher,
  (workspace) => workspace.closeDialog(),
);

const layouts = new LazyPart(
  async () => (await import('./layouts-dialog.tsx')).LayoutsDialog,
  (workspace) => workspace.closeDialog(),
);

/** Fetches what keys open, so that it opens at once and also while the server is away. */
export function preloadDialogs(): void {
  palette.preload();
  launcher.preload();
  agentLauncher.preload();
  layouts.preload();
  keySheet.preload();
  linkPicker.preload();
  pasteDialog.preload();
}

export function Dialogs() {
  const dialog = useWorkspaceState((state) => state.dialog);
  switch (dialog?.kind) {
    case 'close':
      return <CloseDialog sessionId={dialog.sessionId} process={dialog.process} />;
    case 'paste':
      return <Lazy part={pasteDialog} props={{ sessionId: dialog.sessionId, paste: dialog.paste }} />;
    case 'new':
      return <Lazy part={launcher} props={{ side: dialog.side }} />;
    case 'new-agent':
      return <Lazy part={agentLauncher} props={{ side: dialog.side }} />;
    case 'layouts':
      return <Lazy part={layouts} props={{ renaming: dialog.renaming }} />;
    case 'shortcuts':
      return <Lazy part={keySheet} props={{}} />;
    case 'palette':
      return <Lazy part={palette} props={{}} />;
    case 'links':
      return <Lazy part={linkPicker} props={{ sessionId: dialog.sessionId }} />;
    case 'preferences':
      return <Lazy part={settings} props={{}} />;
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
