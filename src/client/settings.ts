/** Routes of the configuration, the logs and the diagnostics (http.md 10, 11, 19). */
import type {
  AccessEntry,
  AccessQuery,
  CaptureInput,
  CaptureStatus,
  ConfigFileName,
  ListenersReport,
  LogEntry,
  LogQuery,
  PasswordHash,
  SecretsReport,
} from '../contract/index.ts';
import { type RequestOptions, requestJson, requestTagged, type Tagged, type Transport } from './transport.ts';

export interface SaveOptions {
  /** Tag of the state that the change was made to; another state refuses it with 412. */
  ifMatch?: string;
}

export interface ConfigRoutes {
  /** All settings with their defaults, without secrets. */
  read(): Promise<Tagged<Record<string, unknown>>>;
  /** Merges these keys into the settings. Resolves to the new tag. */
  save(changes: Record<string, unknown>, options?: SaveOptions): Promise<string>;
  readFile(name: ConfigFileName): Promise<Tagged<unknown>>;
  /** Replaces the whole document. Resolves to the new tag. */
  writeFile(name: ConfigFileName, value: unknown, options?: SaveOptions): Promise<string>;
}

export interface LogRoutes {
  /** The application log, oldest first. */
  list(query?: Partial<LogQuery>): Promise<LogEntry[]>;
  /** The access log, newest last. */
  access(query?: Partial<AccessQuery>): Promise<AccessEntry[]>;
}

export interface DiagnosticRoutes {
  captureStatus(): Promise<CaptureStatus>;
  changeCapture(input: CaptureInput): Promise<CaptureStatus>;
  listeners(): Promise<ListenersReport>;
  secrets(): Promise<SecretsReport>;
  /** bcrypt of a password, for `services.auth.password_hash`. */
  hashPassword(password: string): Promise<string>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createSettingsRoutes(
  transport: Transport,
  send: Send,
): { config: ConfigRoutes; logs: LogRoutes; diagnostics: DiagnosticRoutes } {
  const json = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  const tagged = <T>({ path, ...options }: RequestOptions & { path: string }) =>
    requestTagged<T>(transport, path, options);
  const save = async (path: string, body: unknown, { ifMatch }: SaveOptions = {}) => {
    const options = send('PUT', path, body);
    const headers = ifMatch === undefined ? options.headers : { ...options.headers, 'if-match': ifMatch };
    return (await tagged({ ...options, ...(headers === undefined ? {} : { headers }) })).etag;
  };
  const query = (path: string, values: Record<string, unknown> = {}) => {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) if (value !== undefined) parameters.set(key, String(value));
    const text = parameters.toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return {
    config: {
      read: () => tagged(send('GET', '/config')),
      save: (changes, options) => save('/config', changes, options),
      readFile: (name) => tagged(send('GET', `/config/${name}`)),
      writeFile: (name, value, options) => save(`/config/${name}`, value, options),
    },
    logs: {
      list: (values) => json(send('GET', query('/logs', values))),
      access: (values) => json(send('GET', query('/logs/access', values))),
    },
    diagnostics: {
      captureStatus: () => json(send('GET', '/diagnostics/capture')),
      changeCapture: (input) => json(send('POST', '/diagnostics/capture', input)),
      listeners: () => json(send('GET', '/diagnostics/listeners')),
      secrets: () => json(send('GET', '/diagnostics/secrets')),
      hashPassword: async (password) =>
        (await json<PasswordHash>(send('POST', '/auth/hash-password', { password }))).hash,
    },
  };
}
