/**
 * The registry of actions: what a caller can ask for, once, for every front. An action declares its input and calls the domain;
 * fronts (REST here, more later) only bring the input together and project the output onto their wire form.
 */
import { z } from 'zod';
import type { Clock } from '../base/index.ts';
import {
  AppError,
  accessQuerySchema,
  aiPromptSchema,
  answerConfirmSchema,
  askConfirmSchema,
  type CreatedAgentSession,
  captureSchema,
  clearProgressSchema,
  closeQuerySchema,
  correctProgressSchema,
  createAgentSessionSchema,
  createSessionSchema,
  detectAllSchema,
  detectQuerySchema,
  enterLineSchema,
  exportProgressSchema,
  focusSchema,
  folderQuerySchema,
  type Health,
  type HostReport,
  hashPasswordSchema,
  invokeScriptSchema,
  killProcessSchema,
  type ListenersReport,
  listPeersSchema,
  listQuerySchema,
  logInputSchema,
  logQuerySchema,
  mailStatusQuerySchema,
  openInAppSchema,
  openTabSchema,
  outputQuerySchema,
  type PasswordHash,
  type PtyHost,
  pauseProgressSchema,
  pictureRefusalSchema,
  plainOutputQuerySchema,
  processHistoryQuerySchema,
  progressQuerySchema,
  promptSchema,
  readInboxSchema,
  recordProgressSchema,
  registerPeerSchema,
  renameSchema,
  repositoryQuerySchema,
  resizeSchema,
  resolvePathQuerySchema,
  resumeAgentSchema,
  type SecretsReport,
  type Stats,
  saveAiPromptSchema,
  savePromptSchema,
  saveUpstreamsSchema,
  scriptOutcomeSchema,
  searchInboxSchema,
  sendMailSchema,
  showToastSchema,
  spawnAgentSchema,
  submitSchema,
  type Toast,
  takePictureSchema,
  taskQuerySchema,
  testUpstreamSchema,
  ticketSchema,
  upstreamCredentialSchema,
  upstreamNameSchema,
  type Version,
  verifySessionSchema,
  waitForMailSchema,
  waitSchema,
  writeSchema,
} from '../contract/index.ts';
import type { AccessService, ConnectedClients } from '../domain/access/index.ts';
import type {
  AgentDetection,
  AgentLauncher,
  AgentResumer,
  AgentSpawner,
  AppOpener,
  Conversations,
  RecogniseAgent,
} from '../domain/agents/index.ts';
import type { CaptureService } from '../domain/capture/index.ts';
import type { ConfigFiles, ConfigService, PromptService } from '../domain/config/index.ts';
import type { FolderService } from '../domain/folders/index.ts';
import type { AccessLog, ApplicationLog } from '../domain/logs/index.ts';
import type { MailRoom } from '../domain/mail/index.ts';
import type { ProcessMonitor } from '../domain/processes/index.ts';
import type { ProgressService } from '../domain/progress/index.ts';
import type { RepositoryService } from '../domain/repositories/index.ts';
import type { SessionService } from '../domain/sessions/index.ts';
import type { TaskService } from '../domain/tasks/index.ts';
import { type AgentTabs, type PendingConfirms, resolveSound, type WindowService } from '../domain/ui/index.ts';
import type { UpstreamService } from '../domain/upstreams/index.ts';
import { PLUGIN_GUIDE } from './plugin-guide.ts';

export type Credential = 'ipc' | 'cookie' | 'basic' | 'bearer' | 'ticket' | 'same-user' | 'none';

export interface Caller {
  readonly credential: Credential;
  /** Came in by a login in the browser, or by a ticket that such a login asked for. */
  readonly isLoggedIn: boolean;
  /** Came in by the remote listener, so it is never local (http.md 1.6). */
  readonly isRemote: boolean;
  /** The connected client that the caller says it is. */
  readonly clientId?: string;
}

export interface ActionContext {
  readonly caller: Caller;
  /** Aborts when the deadline passes or the caller leaves. */
  readonly signal: AbortSignal;
}

export interface Action<Schema extends z.ZodType, Output> {
  readonly input: Schema;
  readonly run: (input: z.output<Schema>, context: ActionContext) => Output | Promise<Output>;
}

function defineAction<Schema extends z.ZodType, Output>(
  input: Schema,
  run: Action<Schema, Output>['run'],
): Action<Schema, Output> {
  return { input, run };
}

export interface ActionDependencies {
  sessions: SessionService;
  access: AccessService;
  mailRoom: MailRoom;
  tasks: TaskService;
  clients: ConnectedClients;
  confirms: PendingConfirms;
  windows: WindowService;
  tabs: AgentTabs;
  publishToast: (toast: Toast) => void;
  clock: Clock;
  /** The connected pty host, if any. */
  host: () => PtyHost | undefined;
  version: Version;
  configDirectory: string;
  config: ConfigService;
  configFiles: ConfigFiles;
  prompts: PromptService;
  applicationLog: ApplicationLog;
  accessLog: AccessLog;
  capture: CaptureService;
  processes: ProcessMonitor;
  folders: FolderService;
  agents: AgentDetection;
  agentLauncher: AgentLauncher;
  agentSpawner: AgentSpawner;
  agentResumer: AgentResumer;
  appOpener: AppOpener;
  conversations: Conversations;
  recogniseAgent: RecogniseAgent;
  repositories: RepositoryService;
  progress: ProgressService;
  upstreams: UpstreamService;
  /** Off the event loop. */
  hashPassword: (password: string) => Promise<string>;
  secretsReport: () => SecretsReport;
  /** Settled: a change of the settings that was stored before has its effect. */
  listenersReport: () => Promise<ListenersReport>;
  /** Ends what runs by a login session, on all listeners. */
  endLogins: () => Promise<void>;
  /** Port of local TCP, undefined while it is off. */
  port: () => number | undefined;
  socketPath: () => string | undefined;
  /** Ends the server in good order. Called after the answer is out. */
  requestShutdown: () => void;
}

const nothing = z.object({});
const session = z.object({ id: z.string() });
const windowRequest = z.object({ request_id: z.string() });
const ifMatch = z.string().max(2_000).optional();
const done = { ok: true } as const;

export function createActions(dependencies: ActionDependencies) {
  const { sessions, access, clients, clock } = dependencies;
  const { mail } = dependencies.mailRoom;
  const startedAt = clock.monotonic();
  const isWorkspace = ({ clientId, isLoggedIn }: Caller) =>
    isLoggedIn && clientId !== undefined && clients.isWorkspace(clientId);

  return {
    'server.health': defineAction(nothing, (): Health => {
      const socketPath = dependencies.socketPath();
      const port = dependencies.port();
      return {
        ok: true,
        status: 'ok',
        uptime_secs: Math.floor((clock.monotonic() - startedAt) / 1_000),
        session_count: sessions.liveCount,
        protocol_version: 1,
        pid: process.pid,
        config_directory: dependencies.configDirectory,
        ...(socketPath === undefined ? {} : { socket_path: socketPath }),
        ...(port === undefined ? {} : { port }),
      };
    }),
    'server.stats': defineAction(
      nothing,
      (): Stats => ({
        active_sessions: sessions.liveCount,
        max_sessions: sessions.maxSessions,
        available_slots: Math.max(0, sessions.maxSessions - sessions.liveCount),
      }),
    ),
    'server.metrics': defineAction(nothing, () => sessions.metrics()),
    'server.version': defineAction(nothing, () => dependencies.version),
    'server.shutdown': defineAction(nothing, () => ({ ...done, session_count: sessions.liveCount })),

    'session.list': defineAction(listQuerySchema, async ({ lifecycle }) => {
      await sessions.settled;
      return sessions.list({ includeExited: lifecycle === 'all' });
    }),
    'session.create': defineAction(createSessionSchema, (input, { caller }) =>
      sessions.create(input, { isRemote: !isWorkspace(caller) }),
    ),
    'session.create-agent': defineAction(createAgentSessionSchema, async (input, { caller }) => {
      const { session: asked, warning } = await dependencies.agentLauncher.prepare(input);
      const created: CreatedAgentSession = await sessions.create(asked, { isRemote: !isWorkspace(caller) });
      return warning === undefined ? created : { ...created, launch_warning: warning };
    }),
    'session.resume-agent': defineAction(session.extend(resumeAgentSchema.shape), (input, { caller }) =>
      dependencies.agentResumer.resume(input, { isRemote: !isWorkspace(caller) }),
    ),
    'session.close': defineAction(session.extend(closeQuerySchema.shape), async ({ id, mode }) => {
      await (mode === 'kill' ? sessions.kill(id) : sessions.close(id));
      return done;
    }),
    'session.write': defineAction(session.extend(writeSchema.shape), async ({ id, data, pty_description }) => {
      await sessions.write(id, Buffer.from(data, 'utf8'));
      if (pty_description !== undefined) sessions.describe(id, pty_description);
      return done;
    }),
    'session.submit': defineAction(session.extend(submitSchema.shape), ({ id, ...prompt }, { signal }) =>
      sessions.submit(id, prompt, signal),
    ),
    'session.enter-line': defineAction(
      session.extend(enterLineSchema.shape),
      async ({ id, input, pty_description }) => {
        await sessions.enterLine(id, input);
        if (pty_description !== undefined) sessions.describe(id, pty_description);
        return done;
      },
    ),
    'session.wait': defineAction(session.extend(waitSchema.shape), ({ id, ...wanted }, { signal }) =>
      sessions.wait(id, wanted, signal),
    ),
    'session.resize': defineAction(session.extend(resizeSchema.shape), async ({ id, rows, cols }) => {
      await sessions.resize(id, rows, cols);
      return done;
    }),
    'session.pause': defineAction(session, async ({ id }) => {
      await sessions.pause(id);
      return done;
    }),
    'session.resume': defineAction(session, async ({ id }) => {
      await sessions.resume(id);
      return done;
    }),
    'session.rename': defineAction(session.extend(renameSchema.shape), ({ id, name }) => {
      sessions.rename(id, name);
      return done;
    }),
    'session.output': defineAction(session.extend(outputQuerySchema.shape), ({ id, ...query }) =>
      sessions.output(id, query),
    ),
    'session.plain-output': defineAction(session.extend(plainOutputQuerySchema.shape), ({ id, ...query }) =>
      sessions.plainOutput(id, query),
    ),
    'session.shell-family': defineAction(session, ({ id }) => sessions.shellFamily(id)),
    'session.foreground': defineAction(session, async ({ id }) => {
      const pid = await sessions.leafPid(id);
      return { agent: pid === null ? null : await dependencies.recogniseAgent(pid) };
    }),
    'session.has-foreground': defineAction(session, async ({ id }) => ({
      process: await sessions.foregroundProcess(id),
    })),
    'session.leaf-pid': defineAction(session, async ({ id }) => ({ pid: await sessions.leafPid(id) })),
    'session.evidence': defineAction(z.object({ id: z.string().optional() }), async ({ id }) => {
      await sessions.settled;
      const looked = id === undefined ? sessions.list() : [sessions.get(id)];
      return Promise.all(
        looked.map(async ({ session_id, alias, lifecycle, state }) => ({
          session_id,
          alias,
          lifecycle,
          agent_type: state?.agent_type,
          agent_state: state?.agent_state,
          shell_state: state?.shell_state,
          foreground_process: (await sessions.foregroundProcess(session_id)) ?? undefined,
          // Absent while this server has not seen the output.
          evidence: sessions.evidence(session_id),
        })),
      );
    }),
    'session.raw-ring': defineAction(session, ({ id }) => sessions.rawRing(id)),

    'clients.list': defineAction(nothing, () => clients.list()),
    'clients.focus': defineAction(focusSchema.extend({ client_id: z.string() }), ({ client_id, focused }) => {
      clients.setFocus(client_id, focused);
      return done;
    }),
    'ui.toast': defineAction(showToastSchema, ({ sound, ...toast }) => {
      dependencies.publishToast({ ...toast, sound: resolveSound(toast.level, sound) });
      return done;
    }),
    'ui.confirm': defineAction(askConfirmSchema, (question, { signal }) =>
      dependencies.confirms.ask({ kind: 'confirm', ...question }, signal),
    ),
    'ui.confirms': defineAction(nothing, () => dependencies.confirms.list()),
    'ui.answer': defineAction(answerConfirmSchema.extend({ request_id: z.string() }), ({ request_id, confirmed }) => {
      dependencies.confirms.answer(request_id, confirmed);
      return done;
    }),
    'ui.tab': defineAction(openTabSchema, (tab) => dependencies.tabs.open(tab)),
    'ui.tabs': defineAction(nothing, () => dependencies.tabs.list()),
    'ui.close-tab': defineAction(z.object({ tab_id: z.string() }), ({ tab_id }) => {
      dependencies.tabs.close(tab_id);
      return done;
    }),
    'login.ticket': defineAction(ticketSchema, ({ purpose }, { caller }) => ({
      ticket: access.issueTicket(purpose, caller.isLoggedIn),
      isLogin: purpose === 'login',
      port: dependencies.port(),
    })),

    'config.read': defineAction(nothing, () => dependencies.config.read()),
    'config.save': defineAction(
      z.object({ changes: z.record(z.string(), z.unknown()), ifMatch }),
      ({ changes, ifMatch: tag }) => dependencies.config.save(changes, tag === undefined ? {} : { ifMatch: tag }),
    ),
    'config.file.read': defineAction(z.object({ file: z.string() }), ({ file }) => dependencies.configFiles.read(file)),
    'config.file.write': defineAction(
      z.object({ file: z.string(), value: z.unknown(), ifMatch }),
      ({ file, value, ifMatch: tag }) =>
        dependencies.configFiles.write(file, value, tag === undefined ? {} : { ifMatch: tag }),
    ),
    'auth.hash-password': defineAction(
      hashPasswordSchema,
      async ({ password }): Promise<PasswordHash> => ({ hash: await dependencies.hashPassword(password) }),
    ),
    'auth.rotate-token': defineAction(nothing, async () => {
      await access.rotateSessions();
      await dependencies.endLogins();
      return done;
    }),
    'diagnostics.listeners': defineAction(nothing, () => dependencies.listenersReport()),
    'diagnostics.secrets': defineAction(nothing, () => dependencies.secretsReport()),

    'capture.status': defineAction(nothing, () => dependencies.capture.status()),
    'capture.change': defineAction(captureSchema, ({ enabled, session_id }) =>
      dependencies.capture.change({
        enabled,
        // Refused here when there is none of that name.
        ...(session_id === undefined ? {} : { session_id: sessions.get(session_id).session_id }),
      }),
    ),

    'ai-prompt.list': defineAction(nothing, () => dependencies.prompts.listServices()),
    'ai-prompt.load': defineAction(aiPromptSchema, ({ service }) => dependencies.prompts.loadService(service)),
    'ai-prompt.save': defineAction(saveAiPromptSchema, async ({ service, prompt }) => {
      await dependencies.prompts.saveService(service, prompt);
      return done;
    }),
    'prompt.list': defineAction(nothing, () => dependencies.prompts.list()),
    'prompt.load': defineAction(promptSchema, ({ id }) => dependencies.prompts.load(id)),
    'prompt.save': defineAction(savePromptSchema, async (prompt) => {
      await dependencies.prompts.save(prompt);
      return done;
    }),
    'logs.list': defineAction(logQuerySchema, (query) => dependencies.applicationLog.list(query)),
    'logs.add': defineAction(logInputSchema, (input) => dependencies.applicationLog.add(input)),
    'logs.clear': defineAction(nothing, () => dependencies.applicationLog.clear()),
    'logs.access': defineAction(accessQuerySchema, ({ session_id, ...query }) =>
      dependencies.accessLog.read({
        ...query,
        ...(session_id === undefined ? {} : { session_id: sessions.resolve(session_id) }),
      }),
    ),

    'process.stats': defineAction(nothing, async () => {
      await sessions.settled;
      return dependencies.processes.stats();
    }),
    'process.history': defineAction(processHistoryQuerySchema, async ({ after }) => {
      await sessions.settled;
      return dependencies.processes.history(after);
    }),
    'process.kill': defineAction(killProcessSchema, (input) => dependencies.processes.kill(input)),

    'repository.info': defineAction(repositoryQuerySchema, ({ path }) => dependencies.repositories.info(path)),
    'repository.list': defineAction(nothing, () => dependencies.repositories.list()),
    'repository.active': defineAction(nothing, () => dependencies.repositories.active()),

    'progress.record': defineAction(recordProgressSchema, (input) => dependencies.progress.record(input)),
    'progress.list': defineAction(progressQuerySchema, (query) => dependencies.progress.list(query)),
    'progress.pause': defineAction(pauseProgressSchema, async ({ path, paused }) => {
      await dependencies.progress.pause(path, paused);
      return done;
    }),
    'progress.clear': defineAction(clearProgressSchema, ({ path, before }) =>
      dependencies.progress.clear(path, before),
    ),
    'progress.correct': defineAction(
      z.object({ entry_id: z.string() }).and(correctProgressSchema),
      ({ entry_id, ...change }) => dependencies.progress.correct(entry_id, change),
    ),
    'progress.export': defineAction(exportProgressSchema, ({ path, format }) =>
      dependencies.progress.export(path, format),
    ),

    'folders.list': defineAction(folderQuerySchema, ({ path, prefix }, { signal }) =>
      dependencies.folders.list(path, prefix, signal),
    ),
    'folders.resolve': defineAction(resolvePathQuerySchema, async ({ cwd, candidate, session: ref }) => {
      const working = ref === undefined ? null : await sessions.workingFolder(ref);
      // A text without a folder to count from may still be absolute.
      return dependencies.folders.resolve(working === null || working === cwd ? [cwd] : [working, cwd], candidate);
    }),
    'launch.choices': defineAction(nothing, () => dependencies.folders.launchChoices()),
    'diagnostics.storage': defineAction(nothing, (_, { signal }) => dependencies.folders.storage(signal)),

    'agent.list': defineAction(nothing, () => dependencies.agents.agents()),
    'agent.editors': defineAction(nothing, () => dependencies.agents.editors()),
    'agent.detect': defineAction(detectQuerySchema, async ({ binary }) => {
      if (binary === undefined) {
        const [agents, ides] = await Promise.all([dependencies.agents.agents(), dependencies.agents.editors()]);
        return { agents, ides };
      }
      const found = await dependencies.agents.agent(binary);
      return found === undefined ? { error: 'Unknown agent' } : { path: found.path, version: found.version };
    }),
    'agent.detect-all': defineAction(detectAllSchema, async ({ binaries }) => {
      const paths = await dependencies.agents.programs(binaries);
      return Object.fromEntries([...paths].map(([name, path]) => [name, { path, version: null }]));
    }),
    'agent.spawn': defineAction(spawnAgentSchema, (input) => dependencies.agentSpawner.spawn(input)),
    'agent.open-in-app': defineAction(openInAppSchema, async (input) => {
      await dependencies.appOpener.open(input);
      return done;
    }),
    'agent.verify-session': defineAction(verifySessionSchema, ({ agentType, sessionId, cwd, envOverrides }) =>
      dependencies.conversations.has(agentType, cwd, sessionId, envOverrides ?? undefined),
    ),
    'ui.screenshot': defineAction(takePictureSchema, ({ id }, { signal }) =>
      // Not every panel is a terminal: an id that is no session's goes to the window as it is.
      dependencies.windows.takePicture(sessions.resolve(id), signal),
    ),
    'ui.screenshot-answer': defineAction(
      windowRequest.extend({
        body: z.union([pictureRefusalSchema, z.object({ type: z.string(), bytes: z.instanceof(Buffer) })]),
      }),
      ({ request_id, body }, { caller }) => {
        dependencies.windows.answerPicture(request_id, caller.clientId, 'error' in body ? body.error : body);
        return done;
      },
    ),
    'debug.invoke-js': defineAction(invokeScriptSchema, ({ script }, { signal }) =>
      dependencies.windows.invoke(script, signal),
    ),
    'debug.script': defineAction(windowRequest, ({ request_id }) => dependencies.windows.scriptModule(request_id)),
    'debug.script-answer': defineAction(
      windowRequest.extend({ outcome: scriptOutcomeSchema }),
      ({ request_id, outcome }, { caller }) => {
        dependencies.windows.answerScript(request_id, caller.clientId, outcome);
        return done;
      },
    ),

    'upstreams.read': defineAction(nothing, () => dependencies.upstreams.config.read()),
    'upstreams.save': defineAction(saveUpstreamsSchema, async ({ base, config }) => {
      await dependencies.upstreams.config.save(base, config);
      return done;
    }),
    'upstreams.status': defineAction(nothing, () => ({ upstreams: dependencies.upstreams.registry.report() })),
    'upstreams.test': defineAction(testUpstreamSchema, (input, { signal }) =>
      dependencies.upstreams.registry.test(input, signal),
    ),
    'upstreams.reconnect': defineAction(upstreamNameSchema, async ({ name }) => {
      await dependencies.upstreams.registry.reconnect(name);
      return done;
    }),
    'upstreams.credential': defineAction(upstreamCredentialSchema, async ({ name, token }) => {
      await dependencies.upstreams.config.setToken(name, token);
      return done;
    }),
    'upstreams.forget-credential': defineAction(upstreamNameSchema, async ({ name }) => {
      await dependencies.upstreams.config.setToken(name, undefined);
      return done;
    }),
    'mail.register': defineAction(registerPeerSchema, (input) => mail.register(input)),
    'mail.peers': defineAction(listPeersSchema, ({ project }) => mail.list(project)),
    'mail.send': defineAction(sendMailSchema, (input) => mail.send(input)),
    'mail.inbox': defineAction(readInboxSchema, (input) => mail.inbox(input)),
    'mail.search': defineAction(searchInboxSchema, (input) => mail.search(input)),
    'mail.status': defineAction(mailStatusQuerySchema, ({ identity, message_id }) => mail.status(identity, message_id)),
    'mail.wait': defineAction(waitForMailSchema, (input, { signal }) => mail.wait(input, signal)),
    'task.get': defineAction(taskQuerySchema, ({ task_id, claims }) => dependencies.tasks.get(task_id, claims)),
    'task.cancel': defineAction(taskQuerySchema, ({ task_id, claims }) => dependencies.tasks.cancel(task_id, claims)),

    'plugins.docs': defineAction(nothing, () => ({ content: PLUGIN_GUIDE })),

    'host.status': defineAction(nothing, async (): Promise<HostReport> => {
      const host = dependencies.host();
      if (host === undefined) return { connected: false };
      const list = await host.list();
      return {
        connected: true,
        pid: host.hello.pid,
        build: host.hello.build,
        boot_id: host.hello.bootId,
        proto_min: host.hello.protoMin,
        proto_max: host.hello.protoMax,
        sessions: list.length,
        live_sessions: list.filter(({ exit }) => exit === undefined).length,
      };
    }),
    'host.stop': defineAction(nothing, async () => {
      const host = dependencies.host();
      await host?.shutdown();
      return { ...done, was_connected: host !== undefined };
    }),
  };
}

export type Actions = ReturnType<typeof createActions>;

/** First thing wrong with the input, named by its field. */
function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not match';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw new AppError('invalid_input', { detail: describeIssue(result.error) });
  return result.data;
}

export async function runAction<Schema extends z.ZodType, Output>(
  action: Action<Schema, Output>,
  input: unknown,
  context: ActionContext,
): Promise<Output> {
  return action.run(parseInput(action.input, input), context);
}
