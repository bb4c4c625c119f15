/**
 * Entry of the pty host: node main.cjs --config-dir DIR [--build TEXT] [--ready-fd N]. Detached, in its own session, with
 * files as stdio.
 *
 * Start order: lock, token, socket; only then can a server find it. It ends when it is told to (shutdown, SIGTERM) or after
 * DEADLINES.hostIdleExit with neither session nor server. Everything else (hang-ups, interrupts, broken pipes, a fault in
 * one connection) must not end it: all terminals would die with it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { keepMemoryLow, nodeMemory, systemClock } from '../base/index.ts';
import { DEADLINES, HOST_READY, LIMITS } from '../contract/index.ts';
import { errorCode } from './error-code.ts';
import { createHost } from './host.ts';
import { watchIdle } from './idle-watch.ts';
import { createLogFile } from './log-file.ts';
import { loadNative } from './pty/native.ts';
import { InstanceLock } from './socket/instance-lock.ts';
import { prepareSocketPlace, resolveHostPaths } from './socket/paths.ts';
import { HostServer } from './socket/server.ts';

const FILE_CHECK = 5_000;
const EXIT_USAGE = 2;
const EXIT_OTHER_HOST = 3;

let readyFd: number | undefined;

/** Once, to whoever waits for the start; that one may be gone. */
function tellStarter(word: string): void {
  if (readyFd === undefined) return;
  const fd = readyFd;
  readyFd = undefined;
  try {
    writeSync(fd, word);
  } catch (error) {
    if (errorCode(error) !== 'EPIPE') throw error;
  } finally {
    closeSync(fd);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { 'config-dir': { type: 'string' }, build: { type: 'string' }, 'ready-fd': { type: 'string' } },
  });
  if (values['ready-fd'] !== undefined) readyFd = Number(values['ready-fd']);
  if (values['config-dir'] === undefined) {
    process.stderr.write('usage: main.cjs --config-dir DIR\n');
    process.exit(EXIT_USAGE);
  }
  const directory = resolve(values['config-dir']);
  process.chdir('/');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const clock = systemClock;
  const paths = resolveHostPaths(directory);
  const log = createLogFile(paths.log, clock);
  surviveEverything(log);

  const bootId = randomUUID();
  const lock = new InstanceLock(paths.lock, paths.socket, bootId, clock);
  const held = await lock.acquire();
  if (!held.isHeld) giveWay(held.reason);
  // Now, not at the first spawn: an update may replace the packages under a host that runs.
  loadNative();
  const token = randomBytes(32).toString('hex');
  prepareSocketPlace(directory, paths);
  if (!lock.isOwn()) giveWay('another host took the lock');
  writeSecret(paths.token, token, bootId);

  const host = createHost({ bootId, build: values.build ?? 'unknown', clock });
  const server = new HostServer({ host, directory, socket: paths.socket, token, clock, log });
  await server.listen();
  log(`host ${bootId} listens`);
  tellStarter(HOST_READY.listening);

  watchIdle(host, server, clock, () => {
    log('neither session nor server');
    void host.shutdown();
  });
  keepMemoryLow({
    ...nodeMemory({ Session, performance, getHeapStatistics, setImmediate }),
    clock,
    look: DEADLINES.memoryLook,
    worth: LIMITS.hostMemoryWorth,
    failed: (error) => log(`memory: ${String(error)}`),
  });
  clock.every(FILE_CHECK, () => {
    void repairFiles().catch((error: unknown) => log(`files: ${String(error)}`));
  });

  /** What somebody deleted under a host that lives would keep the next server from finding it. */
  async function repairFiles(): Promise<void> {
    if (isEnding) return;
    if (!lock.restore()) {
      // Never two hosts that take the socket from each other: the one that is named there keeps it.
      log('another host has the lock');
      if (host.sessionCount === 0) await host.shutdown();
      return;
    }
    prepareSocketPlace(directory, paths);
    if (await server.listen()) log('the socket was gone; listens again');
    if (!existsSync(paths.token)) writeSecret(paths.token, token, bootId);
  }

  let isEnding = false;
  host.onDisconnect(() => {
    isEnding = true;
    void server.close().then(() => {
      if (lock.isOwn()) {
        rmSync(paths.pointer, { force: true });
        rmSync(paths.token, { force: true });
        lock.release();
      }
      log('host ends');
      process.exit(0);
    });
  });
  process.on('SIGTERM', () => {
    host.shutdown().catch((error: unknown) => log(`shutdown: ${String(error)}`));
  });

  function giveWay(reason: string): never {
    log(`gives way: ${reason}`);
    tellStarter(HOST_READY.gaveWay);
    process.exit(EXIT_OTHER_HOST);
  }
}

/** SIGUSR1 would open a debugger's port. */
function surviveEverything(log: (message: string) => void): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGQUIT', 'SIGTSTP', 'SIGUSR1', 'SIGUSR2'] as const) {
    process.on(signal, () => log(`ignores ${signal}`));
  }
  // A fault that was not foreseen costs what it touched, not every terminal of the user.
  process.on('uncaughtException', (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on('unhandledRejection', (reason) =>
    log(`unhandled: ${reason instanceof Error ? reason.stack : String(reason)}`),
  );
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Complete or not there: a client never reads half a token. */
function writeSecret(path: string, secret: string, bootId: string): void {
  const draft = `${path}.${bootId}`;
  writeFileSync(draft, secret, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  tellStarter(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
