/**
 * The server as a foreground process: signals, what it prints, its exit code. Owns nothing else.
 *
 * Order: handlers first, then start, then the link, so that a Ctrl-C during the start is answered as well. A signal stops the
 * server in order; a second one, later than DEADLINES.secondInterrupt, ends the process at once. An error that nobody caught
 * ends it with EXIT_CODES.crash after it was logged: its state cannot be trusted, and the sessions live in the host.
 */
import { Session } from 'node:inspector';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type Clock, keepMemoryLow, nodeMemory, systemClock } from '../base/index.ts';
import { DEADLINES, EXIT_CODES, LIMITS, resolveConfigDirectory } from '../contract/index.ts';
import { type RunningServer, type StartServer, startServer } from './server.ts';
import { describeStartFailure } from './start-failure.ts';

export interface ServerReady {
  pid: number;
  configDirectory: string;
  /** Login link; absent when the local server is switched off. */
  workspace?: string;
}

export interface RunOptions {
  /** How a person calls the command here: `tuic`, or `npx tuic` in a clone. */
  commandName: string;
  onReady?: (ready: ServerReady) => void;
  onFailed?: (message: string) => void;
  /** Prints nothing: somebody else speaks to the person. */
  isSilent?: boolean;
}

/** The process, as far as this file uses it; tests hand in their own. */
export interface ProcessPort {
  readonly pid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  onSignal(listener: (signal: NodeJS.Signals) => void): void;
  onUncaught(listener: (error: unknown) => void): void;
  /** Never throws: the terminal may be gone. */
  print(text: string): void;
  printError(text: string): void;
  exit(code: number): void;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const INTERRUPTED = 130;

function createProcessPort(): ProcessPort {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    // The terminal that started us was closed; the server has its log.
    stream.on('error', () => undefined);
  }
  return {
    pid: process.pid,
    env: process.env,
    onSignal: (listener) => {
      for (const signal of SIGNALS) process.on(signal, listener);
    },
    onUncaught: (listener) => {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
    exit: (code) => process.exit(code),
  };
}

function describeUnexpected(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeRest(sessions: number, commandName: string): string {
  if (sessions === 0) return 'The server ended. No session is running';
  const what = sessions === 1 ? '1 session keeps' : `${sessions} sessions keep`;
  return [
    `The server ended. ${what} running; the next start shows ${sessions === 1 ? 'it' : 'them'} again.`,
    `To end ${sessions === 1 ? 'it' : 'all of them'}: ${commandName} host stop (while a server runs: ${commandName} kill --all)`,
  ].join('\n');
}

/** Runs the server until it is told to stop; resolves to the exit code. */
export async function runServer(
  options: RunOptions,
  port: ProcessPort = createProcessPort(),
  start: StartServer = startServer,
  clock: Clock = systemClock,
): Promise<number> {
  const surroundings = { env: port.env, platform: process.platform, home: homedir() };
  let configDirectory = '';
  let server: RunningServer | undefined;
  let firstSignal: number | undefined;
  const say = (text: string) => {
    if (options.isSilent !== true) port.print(`${text}\n`);
  };

  let finish: (code: number) => void = () => undefined;
  const finished = new Promise<number>((done) => {
    finish = done;
  });

  port.onUncaught((error) => {
    port.printError(
      `The server met an unexpected error and ends; sessions keep running.\n${describeUnexpected(error)}\n`,
    );
    if (server === undefined) return port.exit(EXIT_CODES.crash);
    server.log.fatal({ err: error }, 'unexpected error');
    // Nothing is stored any more: what is in memory may be wrong, what is stored is not.
    server.abandon().then(
      () => port.exit(EXIT_CODES.crash),
      () => port.exit(EXIT_CODES.crash),
    );
  });
  const stopping = new AbortController();
  port.onSignal(() => {
    const now = clock.monotonic();
    if (firstSignal === undefined) {
      firstSignal = now;
      stopping.abort();
    } else if (now - firstSignal >= DEADLINES.secondInterrupt) port.exit(INTERRUPTED);
  });

  try {
    configDirectory = resolve(resolveConfigDirectory(surroundings));
    server = await start({
      configDirectory,
      env: port.env,
      pid: port.pid,
      clock,
      requestStop: () => stopping.abort(),
      warn: (message) => port.printError(`${message}\n`),
    });
  } catch (error) {
    const failure = describeStartFailure(error, configDirectory);
    if (failure === undefined) {
      port.printError(`The server could not start.\n${describeUnexpected(error)}\n`);
      options.onFailed?.(describeUnexpected(error));
      return EXIT_CODES.crash;
    }
    if (options.isSilent !== true) port.printError(`${failure.message}\n`);
    options.onFailed?.(failure.message);
    return failure.exitCode;
  }

  const running = server;
  const idleMemory = keepMemoryLow({
    ...nodeMemory({ Session, performance, getHeapStatistics, setImmediate }),
    clock,
    look: DEADLINES.memoryLook,
    worth: LIMITS.memoryWorth,
    failed: (error) => running.log.warn({ error: describeUnexpected(error) }, 'memory could not be given back'),
  });
  const stop = async () => {
    idleMemory.dispose();
    const isInterrupt = firstSignal !== undefined;
    if (isInterrupt) say('\nstopping');
    const cut = clock.after(DEADLINES.shutdown, () => {
      running.log.error({}, 'the orderly stop took too long');
      finish(EXIT_CODES.failure);
    });
    try {
      const { runningSessions } = await running.stop();
      say(describeRest(runningSessions, options.commandName));
      finish(EXIT_CODES.ok);
    } finally {
      cut.dispose();
    }
  };
  if (stopping.signal.aborted) await stop();
  else {
    stopping.signal.addEventListener('abort', () => void stop(), { once: true });
    if (running.workspace !== undefined) say(`workspace: ${running.workspace}`);
    else say('The local server is switched off (local_server_enabled); tuic works over its socket');
    options.onReady?.({
      pid: port.pid,
      configDirectory,
      ...(running.workspace === undefined ? {} : { workspace: running.workspace }),
    });
  }
  return finished;
}
