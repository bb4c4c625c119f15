/** The settings: how this browser looks, and what the server is told. Loaded when it is first opened. */
import './styles/settings.css';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { ServerSettings } from '../shared/server-settings.ts';
import { Modal } from './modal.tsx';
import { LookSettings } from './settings-look.tsx';
import { NoticeSettings } from './settings-notices.tsx';
import { CaptureSettings, DataSettings, RemoteSettings, ShellSettings } from './settings-server.tsx';
import { useWorkspace } from './workspace-context.ts';

const SECTIONS = [
  { id: 'look', label: 'Look' },
  { id: 'notices', label: 'Sounds' },
  { id: 'shell', label: 'Shell' },
  { id: 'remote', label: 'Remote access' },
  { id: 'capture', label: 'Capture' },
  { id: 'data', label: 'Data folder' },
] as const;

export function Settings() {
  const workspace = useWorkspace();
  const [section, setSection] = useState<(typeof SECTIONS)[number]['id']>('look');
  const [settings] = useState(() => new ServerSettings(workspace.client.config));
  useEffect(() => void settings.load(), [settings]);
  return (
    <Modal title="Settings" shape="wide">
      <div className="settings">
        <nav className="settings-nav" aria-label="Parts of the settings">
          {SECTIONS.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              className="settings-tab"
              aria-current={section === id ? 'page' : undefined}
              onClick={() => setSection(id)}
            >
              {label}
            </button>
          ))}
        </nav>
        <section className="settings-body" aria-label={SECTIONS.find(({ id }) => id === section)?.label}>
          {section === 'look' && <LookSettings />}
          {section === 'notices' && <NoticeSettings />}
          {section === 'shell' && (
            <OfServer settings={settings}>
              <ShellSettings settings={settings} />
            </OfServer>
          )}
          {section === 'remote' && (
            <OfServer settings={settings}>
              <RemoteSettings settings={settings} />
            </OfServer>
          )}
          {section === 'capture' && <CaptureSettings />}
          {section === 'data' && <DataSettings />}
        </section>
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => workspace.closeDialog()}>
          Done
        </button>
      </div>
    </Modal>
  );
}

/** What is true of all the server's settings: being read, not saved, saved. */
function OfServer({ settings, children }: { settings: ServerSettings; children: ReactNode }) {
  const { status, failure, conflict, undo, isSaving } = useStore(settings.store);
  return (
    <>
      {status === 'loading' && <p role="status">Reading the settings…</p>}
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}{' '}
          <button type="button" className="link-button" onClick={() => void settings.load()}>
            Read again
          </button>
        </p>
      )}
      {conflict !== undefined && (
        <p className="settings-failure" role="alert" data-testid="settings-conflict">
          Somebody else changed the settings meanwhile. You see the newest; your change was not saved.{' '}
          <button type="button" className="link-button" onClick={() => void settings.saveOver()}>
            Save mine
          </button>
        </p>
      )}
      {status === 'ready' && children}
      <p className="settings-state" role="status" data-testid="settings-state">
        {isSaving ? 'Saving…' : undo === undefined ? '' : 'Saved. '}
        {!isSaving && undo !== undefined && (
          <button type="button" className="link-button" onClick={() => void settings.undo()}>
            Undo
          </button>
        )}
      </p>
    </>
  );
}
