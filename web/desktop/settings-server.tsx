/** What the server is told: shell, remote access, capture; and what it keeps. */
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react';
import { useStore } from 'zustand';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { CaptureStatus, LaunchChoices, ListenersReport, StorageReport } from '../../src/contract/index.ts';
import { writeClipboard } from '../shared/clipboard.ts';
import { cleanText, describeBytes, sessionAlias, sessionLabel } from '../shared/labels.ts';
import { readPath, type ServerSettings } from '../shared/server-settings.ts';
import { listedSessions } from '../shared/workspace-state.ts';
import { QrCode } from './qr-code.tsx';
import { Switch } from './settings-look.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

/** Asks the server once, and again when told to. `problem` is what it said instead of an answer. */
function useAnswer<T>(ask: () => Promise<T>) {
  const [answer, setAnswer] = useState<T | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const run = useCallback(async (question: () => Promise<T>) => {
    try {
      setAnswer(await question());
      setProblem(undefined);
    } catch (error) {
      if (error instanceof RequestRefused) setProblem(error.message);
      else if (error instanceof ServerUnreachable) setProblem('The server does not answer.');
      else throw error;
    }
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once; `run` asks again
  useEffect(() => void run(ask), []);
  return { answer, problem, run };
}

function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className="settings-failure" role="alert">
      {text}
    </p>
  );
}

interface FieldProps {
  settings: ServerSettings;
  path: readonly string[];
  label: string;
  detail?: ReactNode;
  kind?: 'text' | 'number';
  /** Saved in place of an empty text. */
  whenEmpty?: unknown;
  choices?: readonly string[];
}

/** One value, saved when the field is left or Enter is pressed. What the server says about it stands beside it. */
function Field({ settings, path, label, detail, kind = 'text', whenEmpty = '', choices }: FieldProps) {
  const id = useId();
  const name = path.join('.');
  const stored = useStore(settings.store, (state) => readPath(state.value, path));
  const error = useStore(settings.store, (state) => state.errors[name]);
  const shown = stored === null || stored === undefined ? '' : String(stored);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const commit = () => {
    if (text === shown) return;
    const number = text.trim() === '' ? null : Number(text);
    const value = kind === 'number' ? (Number.isNaN(number) ? text : number) : text === '' ? whenEmpty : text;
    void settings.save([{ path, value }]);
  };
  return (
    <div className="setting-row">
      <label htmlFor={id}>
        {label}
        {detail !== undefined && <small>{detail}</small>}
      </label>
      <span className="setting-value">
        <input
          id={id}
          className="setting-field"
          type="text"
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          spellCheck={false}
          value={text}
          list={choices === undefined ? undefined : `${id}-choices`}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
          }}
        />
        {choices !== undefined && (
          <datalist id={`${id}-choices`}>
            {choices.map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        )}
        {error !== undefined && (
          <span id={`${id}-error`} className="setting-error" role="alert">
            {error}
          </span>
        )}
      </span>
    </div>
  );
}

export function ShellSettings({ settings }: { settings: ServerSettings }) {
  const { client } = useWorkspace();
  const { answer, problem } = useAnswer<LaunchChoices>(() => client.folders.launchChoices());
  return (
    <>
      <Problem text={problem} />
      <Field
        settings={settings}
        path={['shell']}
        label="Shell of new terminals"
        detail={
          answer === undefined ? undefined : `Empty: the usual one. New terminals start ${answer.default_shell} now.`
        }
        whenEmpty={null}
        choices={answer?.shells ?? []}
      />
      <Field settings={settings} path={['max_sessions']} label="Most terminals at once" kind="number" />
    </>
  );
}

export function RemoteSettings({ settings }: { settings: ServerSettings }) {
  const { client } = useWorkspace();
  const { answer, problem, run } = useAnswer<ListenersReport>(() => client.diagnostics.listeners());
  const value = useStore(settings.store, (state) => state.value);
  const of = (...path: string[]) => readPath(value, ['services', ...path]);
  const isOn = of('server', 'enabled') === true;
  const hasPassword = of('auth', 'password_hash_exists') === true;
  const isTls = of('tls', 'mode') === 'manual';
  // The report follows the settings: asked anew after each change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is stable, `value` is what it follows
  useEffect(() => void run(() => client.diagnostics.listeners()), [value]);
  return (
    <>
      <Switch
        label="Remote access"
        detail="Lets other machines in, with name and password."
        isOn={isOn}
        onChange={(enabled) => void settings.save([{ path: ['services', 'server', 'enabled'], value: enabled }])}
      />
      <RemoteState report={answer} />
      <Problem text={problem} />
      <Field settings={settings} path={['services', 'server', 'port']} label="Port" kind="number" />
      <Field settings={settings} path={['services', 'auth', 'username']} label="User name" />
      <Password settings={settings} hasPassword={hasPassword} />
      <Certificate settings={settings} isTls={isTls} />
    </>
  );
}

function RemoteState({ report }: { report: ListenersReport | undefined }) {
  if (report === undefined) return null;
  const { remote, addresses } = report;
  if (remote.state !== 'listening') {
    return (
      <p className={remote.state === 'failed' ? 'settings-failure' : 'hint'} role="status" data-testid="remote-state">
        {remote.state === 'failed' ? 'It does not listen: ' : 'Off: '}
        {remote.reason}
      </p>
    );
  }
  const links = addresses.map((address) => `${remote.tls ? 'https' : 'http'}://${address}:${remote.port}/`);
  return (
    <div role="status" data-testid="remote-state">
      <p>
        Listens on port {remote.port}, {remote.tls ? 'encrypted' : 'not encrypted: use it in networks you trust'}.
        {remote.reason !== undefined && ` ${remote.reason}`}
      </p>
      {links.length === 0 ? (
        <p className="hint">This machine has no address that others could reach.</p>
      ) : (
        <Addresses links={links} />
      )}
    </div>
  );
}

/** What to type elsewhere, and the chosen one of it as a code that opens the phone page. */
function Addresses({ links }: { links: readonly string[] }) {
  const name = useId();
  const [chosen, setChosen] = useState(links[0] ?? '');
  const shown = links.includes(chosen) ? chosen : (links[0] ?? '');
  const page = `${shown}mobile`;
  return (
    <div className="addresses">
      <ul className="address-list">
        {links.map((link) => (
          <li key={link}>
            <label>
              <input type="radio" name={name} checked={link === shown} onChange={() => setChosen(link)} />
              <code>{link}</code>
            </label>
            <button
              type="button"
              className="link-button"
              aria-label={`Copy ${link}`}
              onClick={() => void writeClipboard(link)}
            >
              Copy
            </button>
          </li>
        ))}
      </ul>
      <figure className="address-code">
        <QrCode text={page} />
        <figcaption>
          For the camera of a phone: <code>{page}</code> It asks for name and password there.
        </figcaption>
      </figure>
    </div>
  );
}

function Password({ settings, hasPassword }: { settings: ServerSettings; hasPassword: boolean }) {
  const { client } = useWorkspace();
  const id = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const error = useStore(settings.store, (state) => state.errors['services.auth.password_hash']);
  const save = async () => {
    try {
      const value = await client.diagnostics.hashPassword(text);
      setProblem(undefined);
      if (await settings.save([{ path: ['services', 'auth', 'password_hash'], value }])) setText('');
    } catch (cause) {
      if (cause instanceof RequestRefused) setProblem(cause.message.replace('Invalid input: password: ', 'It '));
      else if (cause instanceof ServerUnreachable) setProblem('The server does not answer. Nothing was saved.');
      else throw cause;
    }
  };
  const told = problem ?? error;
  return (
    <form
      className="setting-row"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label htmlFor={id}>
        Password
        <small>{hasPassword ? 'One is set. A new one ends all remote logins.' : 'None is set yet.'}</small>
      </label>
      <span className="setting-value">
        <span className="setting-pair">
          <input
            id={id}
            className="setting-field"
            type="password"
            autoComplete="new-password"
            value={text}
            aria-invalid={told !== undefined}
            aria-describedby={told === undefined ? undefined : `${id}-error`}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="button" disabled={text === ''}>
            Set
          </button>
        </span>
        {told !== undefined && (
          <span id={`${id}-error`} className="setting-error" role="alert">
            {told}
          </span>
        )}
      </span>
    </form>
  );
}

/** Both paths are needed at once, so they are saved together. */
function Certificate({ settings, isTls }: { settings: ServerSettings; isTls: boolean }) {
  const tls = useStore(settings.store, (state) => readPath(state.value, ['services', 'tls']));
  const error = useStore(settings.store, (state) => state.errors['services.tls']);
  const stored = (key: string) => String(readPath(tls, [key]) ?? '');
  const [cert, setCert] = useState(stored('cert_path'));
  const [key, setKey] = useState(stored('key_path'));
  const save = () =>
    void settings.save([{ path: ['services', 'tls'], value: { mode: 'manual', cert_path: cert, key_path: key } }]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label className="setting-row">
        <span>
          Certificate
          <small>Path of the PEM file on the server’s machine.</small>
        </span>
        <input className="setting-field" type="text" value={cert} onChange={(event) => setCert(event.target.value)} />
      </label>
      <label className="setting-row">
        <span>Key of the certificate</span>
        <input className="setting-field" type="text" value={key} onChange={(event) => setKey(event.target.value)} />
      </label>
      {error !== undefined && (
        <p className="setting-error" role="alert">
          {error}
        </p>
      )}
      <div className="dialog-actions">
        {isTls && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => void settings.save([{ path: ['services', 'tls'], value: { mode: 'off' } }])}
          >
            Without encryption
          </button>
        )}
        <button type="submit" className="button" disabled={cert === '' || key === ''}>
          Use this certificate
        </button>
      </div>
    </form>
  );
}

export function CaptureSettings() {
  const { client } = useWorkspace();
  const { answer, problem, run } = useAnswer<CaptureStatus>(() => client.diagnostics.captureStatus());
  const state = useWorkspaceState((whole) => whole);
  const sessions = listedSessions(state);
  const change = (enabled: boolean, sessionId?: string) =>
    void run(() =>
      client.diagnostics.changeCapture({ enabled, ...(sessionId === undefined ? {} : { session_id: sessionId }) }),
    );
  const nameOf = (id: string) => {
    const session = state.sessions.get(id);
    return session === undefined ? id.slice(0, 8) : `${sessionLabel(session)} (${sessionAlias(session)})`;
  };
  return (
    <>
      <p>
        A capture records every byte of a terminal, what you type as well, passwords included, for finding faults. A new
        start begins its files anew.
      </p>
      <Problem text={problem} />
      {answer !== undefined && (
        <>
          <p role="status" data-testid="capture-state">
            {!answer.enabled
              ? 'Nothing is recorded.'
              : answer.session_id === null
                ? 'All terminals are recorded.'
                : `${nameOf(answer.session_id)} is recorded.`}
          </p>
          <div className="setting-actions">
            {answer.enabled ? (
              <button type="button" className="button" onClick={() => change(false)}>
                Stop
              </button>
            ) : (
              <button type="button" className="button" onClick={() => change(true)}>
                Record all
              </button>
            )}
            {!answer.enabled &&
              sessions.map((session) => (
                <button
                  key={session.session_id}
                  type="button"
                  className="button button-quiet"
                  onClick={() => change(true, session.session_id)}
                >
                  Record {sessionLabel(session)}
                </button>
              ))}
          </div>
          <SizeTable
            rows={Object.entries(answer.sessions).map(([id, bytes]) => ({
              name: nameOf(id) + (answer.ended[id] === undefined ? '' : `, ended: ${answer.ended[id]}`),
              bytes,
            }))}
          />
          <p className="hint">
            Files lie in <code>{cleanText(answer.directory)}</code>
          </p>
        </>
      )}
    </>
  );
}

export function DataSettings() {
  const { client } = useWorkspace();
  const { answer, problem } = useAnswer<StorageReport>(() => client.folders.storage());
  return (
    <>
      <Problem text={problem} />
      {answer !== undefined && (
        <>
          <p className="setting-row">
            <code className="data-path" data-testid="data-path">
              {answer.directory}
            </code>
            <button type="button" className="button" onClick={() => void writeClipboard(answer.directory)}>
              Copy path
            </button>
          </p>
          <p>
            {describeBytes(answer.total_bytes)}
            {answer.truncated && ' at least'}
            {answer.free_bytes !== null && `; ${describeBytes(answer.free_bytes)} are free on its disk`}
          </p>
          <SizeTable rows={answer.entries} />
        </>
      )}
    </>
  );
}

function SizeTable({ rows }: { rows: readonly { name: string; bytes: number }[] }) {
  if (rows.length === 0) return null;
  return (
    <ul className="size-list">
      {rows.map(({ name, bytes }) => (
        <li key={name}>
          <span>{cleanText(name)}</span>
          <span>{describeBytes(bytes)}</span>
        </li>
      ))}
    </ul>
  );
}
