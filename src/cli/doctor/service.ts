/** Checks of what runs: server, doors, terminal host, secrets. */

import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { findServerSocket } from '../../client/node.ts';
import { AppError, DEADLINES, type ListenersReport, PROTOCOL_MAX, PROTOCOL_MIN } from '../../contract/index.ts';
import { countLive } from '../commands/host.ts';
import { readHostStatus } from '../pty-host.ts';
import { formatAge, formatCount, toSafeText } from '../text.ts';
import { type Check, type CheckResult, describeError, fail, ok, warn } from './check.ts';

const USUAL_PORT = 9_876;
/** TUIC_PORT=0 asks for it. */
const ANY_PORT = 0;
/** As many as the server tries. */
const PORTS_TRIED = 3;

export const checkServer: Check = async (context) => {
  const name = 'server';
  const found = await context.askIfRunning(async (client) => ({
    health: await client.health(),
    version: await client.version(),
  }));
  if (found !== undefined) {
    const { health, version } = found;
    const detail = `pid ${health.pid}, for ${formatAge(health.uptime_secs * 1_000)}, version ${version.version}`;
    if (version.version === context.version) return [ok(name, detail)];
    return [warn(name, `${detail}; this command is ${context.version}`, 'tuic stop && tuic start -d')];
  }
  const socket = await findServerSocket(context.configDirectory);
  const left = socket === undefined ? '' : `; ${socket} is left of one that was killed`;
  return [warn(name, `not running${left}`, 'tuic start -d')];
};

export const checkSocket: Check = async ({ configDirectory, userId }) => {
  const name = 'socket';
  const path = await findServerSocket(configDirectory);
  if (path === undefined) return [];
  const { mode, uid } = await stat(path);
  if (userId !== undefined && (uid !== userId || (mode & 0o077) !== 0)) {
    return [fail(name, `others may connect to ${path}`, 'tuic stop && tuic start -d makes it anew')];
  }
  return [ok(name, path)];
};

function describeLocal(local: ListenersReport['local'], wanted: number): CheckResult {
  const name = 'local port';
  if (local.state !== 'listening') {
    return local.state === 'off'
      ? warn(name, `off: ${local.reason}`, 'tuic config set local_server_enabled true')
      : fail(name, local.reason, 'Set TUIC_PORT, or mcp_port by "tuic config set", to a free one');
  }
  const where = `${local.port} on ${local.addresses.join(' and ')}`;
  if (local.port === wanted) return ok(name, where);
  if (wanted === ANY_PORT) return ok(name, `${where}, a free one as asked`);
  return warn(
    name,
    `${where}; ${wanted} was taken, or the server was started with another TUIC_PORT`,
    'Fine for people; scripts ask "tuic status --json" for the port',
  );
}

function describeRemote(remote: ListenersReport['remote']): CheckResult {
  const name = 'remote port';
  const next = '"tuic config ls services" shows its settings';
  if (remote.state !== 'listening') {
    return remote.state === 'off' ? ok(name, `off: ${remote.reason}`) : fail(name, remote.reason, next);
  }
  const where = `${remote.port} on ${remote.address}, ${remote.tls ? 'with' : 'without'} TLS`;
  return remote.reason === undefined ? ok(name, where) : warn(name, `${where}; ${remote.reason}`, next);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** With a server what it says; without one, whether the next one finds a port. */
export const checkPorts: Check = async (context) => {
  const own = Number(context.env.TUIC_PORT);
  const asked = await context.askIfRunning(async (client) => ({
    listeners: await client.diagnostics.listeners(),
    settings: (await client.config.read()).value,
  }));
  const configured = Number(asked?.settings.mcp_port ?? USUAL_PORT);
  const isSet =
    context.env.TUIC_PORT !== undefined && context.env.TUIC_PORT !== '' && Number.isInteger(own) && own >= 0;
  const wanted = isSet ? own : configured;
  if (asked !== undefined)
    return [describeLocal(asked.listeners.local, wanted), describeRemote(asked.listeners.remote)];
  if (wanted === ANY_PORT) return [ok('local port', 'the server will take a free one')];
  const tried = Array.from({ length: PORTS_TRIED }, (_, index) => wanted + index).filter((port) => port <= 65_535);
  const free: boolean[] = [];
  for (const port of tried) free.push(await isFree(port));
  const first = tried[free.indexOf(true)];
  if (first === wanted) return [ok('local port', `${wanted} is free`)];
  if (first !== undefined)
    return [warn('local port', `${wanted} is taken; the server will use ${first}`, 'Fine, or set TUIC_PORT')];
  return [fail('local port', `${tried.join(', ')} are taken`, 'Set TUIC_PORT to a free one')];
};

export const checkHost: Check = async ({ configDirectory, now }) => {
  const name = 'terminal host';
  try {
    const status = await readHostStatus(configDirectory);
    if (status === undefined) return [ok(name, 'starts with the first terminal')];
    const detail = `pid ${status.pid}, for ${formatAge(now() - status.startedAt)}, ${formatCount(countLive(status), 'live terminal')}`;
    if (status.protoMax >= PROTOCOL_MIN && status.protoMin <= PROTOCOL_MAX) return [ok(name, detail)];
    const next = 'End your terminals when it suits you, then "tuic host stop"; the next one is of this version';
    return [fail(name, `${detail}; it speaks protocol ${status.protoMin}-${status.protoMax}`, next)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [fail(name, error.message, '"tuic host status" shows it; "tuic host stop" ends it with its terminals')];
  }
};

export const checkSecrets: Check = async (context) => {
  const name = 'secrets';
  const report = await context.askIfRunning((client) => client.diagnostics.secrets());
  if (report === undefined) return [];
  const detail = `${report.store} (${toSafeText(report.location)}): ${toSafeText(report.detail)}`;
  if (report.state === 'ready') return [ok(name, detail)];
  return [fail(name, detail, 'Unlock the keyring; until then changes to secrets are refused')];
};

/** Logs in as a browser would, with a link of its own. */
export const checkLogin: Check = async (context) => {
  const name = 'login link';
  const ticket = await context.askIfRunning((client) => client.createTicket('login'));
  if (ticket?.url === undefined) return [];
  const next = 'Look into "tuic logs --level warn"; a proxy or firewall on this machine may stand between';
  try {
    const answer = await fetch(ticket.url, { redirect: 'manual', signal: AbortSignal.timeout(DEADLINES.hostConnect) });
    const isLoggedIn = answer.status === 303 && answer.headers.get('set-cookie') !== null;
    const origin = new URL(ticket.url).origin;
    return [isLoggedIn ? ok(name, `works at ${origin}`) : fail(name, `${origin} answered ${answer.status}`, next)];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [fail(name, describeError(cause), next)];
  }
};
