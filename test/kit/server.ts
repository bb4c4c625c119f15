/**
 * The kill-and-restart harness: a real server process in a configuration directory of its own. `dispose` ends the server,
 * its pty host and whatever runs in its terminals (recognised by that directory, never by name) and removes the folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { eventually, Signal } from './eventually.ts';
import { ApiClient } from './http.ts';
import {
  hostOf,
  isAlive,
  type ProcessEntry,
  processesOf,
  processGone,
  readProcess,
  signalProcess,
} from './processes.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const SERVER_PROGRAM = join(PROJECT, 'dist/cli/main.js');
const BUILT = [SERVER_PROGRAM, join(PROJECT, 'dist/daemon/main.js'), join(PROJECT, 'dist/pty-host/main.cjs')];

export interface ServerOptions {
  configDirectory?: string;
  /** Added to a small clean environment; undefined takes a variable away. */
  environment?: Record<string, string | undefined>;
  /** Local TCP port; a free one when absent. */
  port?: number;
}

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A port nobody listens on at this moment, whose two successors are free as well (the server may fall back to them). */
export async function findFreePort(): Promise<number> {
  const tryListen = (port: number) =>
    new Promise<number | undefined>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(undefined));
      probe.listen(port, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
      });
    });
  for (;;) {
    const port = await tryListen(0);
    if (port === undefined || port > 65_000) continue;
    if ((await tryListen(port + 1)) !== undefined && (await tryListen(port + 2)) !== undefined) return port;
  }
}

function requireBuild(): void {
  const missing = BUILT.find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`${missing} is missing. Run "npm run build" first`);
}

export function baseEnvironment(
  options: ServerOptions & { configDirectory: string; port: number },
): Record<string, string> {
  const environment: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    // What a person's own shell does at its start (and how long that takes) must not decide a test.
    HOME: options.configDirectory,
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    TUIC_NO_OPEN: '1',
    TUIC_CONFIG_DIR: options.configDirectory,
    TUIC_PORT: String(options.port),
    ...options.environment,
  };
  return Object.fromEntries(
    Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

export class ServerUnderTest {
  readonly configDirectory: string;
  readonly #options: ServerOptions & { configDirectory: string; port: number };
  readonly #signal = new Signal();
  #process: ChildProcess | undefined;
  #exit: Promise<ServerExit> = Promise.resolve({ code: null, signal: null });
  #port: number;
  #startTime = '';
  output = '';
  errors = '';

  constructor(options: ServerOptions & { configDirectory: string; port: number }) {
    this.#options = options;
    this.configDirectory = options.configDirectory;
    this.#port = options.port;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return pid;
  }

  /** The local TCP port really bound, known from the workspace link. */
  get port(): number {
    return this.#port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get socketPath(): string {
    return join(this.configDirectory, 'mcp.sock');
  }

  /** Over the IPC socket: no credential needed. */
  get ipc(): ApiClient {
    return new ApiClient({ socketPath: this.socketPath });
  }

  /** Over local TCP, as the same user. */
  get local(): ApiClient {
    return new ApiClient({ port: this.#port });
  }

  get exited(): Promise<ServerExit> {
    return this.#exit;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Starts the process and does not wait for anything. */
  launch(): void {
    requireBuild();
    this.output = '';
    this.errors = '';
    const child = spawn(process.execPath, [SERVER_PROGRAM, 'start'], {
      cwd: '/',
      env: baseEnvironment(this.#options),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a test can signal it like a terminal does.
      detached: true,
    });
    this.#process = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      this.#signal.notify();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
      this.#signal.notify();
    });
    let hasExited = false;
    this.#exit = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        hasExited = true;
        this.#signal.notify();
        resolve({ code, signal });
      });
    });
    this.#hasExited = () => hasExited;
    this.#startTime = child.pid === undefined ? '' : (readProcess(child.pid)?.startTime ?? '');
  }

  #hasExited: () => boolean = () => true;

  /** Starts the server and waits until it answers over IPC and has printed its workspace link. */
  async start(): Promise<void> {
    this.launch();
    const link = await this.linkPrinted();
    this.#port = Number(new URL(link).port);
    await eventually('the server to answer /health', async () => {
      if (this.#hasExited()) throw new Error(`the server ended: ${this.output}${this.errors}`);
      try {
        return (await this.ipc.get('/health')).status === 200;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET') return false;
        throw error;
      }
    });
  }

  /** The login link that the server prints when its doors are open. */
  linkPrinted(): Promise<string> {
    return this.untilPrinted(/^workspace: (\S+)/m);
  }

  untilPrinted(pattern: RegExp): Promise<string> {
    return this.#signal.until(
      `the server to print ${pattern}`,
      () => {
        const match = pattern.exec(this.output) ?? pattern.exec(this.errors);
        if (match !== null) return match[1] ?? match[0];
        if (this.#hasExited()) throw new Error(`the server ended: ${this.output}${this.errors}`);
        return undefined;
      },
      () => `It printed: ${this.output}${this.errors}`,
    );
  }

  signal(signal: NodeJS.Signals): void {
    signalProcess({ pid: this.pid, startTime: this.#startTime }, signal);
  }

  /** kill -9: no handler runs. */
  async kill9(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exit;
  }

  /** An orderly stop; the pty host and the sessions stay. */
  async stop(): Promise<ServerExit> {
    if (this.isRunning) this.signal('SIGTERM');
    return await this.#exit;
  }

  async restart(): Promise<void> {
    if (this.isRunning) await this.stop();
    await this.start();
  }

  /** The pty host of this configuration directory. */
  get host(): ProcessEntry | undefined {
    return hostOf(this.configDirectory);
  }

  async killHost(): Promise<void> {
    const host = this.host;
    if (host === undefined) throw new Error('there is no pty host to kill');
    signalProcess(host, 'SIGKILL');
    await processGone(host);
  }

  /** Ends everything of this configuration directory, whatever state it is in. */
  async dispose(): Promise<void> {
    if (this.#process?.pid !== undefined && isAlive(this.#process.pid)) await this.kill9();
    const host = this.host;
    if (host !== undefined) {
      signalProcess(host, 'SIGTERM');
      await eventually('the pty host to shut down', () => !isAlive(host.pid), 10_000).catch(() => {
        signalProcess(host, 'SIGKILL');
      });
    }
    await eventually('all processes of the configuration directory to end', () => {
      const left = processesOf(this.configDirectory);
      for (const entry of left) signalProcess(entry, 'SIGKILL');
      return left.length === 0;
    });
  }
}

/** Prepares a server without starting it. */
export async function prepareServer(cleanup: Cleanup, options: ServerOptions = {}): Promise<ServerUnderTest> {
  const configDirectory = options.configDirectory ?? (await cleanup.temporaryDirectory());
  const server = new ServerUnderTest({ ...options, configDirectory, port: options.port ?? (await findFreePort()) });
  cleanup.defer(() => server.dispose());
  return server;
}

export async function startServer(cleanup: Cleanup, options: ServerOptions = {}): Promise<ServerUnderTest> {
  const server = await prepareServer(cleanup, options);
  await server.start();
  return server;
}
