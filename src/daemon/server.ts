/**
 * The composition root: builds every part once, opens the doors, and takes all down again.
 *
 * Order of the start: directory → log → configuration → database → access → sessions (built, not started) → fronts → IPC
 * socket → local and remote TCP → sessions take over what runs. The IPC socket decides between two servers that start together, so
 * nothing that touches the terminals comes before it. The takeover is not waited for: /health answers at once.
 * Order of the stop: doors → viewers and streams → screens are stored → host connection → database → log. The pty host and its
 * sessions stay.
 */

import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildHttpServer, createBootName, type HttpFront } from '../api/http/index.ts';
import { createMcpEndpoint, ProtocolSessions } from '../api/mcp/index.ts';
import { Bus, type Clock } from '../base/index.ts';
import { type AppEvent, DEADLINES, INSTANCE_FILES, LIMITS, resolveInstance, type Toast } from '../contract/index.ts';
import { ConnectedClients, openAccess } from '../domain/access/index.ts';
import {
  createAgentDetection,
  createAgentLauncher,
  createAgentRecogniser,
  createAgentResumer,
  createAgentSpawner,
  createAppOpener,
  createConversations,
  createProgramRecogniser,
  DeferredPrompts,
  findBackgroundWork,
  SessionEvidence,
} from '../domain/agents/index.ts';
import { createCaptureService } from '../domain/capture/index.ts';
import {
  createConfigFiles,
  createPromptService,
  openConfigService,
  prepareConfigDirectory,
  resolveLocalPort,
} from '../domain/config/index.ts';
import { createFolderService } from '../domain/folders/index.ts';
import { ApplicationLog, createAccessLog } from '../domain/logs/index.ts';
import { createSessionTyper, mailMigrations, openMailRoom } from '../domain/mail/index.ts';
import { peerMigrations } from '../domain/peers/index.ts';
import { createProcessMonitor } from '../domain/processes/index.ts';
import {
  createProgressService,
  createProgressSwitch,
  followIntents,
  progressMigrations,
} from '../domain/progress/index.ts';
import { createRepositoryService } from '../domain/repositories/index.ts';
import {
  createScreen,
  createSessionService,
  DEFAULT_SHELL,
  type PublishEvent,
  sessionMigrations,
  strippedEnvironment,
} from '../domain/sessions/index.ts';
import { createTaskService, followTasks, taskMigrations } from '../domain/tasks/index.ts';
import {
  AgentTabs,
  createPictureFiles,
  followSessionEnds,
  PendingConfirms,
  WindowService,
} from '../domain/ui/index.ts';
import { createUpstreamService } from '../domain/upstreams/index.ts';
import { openDatabase } from '../platform/database/index.ts';
import { createSessionFiles } from '../platform/fs/index.ts';
import { createGit } from '../platform/git/index.ts';
import { openLog } from '../platform/log/index.ts';
import { createSameUserCheck, isOwnAddress, listenIpc, listOwnAddresses } from '../platform/net/index.ts';
import { createProcessInspector, createProcessTable, startDetached } from '../platform/process/index.ts';
import { hashPassword, openKeyring, openSecretStore, verifyPassword } from '../platform/secrets/index.ts';
import { createHostSupervisor } from './host-supervisor.ts';
import { removeServerRecord, writeServerRecord } from './server-record.ts';
import { TcpListeners } from './tcp-listeners.ts';
import { Teardown } from './teardown.ts';
import { readVersion } from './version.ts';

export interface ServerInput {
  /** Absolute. */
  configDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
  pid: number;
  clock: Clock;
  /** Called when a client asks the server to end. */
  requestStop: () => void;
  /** Tells the person something that the log cannot hold. */
  warn: (message: string) => void;
}

type WriteLog = (fields: object, message: string) => void;

export interface RunningServer {
  /** Login link of the workspace; undefined when the local server is switched off. */
  readonly workspace: string | undefined;
  readonly log: { info: WriteLog; warn: WriteLog; error: WriteLog; fatal: WriteLog };
  /** Ends the server in order. Sessions keep running. */
  stop(): Promise<{ runningSessions: number }>;
  /** Lets go without storing anything: after an error that may have broken the state. */
  abandon(): Promise<void>;
}

export type StartServer = (input: ServerInput) => Promise<RunningServer>;

const PACKAGE = new URL('../../', import.meta.url);
const HOST_PROGRAM = fileURLToPath(new URL('dist/pty-host/main.cjs', PACKAGE));
const MONITOR = fileURLToPath(new URL('dist/monitor/index.html', PACKAGE));
const WORKSPACE = fileURLToPath(new URL('dist/web', PACKAGE));

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Makes an own file private before it is used; SQLite gives its side files the mode of the database. */
async function makePrivate(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

export const startServer: StartServer = async (input) => {
  const teardown = new Teardown();
  try {
    return await compose(input, teardown);
  } catch (error) {
    // Why it did not start counts; what then fails to end goes with the process.
    await teardown.run().catch((failure: unknown) => input.warn(String(failure)));
    throw error;
  }
};

async function compose(input: ServerInput, teardown: Teardown): Promise<RunningServer> {
  const { configDirectory, env, pid, clock } = input;
  const instance = resolveInstance(env);
  const early: { fields: object; message: string }[] = [];
  await prepareConfigDirectory(configDirectory, { warn: (fields, message) => early.push({ fields, message }) });
  const applicationLog = new ApplicationLog(clock);
  const logs = join(configDirectory, INSTANCE_FILES.logs);
  const openedLog = await openLog({
    directory: logs,
    onLine: (line) => applicationLog.addLine(line),
    onFailure: (error) => {
      const message = `The log cannot be written: ${error.message}`;
      input.warn(message);
      applicationLog.add({ level: 'error', source: 'server', message, audience: 'user' });
    },
  });
  const { log } = openedLog;
  teardown.add('log', () => openedLog.close());
  for (const { fields, message } of early) log.warn(fields, message);
  const accessLog = createAccessLog({ directory: logs, clock, log });
  teardown.add('access log', () => accessLog.close());

  const bus = new Bus<AppEvent>(LIMITS.busEvents);
  const publish: PublishEvent = (name, data) => {
    bus.publish({ name, data } as AppEvent);
  };
  const secrets = await openSecretStore({
    configDirectory,
    openKeyring: () => openKeyring({ env, platform: process.platform, clock }),
    log,
  });
  const [version, config, hasWorkspace] = await Promise.all([
    readVersion(PACKAGE),
    openConfigService({ configDirectory, clock, log, publish, secrets, onBroken: input.warn }),
    isDirectory(WORKSPACE),
  ]);
  const configFiles = createConfigFiles({
    configDirectory,
    publish: (name, data) => {
      publish(name, data);
      // A repository may name the MCP servers that are used in it.
      if (data.file === 'repo-settings') upstreams.registry.scopeChanged();
    },
  });
  // A port that is none is refused before anything is touched.
  resolveLocalPort(config.current, env);

  const databasePath = join(configDirectory, INSTANCE_FILES.database);
  await makePrivate(databasePath);
  const database = openDatabase(databasePath, {
    migrations: [...sessionMigrations, ...peerMigrations, ...taskMigrations, ...mailMigrations, ...progressMigrations],
    clock,
    onWriteBackFailure: (error) => log.error({ err: error }, 'the database log could not be written back'),
  });
  teardown.add('database', () => database.close());

  const access = await openAccess({
    configDirectory,
    clock,
    log,
    secrets,
    settings: () => config.current.services.auth,
    verifyPassword,
  });

  const capture = createCaptureService({ directory: join(configDirectory, INSTANCE_FILES.captures), clock, log });
  teardown.add('capture', () => capture.close());

  const hosts = createHostSupervisor({
    configDirectory,
    build: version.version,
    hostProgram: HOST_PROGRAM,
    env,
    clock,
    log: (message) => log.info({}, message),
  });
  teardown.add('connection to the terminal host', () => hosts.stop());

  const inspector = createProcessInspector();
  const sessions = createSessionService({
    hosts,
    database,
    checkpoints: createSessionFiles(join(configDirectory, 'sessions')),
    publish,
    clock,
    ids: { uuid: randomUUID },
    createScreen,
    processes: createProcessTable(),
    log,
    environment: env,
    settings: {
      maxSessions: () => config.current.max_sessions,
      shell: () => config.current.shell ?? undefined,
    },
    version: version.version,
    configDirectory,
    instance,
    tap: capture,
    createActivityReader: (agentType, hookNonce) =>
      new SessionEvidence(agentType ?? undefined, { hasProcessTable: true, hookNonce: hookNonce ?? undefined }),
    recogniseProgram: createProgramRecogniser(inspector),
    findBackgroundWork,
  });

  const protocolSessions = new ProtocolSessions(clock, { uuid: randomUUID });
  const tasks = createTaskService({ database, clock, ids: { uuid: randomUUID } });
  const typer = createSessionTyper(sessions, clock);
  teardown.add('typing for others', () => typer.dispose());
  const mailRoom = openMailRoom({
    database,
    bus,
    clock,
    ids: { uuid: randomUUID },
    sessions,
    presence: protocolSessions,
    typer,
    publish,
    moveTasks: (from, to) => tasks.moveOwner(from, to),
    log,
  });
  teardown.add('mail', () => mailRoom.dispose());
  sessions.setQueue((sessionId) => mailRoom.queue.isBusy(sessionId));
  const tasksFollow = followTasks({ bus, clock, tasks, sessions, log });
  teardown.add('tasks', () => tasksFollow.dispose());
  const processes = createProcessMonitor({
    inspector,
    clock,
    serverPid: pid,
    ownMemory: () => process.memoryUsage.rss(),
    hostPid: () => hosts.host?.hello.pid,
    roots: () => sessions.processRoots(),
    log,
  });
  teardown.add('process monitor', () => processes.close());

  const agents = createAgentDetection({
    shell: () => env.SHELL ?? config.current.shell ?? DEFAULT_SHELL,
    home: env.HOME ?? '/',
    environment: strippedEnvironment(env),
    clock,
  });
  teardown.add('agent detection', () => agents.close());
  const agentLauncher = createAgentLauncher({
    detection: agents,
    home: env.HOME ?? '/',
    files: configFiles,
    log,
  });
  const deferredPrompts = new DeferredPrompts({
    queue: mailRoom.queue,
    clock,
    notifyParent: (notice) => mailRoom.mail.notifyParent(notice),
    log,
  });
  teardown.add('prompts that wait', () => deferredPrompts.dispose());
  const conversations = createConversations({ home: env.HOME ?? '/', env });

  const upstreams = createUpstreamService({
    configDirectory,
    clock,
    vault: secrets,
    home: env.HOME ?? '/',
    environment: strippedEnvironment(env),
    searchPath: () => agents.path(),
    own: () => ({
      ports: [tcp.localPort, config.current.mcp_port, config.current.services.server.port].filter(
        (port) => port !== undefined,
      ),
    }),
    version: version.version,
    settings: () => config.current,
    publish,
    log,
  });
  teardown.add('upstream MCP servers', () => upstreams.registry.stop());

  const repositories = createRepositoryService({
    read: async () => (await configFiles.read('repositories')).value,
    git: createGit({ env }),
    clock,
    home: env.HOME ?? '/',
    log,
  });
  const progress = createProgressService({
    database,
    clock,
    ids: { uuid: randomUUID },
    repositories,
    isTracked: createProgressSwitch({
      isOn: () => config.current.progress_tracking,
      read: async () => (await configFiles.read('agents')).value,
    }),
    publish,
  });

  const intentsFollow = followIntents({ bus, progress, sessions, log });
  teardown.add('intents of agents', () => intentsFollow.dispose());

  const confirms = new PendingConfirms({ clock, ids: { uuid: randomUUID }, publish });
  const clients = new ConnectedClients(clock);
  const pictures = createPictureFiles({
    directory: join(configDirectory, INSTANCE_FILES.pictures),
    clock,
    ids: { uuid: randomUUID },
  });
  const sweepPictures = () => {
    pictures.sweep().catch((error: unknown) => log.warn({ err: error }, 'old pictures could not be removed'));
  };
  sweepPictures();
  const sweeping = clock.every(DEADLINES.pictureSweep, sweepPictures);
  teardown.add('sweeping of pictures', () => sweeping.dispose());
  const windows = new WindowService({
    clock,
    ids: { uuid: randomUUID },
    windows: clients,
    publish,
    log: applicationLog,
    files: pictures,
  });
  const tabs = new AgentTabs({
    clock,
    publish,
    readRepositories: async () => (await configFiles.read('repositories')).value,
    isSessionThere: (id) => sessions.list().some(({ session_id }) => session_id === id),
  });
  const tabsFollow = followSessionEnds(bus, tabs);
  teardown.add('tabs of agents', () => tabsFollow.dispose());
  const fronts: HttpFront[] = [];
  async function endLogins(): Promise<void> {
    await Promise.all(fronts.map((front) => front.endLogins()));
  }
  const doors: { socketPath?: string } = {};
  const parts = {
    sessions,
    mailRoom,
    tasks,
    access,
    clients,
    confirms,
    windows,
    tabs,
    publishToast: (toast: Toast) => publish('mcp-toast', toast),
    clock,
    host: () => hosts.host,
    version: { version: version.version, git_hash: version.gitHash },
    configDirectory,
    port: () => tcp.localPort,
    socketPath: () => doors.socketPath,
    requestShutdown: input.requestStop,
    bus,
    boot: createBootName(),
    config,
    configFiles,
    prompts: createPromptService({ files: configFiles }),
    applicationLog,
    accessLog,
    capture,
    processes,
    agents,
    recogniseAgent: createAgentRecogniser(inspector),
    agentSpawner: createAgentSpawner({
      launcher: agentLauncher,
      sessions,
      peers: mailRoom.peers,
      parents: mailRoom.parents,
      tasks,
      deferred: deferredPrompts,
      clock,
      ids: { uuid: randomUUID },
    }),
    agentLauncher,
    conversations,
    agentResumer: createAgentResumer({ sessions, conversations, detection: agents }),
    appOpener: createAppOpener({
      detection: agents,
      home: env.HOME ?? '/',
      platform: process.platform,
      environment: strippedEnvironment(env),
      launchers: () => config.current.custom_launchers,
      start: startDetached,
      openTerminal: (session) => sessions.create(session, { isRemote: true }),
    }),
    folders: createFolderService({
      home: env.HOME ?? '/',
      configDirectory,
      defaultShell: () => config.current.shell ?? env.SHELL ?? DEFAULT_SHELL,
    }),
    repositories,
    progress,
    upstreams,
    monitorPage: MONITOR,
    hashPassword,
    secretsReport: () => secrets.report(),
    listenersReport: async () => ({
      ipc: { path: doors.socketPath ?? '' },
      addresses: listOwnAddresses(),
      ...(await tcp.report()),
    }),
    endLogins,
    isSameUser: createSameUserCheck(),
    isOwnAddress,
    log,
    ...(hasWorkspace ? { staticDirectory: WORKSPACE } : {}),
  };
  const mcp = createMcpEndpoint({
    parts,
    protocolSessions,
    log,
  });
  teardown.add('MCP endpoint', () => mcp.close());
  const shared = { ...parts, mcp };
  const [ipcFront, localFront] = await Promise.all([
    buildHttpServer({ ...shared, listener: 'ipc' }),
    buildHttpServer({ ...shared, listener: 'local' }),
  ]);
  fronts.push(ipcFront, localFront);
  const tcp = new TcpListeners({
    settings: () => config.current,
    env,
    configDirectory,
    local: localFront,
    buildRemote: async () => {
      const front = await buildHttpServer({ ...shared, listener: 'remote' });
      fronts.push(front);
      return front;
    },
    clock,
    log,
    onLocalPort: () => writeRecord(),
  });

  const ipc = await listenIpc({
    configDirectory,
    isNamed: instance !== undefined,
    createServer: () => ipcFront.createServer(),
    clock,
    log,
  });
  doors.socketPath = ipc.path;
  teardown.add('sessions', () => sessions.stop());
  teardown.add('questions to the person', () => confirms.dispose());
  teardown.add('requests to windows', () => windows.dispose());
  teardown.add('viewers and streams', async () => {
    await Promise.all(fronts.map((front) => front.close()));
  });
  teardown.add('IPC socket', () => ipc.close());

  // Only the server that has the socket starts programs.
  upstreams.registry.start();

  log.info({ listener: 'ipc', path: ipc.path }, 'IPC listens; no change of TCP affects it');

  teardown.add('TCP listeners', () => tcp.close());
  await tcp.start();
  const { remote } = await tcp.report();
  if (remote.state === 'failed') input.warn(`Remote access does not listen: ${remote.reason}`);
  const record = { pid, started: clock.now(), version: version.version, configDirectory, socketPath: ipc.path };
  async function writeRecord(): Promise<void> {
    const port = tcp.localPort;
    await writeServerRecord(port === undefined ? record : { ...record, port });
  }
  await writeRecord();
  teardown.add('server record', () => removeServerRecord(configDirectory, pid));
  const following = config.onChange(() => {
    followConfig().catch((error: unknown) => log.error({ err: error }, 'a change of the settings has no full effect'));
  });
  teardown.add('following the settings', () => following.dispose());
  async function followConfig(): Promise<void> {
    await Promise.all([tcp.follow(), access.reloadSessionKey().then((isOther) => (isOther ? endLogins() : undefined))]);
  }

  // First: open requests hold the fronts up.
  teardown.add('waits for sessions', () => sessions.endWaits());

  sessions.start().catch((error: unknown) => {
    // Requests for a session try again; the server stays useful for everything else.
    log.error({ err: error }, 'the running sessions could not be taken over');
  });
  log.info({ ...record, port: tcp.localPort }, 'the server is ready');

  const link = () => `http://127.0.0.1:${tcp.localPort}/login?ticket=${access.issueTicket('login', false)}`;
  return {
    workspace: tcp.localPort === undefined ? undefined : link(),
    log,
    async stop() {
      const runningSessions = sessions.liveCount;
      log.info({ runningSessions }, 'the server stops');
      await teardown.run();
      return { runningSessions };
    },
    abandon: () => openedLog.close(),
  };
}
