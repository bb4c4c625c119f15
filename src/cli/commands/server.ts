/** tuic start, stop, status, open. */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, ServerUnreachable } from '../../client/index.ts';
import { EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { openInBrowser, whyNotOpen } from '../open-browser.ts';
import { readHostStatus } from '../pty-host.ts';
import { loadServerModule, PROGRAM, type ServerReady } from '../server-module.ts';
import { formatAge, formatCount } from '../text.ts';
import { countLive } from './host.ts';

type ChildReport = { kind: 'ready'; ready: ServerReady } | { kind: 'failed'; message: string };

export interface StartOptions {
  detach?: boolean;
  open?: boolean;
  json?: boolean;
  /** Set by `tuic start --detach` on the process it starts. */
  reportToParent?: boolean;
}

/** Runs the server in the foreground; resolves to its exit code when it has ended. */
export async function startServer(context: Context, options: StartOptions): Promise<number> {
  if (options.detach === true) return startDetached(context, options);
  const { runServer } = await loadServerModule();
  if (options.reportToParent === true) return runServer({ commandName: 'tuic', ...createParentReport() });
  // Under npm the command is not on PATH, but npx finds it in the project.
  const commandName = context.env.npm_lifecycle_event === undefined ? 'tuic' : 'npx tuic';
  return runServer({
    commandName,
    onReady: (ready) => {
      if (options.json) context.printJson(ready);
      if (options.open === true && ready.workspace !== undefined) void openInBrowser(context, ready.workspace);
    },
    ...(options.json === true ? { isSilent: true } : {}),
  });
}

function createParentReport() {
  const report = (message: ChildReport) => {
    process.send?.(message, undefined, undefined, () => process.channel !== undefined && process.disconnect());
  };
  return {
    isSilent: true,
    onReady: (ready: ServerReady) => report({ kind: 'ready', ready }),
    onFailed: (message: string) => report({ kind: 'failed', message }),
  };
}

/** Starts the server in the background and returns when it serves, or with its reason when it does not. */
async function startDetached(context: Context, options: StartOptions): Promise<number> {
  const child = fork(fileURLToPath(PROGRAM), ['start', '--report-to-parent'], {
    detached: true,
    // The directory may be relative to where the person is; the server leaves that folder free.
    env: { ...process.env, TUIC_CONFIG_DIR: context.configDirectory },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let exitCode: number | null = null;
  const outcome = await new Promise<ChildReport | { kind: 'ended'; code: number | null }>((resolve, reject) => {
    let failed: ChildReport | undefined;
    child.on('message', (message: ChildReport) => {
      if (message.kind === 'ready') resolve(message);
      else failed = message;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      exitCode = code;
      resolve(failed ?? { kind: 'ended', code });
    });
  });
  if (outcome.kind === 'failed') throw new CliFailure(exitCode ?? EXIT_CODES.failure, outcome.message);
  if (outcome.kind === 'ended') {
    throw new CliFailure(EXIT_CODES.failure, `The server ended at once (${outcome.code}). "tuic start" shows why`);
  }
  if (child.connected) child.disconnect();
  child.unref();
  const { ready } = outcome;
  if (options.json) context.printJson(ready);
  else {
    context.print(`The server runs in the background (pid ${ready.pid}). "tuic stop" ends it`);
    if (ready.workspace !== undefined) context.print(`workspace: ${ready.workspace}`);
  }
  if (options.open === true && ready.workspace !== undefined) await openInBrowser(context, ready.workspace);
  return EXIT_CODES.ok;
}

async function untilGone(client: Client): Promise<void> {
  for (;;) {
    try {
      await client.health();
    } catch (error) {
      if (error instanceof ServerUnreachable) return;
      throw error;
    }
    await sleep(50);
  }
}

export async function stopServer(context: Context, options: { json?: boolean }): Promise<void> {
  const client = await context.connect();
  await client.shutdown();
  await untilGone(client);
  const live = countLive(await readHostStatus(context.configDirectory));
  if (options.json) return context.printJson({ stopped: true, running_sessions: live });
  context.print('The server ended');
  if (live > 0) {
    const verb = live === 1 ? 'keeps' : 'keep';
    context.print(
      `${formatCount(live, 'session')} ${verb} running. "tuic start" takes over; "tuic host stop" ends all`,
    );
  }
}

export async function showStatus(context: Context, options: { json?: boolean }): Promise<number> {
  const [health, host] = await Promise.all([
    context.askIfRunning((client) => client.health()),
    readHostStatus(context.configDirectory),
  ]);
  const exitCode = health === undefined ? EXIT_CODES.serverNotRunning : EXIT_CODES.ok;
  if (options.json) {
    const server = health === undefined ? { running: false } : { running: true, ...health };
    const terminals = host === undefined ? { running: false } : { running: true, pid: host.pid, live: countLive(host) };
    context.printJson({ server, host: terminals, config_directory: context.configDirectory });
    return exitCode;
  }
  const { style } = context;
  const rows: [string, string][] = [];
  if (health === undefined) rows.push(['server', `${style.red('not running')}. Start it with "tuic start"`]);
  else {
    rows.push(['server', `${style.green('running')}, pid ${health.pid}, for ${formatAge(health.uptime_secs * 1000)}`]);
    if (health.port !== undefined) rows.push(['address', `http://127.0.0.1:${health.port}`]);
    rows.push(['sessions', String(health.session_count)]);
  }
  rows.push([
    'host',
    host === undefined ? 'not running' : `pid ${host.pid}, ${formatCount(countLive(host), 'live terminal')}`,
  ]);
  rows.push(['configuration', context.configDirectory]);
  context.print(rows.map(([name, value]) => `${style.dim(name.padEnd(14))}${value}`).join('\n'));
  return exitCode;
}

export async function openWorkspace(context: Context, options: { print?: boolean; json?: boolean }): Promise<void> {
  const ticket = await (await context.connect()).createTicket('login');
  if (ticket.url === undefined) {
    throw new CliFailure(
      EXIT_CODES.failure,
      'The local server is switched off. Set local_server_enabled in config.json',
    );
  }
  if (options.json) return context.printJson({ url: ticket.url, expires_in_secs: ticket.expires_in_secs });
  context.print(`workspace: ${ticket.url}`);
  if (options.print === true) return;
  const reason = whyNotOpen(context);
  if (reason !== undefined)
    return context.warn(`Not opened (${reason}); the link works once, for ${ticket.expires_in_secs} s\n`);
  if (!(await openInBrowser(context, ticket.url)))
    context.warn('No browser could be started; open the link yourself\n');
}
