/** The typed client: one function a route, plus the two resuming streams. Holds no state of its own. */
import { type Clock, systemClock } from '../base/index.ts';
import type {
  AgentTab,
  CreatedSession,
  CreateSession,
  Health,
  HostReport,
  IssuedTicket,
  LogOutput,
  PendingConfirm,
  RawOutput,
  SessionInfo,
  ShellFamily,
  Stats,
  SubmitReceipt,
  TextOutput,
  TicketPurpose,
  Version,
  WaitOutcome,
} from '../contract/index.ts';
import { type AgentRoutes, createAgentRoutes } from './agents.ts';
import { type ByteStream, type ByteStreamListener, type ByteStreamOptions, openByteStream } from './byte-stream.ts';
import {
  type EventStream,
  type EventStreamListener,
  type EventStreamOptions,
  openEventStream,
} from './event-stream.ts';
import { createFolderRoutes, type FolderRoutes } from './folders.ts';
import { type LogStream, type LogStreamListener, type LogStreamOptions, openLogStream } from './log-stream.ts';
import { createProgressRoutes, type ProgressRoutes } from './progress.ts';
import { createRepositoryRoutes, type RepositoryRoutes } from './repositories.ts';
import { type ConfigRoutes, createSettingsRoutes, type DiagnosticRoutes, type LogRoutes } from './settings.ts';
import { type RequestOptions, request, requestJson, type Transport } from './transport.ts';
import { createUpstreamRoutes, type UpstreamRoutes } from './upstreams.ts';
import { createWindowRoutes, type WindowRoutes } from './windows.ts';

export interface Window {
  offset?: number;
  limit?: number;
  signal?: AbortSignal;
}

export interface SubmitOptions {
  /** How long the terminal is given to move. */
  timeoutMs?: number;
  /** What the session works on; null takes it away. */
  description?: string | null;
  signal?: AbortSignal;
}

export interface WaitOptions {
  until?: 'idle' | 'exited';
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface SessionRoutes {
  /** Live and lost sessions; `all` adds the exited ones that are still readable. */
  list(options?: { all?: boolean; signal?: AbortSignal }): Promise<SessionInfo[]>;
  create(input: CreateSession): Promise<CreatedSession>;
  write(id: string, data: string, signal?: AbortSignal): Promise<void>;
  /** A prompt for an idle agent. A refusal is a receipt too; send it again only when `retry_safe`. */
  submit(id: string, input: string, options?: SubmitOptions): Promise<SubmitReceipt>;
  /** Answers when it is idle or exited; `met` is false when the time was over before. */
  wait(id: string, options?: WaitOptions): Promise<WaitOutcome>;
  resize(id: string, rows: number, cols: number): Promise<void>;
  rawOutput(id: string, window?: Window): Promise<RawOutput>;
  textOutput(id: string, window?: Window): Promise<TextOutput>;
  logOutput(id: string, window?: Window): Promise<LogOutput>;
  rawRing(id: string): Promise<Uint8Array>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  rename(id: string, name: string | null): Promise<void>;
  /** Ends the session and its whole process tree; `kill` without grace time. */
  close(id: string, mode?: 'close' | 'kill'): Promise<void>;
  shellFamily(id: string): Promise<ShellFamily | null>;
  /** Name of the program in the foreground, null when it is the shell. */
  foregroundProcess(id: string): Promise<string | null>;
  leafPid(id: string): Promise<number | null>;
}

/** Questions of agents that wait for a person. */
export interface ConfirmRoutes {
  /** Oldest first. */
  list(): Promise<PendingConfirm[]>;
  /** Refused with 404 when it was answered or has ended. */
  answer(requestId: string, confirmed: boolean): Promise<void>;
}

/** Tabs that agents opened. */
export interface TabRoutes {
  /** Oldest first. */
  list(): Promise<AgentTab[]>;
  /** In every window. Refused with 404 when it is closed. */
  close(tabId: string): Promise<void>;
  /** What a tab shows, as text; `frameUrl` leads to this server. */
  read(frameUrl: string, signal?: AbortSignal): Promise<string>;
}

export interface Client {
  readonly sessions: SessionRoutes;
  readonly confirms: ConfirmRoutes;
  readonly windows: WindowRoutes;
  readonly tabs: TabRoutes;
  readonly config: ConfigRoutes;
  readonly folders: FolderRoutes;
  readonly agents: AgentRoutes;
  readonly repositories: RepositoryRoutes;
  readonly progress: ProgressRoutes;
  readonly upstreams: UpstreamRoutes;
  readonly logs: LogRoutes;
  readonly diagnostics: DiagnosticRoutes;
  health(signal?: AbortSignal): Promise<Health>;
  version(): Promise<Version>;
  stats(): Promise<Stats>;
  hostStatus(): Promise<HostReport>;
  /** Ends all terminals and the pty host. */
  stopHost(): Promise<void>;
  /** Asks the server to end in order; sessions keep running. */
  shutdown(): Promise<void>;
  createTicket(purpose?: TicketPurpose): Promise<IssuedTicket>;
  /** Tells whether this window has the focus; its event stream must be open. */
  reportFocus(clientId: string, focused: boolean): Promise<void>;
  openByteStream(id: string, listener: ByteStreamListener, options?: ByteStreamOptions): ByteStream;
  openLogStream(id: string, listener: LogStreamListener, options?: LogStreamOptions): LogStream;
  openEvents(listener: EventStreamListener, options?: EventStreamOptions): EventStream;
}

export interface ClientOptions {
  transport: Transport;
  clock?: Clock;
  random?: () => number;
  /** The window's client id: sessions it creates count as made at the workspace. */
  clientId?: string;
}

export function createClient({ transport, clock = systemClock, random, clientId }: ClientOptions): Client {
  const withRandom = random === undefined ? {} : { random };

  function send(method: string, path: string, body?: unknown): RequestOptions & { path: string } {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (clientId !== undefined) headers['x-tuic-client'] = clientId;
    if (body === undefined) return { path, method, headers };
    headers['content-type'] = 'application/json';
    return { path, method, headers, body: JSON.stringify(body) };
  }
  const json = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  const done = async (options: RequestOptions & { path: string }) => void (await json<unknown>(options));

  const output = <T>(id: string, format: string, window: Window = {}) => {
    const query = new URLSearchParams({ format });
    if (window.offset !== undefined) query.set('offset', String(window.offset));
    if (window.limit !== undefined) query.set('limit', String(window.limit));
    const options = send('GET', `${sessionPath(id)}/output?${query}`);
    return json<T>(window.signal === undefined ? options : { ...options, signal: window.signal });
  };

  const sessions: SessionRoutes = {
    list: (options) => {
      const asked = send('GET', options?.all ? '/sessions?lifecycle=all' : '/sessions');
      return json(options?.signal === undefined ? asked : { ...asked, signal: options.signal });
    },
    create: (input) => json(send('POST', '/sessions', input)),
    write: (id, data, signal) => {
      const asked = send('POST', `${sessionPath(id)}/write`, { data });
      return done(signal === undefined ? asked : { ...asked, signal });
    },
    submit: (id, input, { timeoutMs, description, signal } = {}) => {
      const body = { input, timeout_ms: timeoutMs, pty_description: description };
      const asked = send('POST', `${sessionPath(id)}/submit`, body);
      return json(signal === undefined ? asked : { ...asked, signal });
    },
    wait: (id, { until, timeoutMs, signal } = {}) => {
      const query = new URLSearchParams(until === undefined ? {} : { until });
      if (timeoutMs !== undefined) query.set('timeout_ms', String(timeoutMs));
      const asked = send('GET', `${sessionPath(id)}/wait?${query}`);
      return json(signal === undefined ? asked : { ...asked, signal });
    },
    resize: (id, rows, cols) => done(send('POST', `${sessionPath(id)}/resize`, { rows, cols })),
    rawOutput: (id, window) => output(id, 'raw', window),
    textOutput: (id, window) => output(id, 'text', window),
    logOutput: (id, window) => output(id, 'log', window),
    async rawRing(id) {
      const { path, ...options } = send('GET', `${sessionPath(id)}/raw-ring`);
      return new Uint8Array(await (await request(transport, path, options)).arrayBuffer());
    },
    pause: (id) => done(send('POST', `${sessionPath(id)}/pause`)),
    resume: (id) => done(send('POST', `${sessionPath(id)}/resume`)),
    rename: (id, name) => done(send('PUT', `${sessionPath(id)}/name`, { name })),
    close: (id, mode) => done(send('DELETE', sessionPath(id) + (mode === 'kill' ? '?mode=kill' : ''))),
    shellFamily: (id) => json(send('GET', `${sessionPath(id)}/shell-family`)),
    foregroundProcess: async (id) =>
      (await json<{ process: string | null }>(send('GET', `${sessionPath(id)}/has-foreground`))).process,
    leafPid: async (id) => (await json<{ pid: number | null }>(send('GET', `${sessionPath(id)}/leaf-pid`))).pid,
  };

  const lookUp = async (wanted: string) =>
    (await sessions.list({ all: true })).find((one) => one.session_id === wanted);
  const streams = { openSocket: (path: string) => transport.openSocket(path), lookUp, clock, ...withRandom };

  return {
    sessions,
    confirms: {
      list: () => json(send('GET', '/ui/confirms')),
      answer: (id, confirmed) => done(send('POST', `/ui/confirms/${encodeURIComponent(id)}`, { confirmed })),
    },
    tabs: {
      list: () => json(send('GET', '/ui/tabs')),
      close: (id) => done(send('DELETE', `/ui/tabs/${encodeURIComponent(id)}`)),
      async read(frameUrl, signal) {
        const { path, ...options } = send('GET', frameUrl);
        const answer = await request(transport, path, signal === undefined ? options : { ...options, signal });
        return answer.text();
      },
    },
    ...createSettingsRoutes(transport, send),
    ...createFolderRoutes(transport, send),
    ...createAgentRoutes(transport, send),
    ...createWindowRoutes(transport, send),
    ...createRepositoryRoutes(transport, send),
    ...createProgressRoutes(transport, send),
    ...createUpstreamRoutes(transport, send),
    health: (signal) => json(signal === undefined ? send('GET', '/health') : { ...send('GET', '/health'), signal }),
    version: () => json(send('GET', '/api/version')),
    stats: () => json(send('GET', '/stats')),
    hostStatus: () => json(send('GET', '/host')),
    stopHost: () => done(send('POST', '/host/stop')),
    shutdown: () => done(send('POST', '/shutdown')),
    createTicket: (purpose = 'login') => json(send('POST', '/login/ticket', { purpose })),
    reportFocus: (id, focused) => done(send('POST', `/ui/clients/${encodeURIComponent(id)}`, { focused })),
    openByteStream: (id, listener, options) => openByteStream(streams, id, listener, options),
    openLogStream: (id, listener, options) => openLogStream(streams, id, listener, options),
    openEvents: (listener, options) => openEventStream({ transport, clock, ...withRandom }, listener, options),
  };
}

function sessionPath(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}
