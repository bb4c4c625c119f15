/** Sounds of agents, kept by the server for every window; notices, of this browser only. */
import { useEffect, useId, useState } from 'react';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { parseSoundSettings, SOUND_NAMES, type SoundName, type SoundSettings } from '../shared/sound.ts';
import { Switch } from './settings-look.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const LABELS: Readonly<Record<SoundName, string>> = {
  question: 'An agent waits for you',
  completion: 'An agent has finished',
  error: 'An agent has failed',
  warning: 'An agent has reached a limit',
  info: 'An agent was started by another',
  attention: 'An agent calls for attention',
};

interface Read {
  etag: string;
  value: Record<string, unknown>;
}

/** The document as it is, so that what this page knows nothing of is kept. */
function useNotifications() {
  const { client, sounds } = useWorkspace();
  const [read, setRead] = useState<Read>();
  const [problem, setProblem] = useState<string>();
  const tell = (error: unknown) => {
    if (error instanceof RequestRefused) setProblem(error.message);
    else if (error instanceof ServerUnreachable) setProblem('The server does not answer. Nothing was saved.');
    else throw error;
  };
  const load = async () => {
    const { etag, value } = await client.config.readFile('notifications');
    setRead({ etag, value: value as Record<string, unknown> });
  };
  const save = async (change: Partial<SoundSettings>) => {
    if (read === undefined) return;
    setProblem(undefined);
    try {
      const value = { ...read.value, ...change };
      // Shown at once: a slider must not wait.
      setRead({ ...read, value });
      const etag = await client.config.writeFile('notifications', value, { ifMatch: read.etag });
      setRead({ etag, value });
      await sounds.load();
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 412) {
        setProblem('Somebody else changed these settings meanwhile. You see the newest; your change was not saved.');
      } else tell(error);
      await load().catch(tell);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once; a change reads what it needs
  useEffect(() => void load().catch(tell), []);
  return { settings: read === undefined ? undefined : parseSoundSettings(read.value), problem, save };
}

export function NoticeSettings() {
  const { sounds } = useWorkspace();
  const { settings, problem, save } = useNotifications();
  const volumeId = useId();
  return (
    <>
      {problem !== undefined && (
        <p className="settings-failure" role="alert">
          {problem}
        </p>
      )}
      {settings === undefined ? (
        problem === undefined && <p role="status">Reading the settings…</p>
      ) : (
        <>
          <Switch label="Sounds" isOn={settings.enabled} onChange={(enabled) => void save({ enabled })} />
          <div className="setting-row">
            <label htmlFor={volumeId}>Volume</label>
            <input
              id={volumeId}
              className="setting-field"
              type="range"
              min={0}
              max={100}
              step={5}
              disabled={!settings.enabled}
              value={Math.round(settings.volume * 100)}
              onChange={(event) => void save({ volume: Number(event.target.value) / 100 })}
            />
          </div>
          {SOUND_NAMES.map((name) => (
            <div key={name} className="sound-row">
              <Switch
                label={LABELS[name]}
                isOn={settings.sounds[name]}
                isDisabled={!settings.enabled}
                onChange={(isOn) => void save({ sounds: { ...settings.sounds, [name]: isOn } })}
              />
              <button
                type="button"
                className="button"
                aria-label={`Listen: ${LABELS[name]}`}
                onClick={() => sounds.sound(name, settings.volume)}
              >
                Listen
              </button>
            </div>
          ))}
          <Switch
            label="Only what you asked ends with a sound"
            detail="Agents that were started from elsewhere finish in silence, unless you asked them something."
            isOn={settings.silence_remote_completions}
            isDisabled={!settings.enabled}
            onChange={(isOn) => void save({ silence_remote_completions: isOn })}
          />
        </>
      )}
      <BrowserNotices />
    </>
  );
}

function BrowserNotices() {
  const workspace = useWorkspace();
  const isOn = useWorkspaceState((state) => state.preferences.browserNotices);
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'unsupported',
  );
  const change = async (wanted: boolean) => {
    const given = wanted && permission === 'default' ? await Notification.requestPermission() : permission;
    setPermission(given);
    workspace.setPreferences({ browserNotices: wanted && given === 'granted' });
  };
  return (
    <Switch
      label="Notices of the browser"
      detail={
        permission === 'unsupported'
          ? 'This browser shows none here; over the network they need HTTPS.'
          : permission === 'denied'
            ? 'The browser forbids them for this page; its settings of the site allow them.'
            : 'While you look elsewhere, of agents that you asked something. For this browser only.'
      }
      isOn={isOn && permission === 'granted'}
      isDisabled={permission === 'unsupported' || permission === 'denied'}
      onChange={(wanted) => void change(wanted)}
    />
  );
}
