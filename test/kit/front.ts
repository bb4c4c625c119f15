/** The HTTP fronts over a scripted session service: real sockets, no terminals. For tests of doors, routes and streams. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { buildHttpServer, type HttpFront, type HttpServerOptions } from '../../src/api/http/index.ts';
import { createMcpEndpoint, ProtocolSessions } from '../../src/api/mcp/index.ts';
import { Bus, type Clock, systemClock } from '../../src/base/index.ts';
import {
  AppError,
  type AppEvent,
  type CloseReason,
  type CreatedSession,
  type CreateSession,
  type EventData,
  type Lifecycle,
  type ListenersReport,
  type Output,
  type OutputQuery,
  type PlainOutput,
  type PlainOutputQuery,
  type PtyHost,
  type SessionInfo,
  type SessionState,
  type ShellFamily,
  type Submit,
  type SubmitReceipt,
  type Toast,
  type WaitFor,
  type WaitOutcome,
} from '../../src/contract/index.ts';
import { type AccessService, ConnectedClients, openAccess } from '../../src/domain/access/index.ts';
import {
  createAgentLauncher,
  createAgentRecogniser,
  createAgentResumer,
  createAgentSpawner,
  createAppOpener,
  createConversations,
} from '../../src/domain/agents/index.ts';
import { type CaptureService, createCaptureService } from '../../src/domain/capture/index.ts';
import {
  type ConfigService,
  createConfigFiles,
  createPromptService,
  openConfigService,
} from '../../src/domain/config/index.ts';
import { createFolderService } from '../../src/domain/folders/index.ts';
import { type AccessLog, ApplicationLog, createAccessLog } from '../../src/domain/logs/index.ts';
import { mailMigrations, nobodyTypes, openMailRoom } from '../../src/domain/mail/index.ts';
import { peerMigrations } from '../../src/domain/peers/index.ts';
import { createProcessMonitor } from '../../src/domain/processes/index.ts';
import { createProgressService, createProgressSwitch, progressMigrations } from '../../src/domain/progress/index.ts';
import { createRepositoryService } from '../../src/domain/repositories/index.ts';
import {
  type ActivityEvidence,
  type OpenViewer,
  type ProcessRoot,
  type SessionAgent,
  type SessionService,
  sessionMigrations,
  type Viewer,
  type ViewerSink,
} from '../../src/domain/sessions/index.ts';
import { createTaskService, taskMigrations } from '../../src/domain/tasks/index.ts';
import {
  AgentTabs,
  createPictureFiles,
  followSessionEnds,
  PendingConfirms,
  WindowService,
} from '../../src/domain/ui/index.ts';
import { createUpstreamService, type UpstreamService } from '../../src/domain/upstreams/index.ts';
import { openDatabase } from '../../src/platform/database/index.ts';
import { createGit } from '../../src/platform/git/index.ts';
import { type OpenLog, openLog } from '../../src/platform/log/index.ts';
import { createSameUserCheck, isOwnAddress } from '../../src/platform/net/index.ts';
import { openSecretStore } from '../../src/platform/secrets/index.ts';
import type { Cleanup } from './cleanup.ts';
import { FakeAgents } from './fake-agents.ts';
import { FakeProcesses, processEntry } from './fake-processes.ts';
import type { Target } from './http.ts';

/** One opened viewer as the session sees it, with everything the front did to it. */
export class ScriptedViewer implements Viewer {
  readonly options: OpenViewer;
  readonly sink: ViewerSink;
  readonly calls: string[] = [];
  readonly received: Buffer[] = [];
  drains = 0;
  isDisposed = false;
  onCall: () => void = () => {};
  /** Replaced by a test that wants input to wait or to fail. */
  takeInput: (bytes: Uint8Array) => Promise<void> = async () => {};

  constructor(options: OpenViewer, sink: ViewerSink) {
    this.options = options;
    this.sink = sink;
  }

  #note(call: string): void {
    this.calls.push(call);
    this.onCall();
  }

  acknowledge(offset: number): void {
    this.#note(`ack ${offset}`);
  }

  drained(): void {
    this.drains++;
    this.onCall();
  }

  async input(bytes: Uint8Array): Promise<void> {
    await this.takeInput(bytes);
    this.received.push(Buffer.from(bytes));
    this.#note(`input ${bytes.length}`);
  }

  resize(rows: number, cols: number): void {
    if (rows < 1 || rows > 500) throw new AppError('size_out_of_range', { name: 'rows', value: rows });
    this.#note(`resize ${rows}x${cols}`);
  }

  visible(isVisible: boolean): void {
    this.#note(`visible ${isVisible}`);
  }

  dispose(): void {
    this.isDisposed = true;
    this.#note('dispose');
  }
}

const LIFECYCLES = new Map<string, Lifecycle>([
  ['known', 'live'],
  ['gone', 'lost'],
  ['ended', 'exited'],
]);

/** Knows one live session "known" (alias ab-1), one lost "gone" and one exited "ended"; records every call. */
export class ScriptedSessions implements SessionService {
  readonly settled = Promise.resolve();
  readonly calls: unknown[][] = [];
  readonly viewers: ScriptedViewer[] = [];
  /** Of the live session. */
  identity: string | undefined;
  /** What every session's evidence says. */
  state: SessionState | undefined;
  readonly liveCount = 1;
  readonly maxSessions = 50;
  /** Replaced by a test that wants the next answer to fail, to wait or to be large. */
  answerOutput: (query: OutputQuery) => Promise<Output> = async () => ({ data: '', data_length: 0, total_written: 0 });
  beforeViewer: () => Promise<void> = async () => {};
  prepareViewer: (viewer: ScriptedViewer) => void = () => {};

  #info(ref: string): SessionInfo {
    const id = ref === 'ab-1' ? 'known' : ref;
    const lifecycle = LIFECYCLES.get(id);
    if (lifecycle === undefined) throw new AppError('session_not_found');
    const place = { cwd: '/', worktree_path: null, worktree_branch: null };
    return {
      session_id: id,
      ...place,
      is_remote: true,
      lifecycle,
      alias: 'ab-1',
      created_at: 1,
      rows: 24,
      cols: 80,
      ...(this.identity === undefined ? {} : { tuic_session: this.identity }),
      ...(this.state === undefined ? {} : { state: this.state }),
    };
  }

  #call(name: string, ref: string, ...values: unknown[]): void {
    this.#info(ref);
    this.calls.push([name, ref, ...values]);
  }

  async create(input: CreateSession, origin: { isRemote: boolean }): Promise<CreatedSession> {
    this.calls.push(['create', input, origin]);
    return { session_id: 'known', alias: 'ab-1' };
  }

  list(options?: { includeExited?: boolean }): SessionInfo[] {
    return options?.includeExited ? [this.#info('known'), this.#info('ended')] : [this.#info('known')];
  }

  get(ref: string): SessionInfo {
    return this.#info(ref);
  }

  resolve(ref: string): string {
    return ref === 'ab-1' ? 'known' : ref;
  }

  async write(ref: string, data: Uint8Array): Promise<void> {
    this.#call('write', ref, Buffer.from(data).toString('utf8'));
  }

  async submit(ref: string, prompt: Submit): Promise<SubmitReceipt> {
    this.#call('submit', ref, prompt);
    return {
      submission_id: '00000000-0000-4000-8000-000000000001',
      submitted: true,
      write_state: 'complete',
      acknowledged: true,
      acknowledgement: 'terminal_output',
      retry_safe: false,
      turn_epoch: 1,
      composer_state: 'cleared',
    };
  }

  async enterLine(ref: string, text: string): Promise<void> {
    this.#call('enterLine', ref, text);
  }

  describe(ref: string, description: string | null): void {
    this.#call('describe', ref, description);
  }

  async wait(ref: string, wanted: WaitFor): Promise<WaitOutcome> {
    this.#call('wait', ref, wanted);
    return { met: true, timed_out: false, until: wanted.until, shell_state: 'idle' };
  }

  async resize(ref: string, rows: number, cols: number): Promise<void> {
    if (rows < 1 || rows > 500) throw new AppError('size_out_of_range', { name: 'rows', value: rows });
    this.#call('resize', ref, rows, cols);
  }

  async output(ref: string, query: OutputQuery): Promise<Output> {
    this.#call('output', ref, query);
    return this.answerOutput(query);
  }

  async plainOutput(ref: string, query: PlainOutputQuery): Promise<PlainOutput> {
    this.#call('plainOutput', ref, query);
    return { data: '', data_length: 0, cursor: 0, total_written: 0, scrollback_lines: 0, oldest_offset: 0 };
  }

  evidence(ref: string): ActivityEvidence | undefined {
    if (ref !== 'known') return undefined;
    return { shell_state_by: 'silence', program_status: [], dropped_reports: 0 };
  }

  lastActivity(ref: string): number {
    return this.#info(ref).created_at;
  }

  async pause(ref: string): Promise<void> {
    this.#call('pause', ref);
  }

  async resume(ref: string): Promise<void> {
    this.#call('resume', ref);
  }

  rename(ref: string, name: string | null): void {
    this.#call('rename', ref, name);
  }

  async close(ref: string): Promise<void> {
    this.#call('close', ref);
  }

  async kill(ref: string): Promise<void> {
    this.#call('kill', ref);
  }

  shellFamily(ref: string): ShellFamily | null {
    return ref === 'known' || ref === 'ab-1' ? 'posix' : null;
  }

  async foregroundProcess(ref: string): Promise<string | null> {
    this.#call('foregroundProcess', ref);
    return 'vim';
  }

  agentOf(): SessionAgent {
    return { agent_type: null, agent_session: null };
  }

  async leafPid(ref: string): Promise<number | null> {
    this.#call('leafPid', ref);
    return 42;
  }

  async workingFolder(): Promise<string | null> {
    return null;
  }

  processRoots(): ProcessRoot[] {
    return [{ sessionId: 'known', mark: 'mark of known', name: 'known', label: 'known', pid: 901 }];
  }

  async rawRing(ref: string): Promise<Uint8Array> {
    this.#call('rawRing', ref);
    return Buffer.from([0, 1, 254, 255]);
  }

  async openViewer(ref: string, options: OpenViewer, sink: ViewerSink): Promise<Viewer> {
    this.#call('openViewer', ref, options);
    await this.beforeViewer();
    const viewer = new ScriptedViewer(options, sink);
    this.prepareViewer(viewer);
    this.viewers.push(viewer);
    return viewer;
  }

  metrics() {
    return { total_spawned: 3, failed_spawns: 1, active_sessions: 1, bytes_emitted: 99, pauses_triggered: 2 };
  }
}

/** Login of the remote listener in a test; the hash has the right form and belongs to no password. */
export const TEST_LOGIN = {
  username: 'owner',
  password: 'right horse',
  hash: `$2b$12$${'a'.repeat(53)}`,
  get header(): string {
    return `Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`;
  },
};

export interface TestFront {
  readonly sessions: ScriptedSessions;
  readonly bus: Bus<AppEvent>;
  readonly access: AccessService;
  readonly clients: ConnectedClients;
  readonly tabs: AgentTabs;
  readonly config: ConfigService;
  readonly log: OpenLog;
  readonly applicationLog: ApplicationLog;
  readonly accessLog: AccessLog;
  /** Follows its configuration once a test starts its registry. */
  readonly upstreams: UpstreamService;
  readonly capture: CaptureService;
  /** Host 900 with the first process 901 of "known", and 902 below it. */
  readonly processes: FakeProcesses;
  readonly configDirectory: string;
  readonly ipc: Target & { socketPath: string };
  readonly local: Target & { port: number };
  readonly remote: Target & { port: number };
  readonly remoteCookie: string;
  readonly remoteOrigin: string;
  readonly token: string;
  readonly cookie: string;
  readonly origin: string;
  readonly fronts: readonly HttpFront[];
  shutdowns: number;
}

export interface TestFrontOptions {
  clock?: Clock;
  busCapacity?: number;
  allowedHosts?: string[];
  /** Further content of config.json. */
  settings?: Record<string, unknown>;
  staticDirectory?: string;
  /** Tabs of agents go with their sessions, as in the server; it is one more subscriber of the bus. */
  closesTabs?: boolean;
  host?: PtyHost;
  change?: (options: HttpServerOptions) => Partial<HttpServerOptions>;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

function listen(server: Server, options: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => resolve());
  });
}

export async function startFront(cleanup: Cleanup, options: TestFrontOptions = {}): Promise<TestFront> {
  const configDirectory = join(await cleanup.temporaryDirectory('tuic-f-'), 'c');
  await mkdir(configDirectory);
  const clock = options.clock ?? systemClock;
  const applicationLog = new ApplicationLog(clock);
  const log = await openLog({ level: 'debug', onLine: (line) => applicationLog.addLine(line) });
  const capture = createCaptureService({ directory: join(configDirectory, 'captures'), clock, log: log.log });
  const accessLog = createAccessLog({ directory: join(configDirectory, 'logs'), clock, log: log.log });
  const sessions = new ScriptedSessions();
  const processes = new FakeProcesses();
  processes.entries = [
    processEntry(process.pid, 1),
    processEntry(900, 1),
    processEntry(901, 900),
    processEntry(902, 901),
  ];
  const monitor = createProcessMonitor({
    inspector: processes,
    clock,
    serverPid: process.pid,
    ownMemory: () => 1_048_576,
    hostPid: () => 900,
    roots: () => sessions.processRoots(),
    log: log.log,
  });
  const monitorPage = join(configDirectory, 'monitor.html');
  await writeFile(monitorPage, '<!doctype html><style>p { margin: 0 }</style><script>void 0</script>');
  const bus = new Bus<AppEvent>(options.busCapacity);
  const clients = new ConnectedClients(clock);
  const confirms = new PendingConfirms({
    clock,
    ids: { uuid: randomUUID },
    publish: (name, data) => {
      bus.publish({ name, data } as AppEvent);
    },
  });
  const windows = new WindowService({
    clock,
    ids: { uuid: randomUUID },
    windows: clients,
    publish: (name, data) => {
      bus.publish({ name, data } as AppEvent);
    },
    log: applicationLog,
    files: createPictureFiles({
      directory: join(configDirectory, 'screenshots'),
      clock,
      ids: { uuid: randomUUID },
    }),
  });
  const tabs = new AgentTabs({
    clock,
    publish: (name, data) => {
      bus.publish({ name, data } as AppEvent);
    },
    readRepositories: async () => (await configFiles.read('repositories')).value,
    isSessionThere: (id) => sessions.list().some(({ session_id }) => session_id === id),
  });
  if (options.closesTabs === true) {
    const following = followSessionEnds(bus, tabs);
    cleanup.defer(() => following.dispose());
  }
  const auth = { username: TEST_LOGIN.username, password_hash: TEST_LOGIN.hash };
  const settings = { allowed_hosts: options.allowedHosts ?? [], services: { auth }, ...options.settings };
  await writeFile(join(configDirectory, 'config.json'), JSON.stringify(settings));
  const secrets = await openSecretStore({
    configDirectory,
    openKeyring: async () => ({ absent: 'a test has none' }),
    log: log.log,
  });
  const publish = (name: 'config-changed', data: EventData['config-changed']) => {
    bus.publish({ name, data });
  };
  const config = await openConfigService({ configDirectory, clock, log: log.log, publish, secrets });
  const access = await openAccess({
    configDirectory,
    clock,
    log: log.log,
    secrets,
    settings: () => config.current.services.auth,
    verifyPassword: async (password, hash) => hash === TEST_LOGIN.hash && password === TEST_LOGIN.password,
  });
  const socketPath = join(configDirectory, 'mcp.sock');
  let port: number | undefined;
  const front = { shutdowns: 0 };
  const fronts: HttpFront[] = [];
  const configFiles = createConfigFiles({ configDirectory, publish });
  const agents = new FakeAgents();
  const conversations = createConversations({ home: configDirectory, env: {} });
  const database = openDatabase(join(configDirectory, 'state.db'), {
    migrations: [...sessionMigrations, ...peerMigrations, ...taskMigrations, ...mailMigrations, ...progressMigrations],
  });
  const ids = { uuid: randomUUID };
  const protocolSessions = new ProtocolSessions(systemClock, ids);
  // By a clock of its own, like the endpoint: tests of the doors count the timers of theirs.
  const repositories = createRepositoryService({
    read: async () => (await configFiles.read('repositories')).value,
    git: createGit({ env: { PATH: process.env.PATH, HOME: configDirectory } }),
    // Tests of the doors count the timers of theirs.
    clock: systemClock,
    home: configDirectory,
    log: log.log,
  });
  const progress = createProgressService({
    database,
    clock,
    ids,
    repositories,
    isTracked: createProgressSwitch({
      isOn: () => config.current.progress_tracking,
      read: async () => (await configFiles.read('agents')).value,
    }),
    publish: (name, data) => {
      bus.publish({ name, data } as AppEvent);
    },
  });
  const tasks = createTaskService({ database, clock: systemClock, ids });
  const mailRoom = openMailRoom({
    database,
    // They count the subscribers of theirs too.
    bus: new Bus<AppEvent>(),
    clock: systemClock,
    ids,
    sessions,
    presence: protocolSessions,
    typer: nobodyTypes,
    publish: (name, data) => {
      bus.publish({ name, data } as AppEvent);
    },
    moveTasks: (from, to) => tasks.moveOwner(from, to),
    log: log.log,
  });
  const agentLauncher = createAgentLauncher({
    detection: agents,
    home: configDirectory,
    files: configFiles,
    log: log.log,
  });
  const parts = {
    sessions,
    mailRoom,
    tasks,
    bus,
    access,
    clients,
    confirms,
    windows,
    tabs,
    publishToast: (data: Toast) => {
      bus.publish({ name: 'mcp-toast', data });
    },
    clock,
    configDirectory,
    boot: 'b00t',
    config,
    configFiles,
    prompts: createPromptService({ files: configFiles }),
    applicationLog,
    accessLog,
    capture,
    processes: monitor,
    monitorPage,
    agents,
    agentLauncher,
    agentSpawner: createAgentSpawner({
      launcher: agentLauncher,
      sessions,
      peers: mailRoom.peers,
      parents: mailRoom.parents,
      tasks,
      deferred: { isOff: true, defer: () => {} },
      clock,
      ids: { uuid: randomUUID },
    }),
    conversations,
    agentResumer: createAgentResumer({ sessions, conversations, detection: agents }),
    appOpener: createAppOpener({
      detection: agents,
      home: configDirectory,
      platform: 'linux',
      environment: {},
      launchers: () => [],
      start: async () => {},
      openTerminal: async () => {},
    }),
    recogniseAgent: createAgentRecogniser(processes),
    folders: createFolderService({ home: configDirectory, configDirectory, defaultShell: () => '/bin/sh' }),
    repositories,
    progress,
    upstreams: createUpstreamService({
      configDirectory,
      clock: systemClock,
      vault: secrets,
      home: configDirectory,
      environment: {},
      searchPath: async () => process.env.PATH ?? '',
      own: () => ({ ports: port === undefined ? [] : [port] }),
      version: '0.1.0',
      settings: () => config.current,
      publish: (name, data) => {
        bus.publish({ name, data });
      },
      log: log.log,
    }),
    hashPassword: async (password: string) => `hash of ${password.length} characters`,
    secretsReport: () => secrets.report(),
    listenersReport: async (): Promise<ListenersReport> => ({
      ipc: { path: socketPath },
      addresses: [],
      local: { state: 'off', reason: 'a test binds its own' },
      remote: { state: 'off', reason: 'a test binds its own' },
    }),
    endLogins: async () => {
      await Promise.all(fronts.map((each) => each.endLogins()));
    },
    isSameUser: createSameUserCheck(),
    isOwnAddress,
    log: log.log,
    host: () => options.host,
    version: { version: '0.1.0', git_hash: 'abc' },
    port: () => port,
    socketPath: () => socketPath,
    requestShutdown: () => {
      front.shutdowns++;
    },
    ...(options.staticDirectory === undefined ? {} : { staticDirectory: options.staticDirectory }),
  };
  const mcp = createMcpEndpoint({
    // Its reaper runs by a clock of its own: tests of the doors count the timers of theirs.
    parts: { ...parts, clock: systemClock },
    protocolSessions,
    log: log.log,
  });
  const shared = { ...parts, mcp };
  const build = (listener: 'ipc' | 'local' | 'remote') => {
    const own: HttpServerOptions = { ...shared, listener };
    return buildHttpServer({ ...own, ...options.change?.(own) });
  };
  const ipcFront = await build('ipc');
  const localFront = await build('local');
  const remoteFront = await build('remote');
  fronts.push(ipcFront, localFront, remoteFront);
  cleanup.defer(async () => {
    for (const server of servers) server.close();
    await Promise.all(fronts.map((each) => each.close()));
    await mcp.close();
    await parts.upstreams.registry.stop();
    mailRoom.dispose();
    database.close();
    monitor.close();
    await capture.close();
    await accessLog.close();
    await log.close();
  });
  const servers = [ipcFront.createServer(), localFront.createServer(), remoteFront.createServer()] as const;
  await listen(servers[0], { path: socketPath });
  await listen(servers[1], { host: '127.0.0.1', port: 0 });
  await listen(servers[2], { host: '127.0.0.1', port: 0 });
  port = portOf(servers[1]);
  const remotePort = portOf(servers[2]);
  return Object.assign(front, {
    sessions,
    bus,
    access,
    clients,
    tabs,
    config,
    log,
    applicationLog,
    accessLog,
    upstreams: parts.upstreams,
    capture,
    processes,
    configDirectory,
    ipc: { socketPath },
    local: { port },
    remote: { port: remotePort },
    remoteCookie: `tui-session-${remotePort}=${access.issueSession(access.remoteHolder())}`,
    remoteOrigin: `http://127.0.0.1:${remotePort}`,
    token: (await readFile(join(configDirectory, 'token'), 'utf8')).trim(),
    cookie: `tui-session-${port}=${access.issueSession(`user-${process.getuid?.()}`)}`,
    origin: `http://127.0.0.1:${port}`,
    fronts,
  });
}

export const sessionClosed = (id: string, reason: CloseReason = 'process_exit'): AppEvent => ({
  name: 'session-closed',
  data: { session_id: id, reason },
});
