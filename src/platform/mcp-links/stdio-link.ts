/**
 * An MCP server that is a program of this machine: one JSON-RPC message a line (STD-1). Its stderr is always read, so it never stops for a
 * full pipe, and the newest of it is kept for whoever looks for a fault. What is no message on its stdout is skipped and told once.
 *
 * The program leads a group of its own. Order of the end: stdin is closed, the program has its time to leave, SIGTERM to the group,
 * SIGKILL to the group; whoever it left behind in the group goes with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Disposable, JsonObject } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import { signalGroup } from '../process/index.ts';
import { parseExactJson, restoreExactJson } from './exact-json.ts';
import { LineReader } from './line-reader.ts';
import { type LinkEvents, LinkFailure, type McpLink, type RequestOptions } from './model.ts';
import { Rpc } from './rpc.ts';

export interface StdioLaunch {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

type Child = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

const BYTE_ORDER_MARK = '\uFEFF';

export class StdioLink implements McpLink {
  readonly #clock: Clock;
  readonly #events: LinkEvents;
  readonly #child: Child;
  readonly #rpc: Rpc;
  readonly #ended: Promise<void>;
  #stderr = Buffer.alloc(0);
  #isClosing = false;
  #end: LinkFailure | undefined;
  #toldNoise = false;

  constructor(launch: StdioLaunch, clock: Clock, events: LinkEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#child = spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    }) as Child;
    this.#rpc = new Rpc({
      clock,
      send: (message) => this.#send(message),
      onNotification: (method, params) => events.onNotification(method, params),
    });
    const lines = new LineReader({
      limit: LIMITS.upstreamMessage,
      onLine: (line) => this.#takeLine(line),
      onTooLong: (edges) => this.#refuseLine(edges),
    });
    const { stdin, stdout, stderr } = this.#child;
    stdout.on('data', (bytes: Buffer) => lines.push(bytes));
    stderr.on('data', (bytes: Buffer) => {
      this.#stderr = Buffer.from(Buffer.concat([this.#stderr, bytes]).subarray(-LIMITS.upstreamStderr));
    });
    // The end of the program tells more than that of one of its pipes.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
    this.#ended = new Promise((resolve) => this.#watchEnd(resolve));
  }

  get diagnostics(): string {
    return this.#stderr.toString('utf8');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  adopt(): void {}

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(new LinkFailure('closed', 'never', this.#end.message));
    return this.#rpc.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): void {
    this.#rpc.notify(method, params);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#rpc.failAll(new LinkFailure('closed', 'maybe', 'the connection was closed'));
    if (this.#child.pid === undefined) return;
    this.#child.stdin.end();
    const timers: Disposable[] = [];
    timers.push(
      this.#clock.after(DEADLINES.upstreamEnd, () => {
        signalGroup(this.#child.pid, 'SIGTERM');
        timers.push(this.#clock.after(DEADLINES.upstreamTerminate, () => signalGroup(this.#child.pid, 'SIGKILL')));
      }),
    );
    await this.#ended;
    for (const timer of timers) timer.dispose();
  }

  #watchEnd(resolve: () => void): void {
    const child = this.#child;
    let linger: Disposable | undefined;
    const finish = (failure: LinkFailure) => {
      if (this.#end !== undefined) return;
      this.#end = failure;
      linger?.dispose();
      this.#rpc.failAll(failure);
      if (!this.#isClosing) this.#events.onEnd(failure);
      resolve();
    };
    child.once('error', (error) => {
      if (child.pid === undefined) finish(new LinkFailure('unreachable', 'never', error.message));
    });
    child.once('exit', () => {
      // Whoever it leaves behind in its group.
      signalGroup(child.pid, 'SIGKILL');
      linger = this.#clock.after(DEADLINES.programPipes, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    child.once('close', (code, signal) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      finish(new LinkFailure('closed', 'maybe', `the program ended ${how}${lastLine(this.diagnostics)}`));
    });
  }

  #send(message: JsonObject): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(`${restoreExactJson(JSON.stringify(message))}\n`, (error) => {
        // Its end fails whatever waits, and says more.
        if (error === null || error === undefined || this.#end === undefined) resolve();
        else reject(new LinkFailure('closed', 'maybe', this.#end.message));
      });
    });
  }

  #takeLine(text: string): void {
    const line = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).trim();
    if (line === '') return;
    let isMessage = false;
    try {
      isMessage = this.#rpc.receive(parseExactJson(line));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    if (!isMessage) this.#tellNoise(line);
  }

  #tellNoise(line: string): void {
    if (this.#toldNoise) return;
    this.#toldNoise = true;
    this.#events.onOddity(`what is no message on its stdout is skipped, first: ${line.slice(0, 200)}`);
  }

  /** Only the call that it answers fails, when that can be told. */
  #refuseLine({ head, tail, length }: { head: string; tail: string; length: number }): void {
    const found = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d+)"?\s*[,}]/.exec(head)?.[1];
    const id = found ?? /"id"\s*:\s*"?(\d+)"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)?.[1];
    const { waiting } = this.#rpc;
    const failure = new LinkFailure(
      'too_large',
      'maybe',
      `the answer is larger than ${LIMITS.upstreamMessage} bytes (${length})`,
    );
    if (id !== undefined && waiting.includes(Number(id))) this.#rpc.fail(Number(id), failure);
    else this.#rpc.failAll(failure);
    this.#events.onOddity(failure.message);
  }
}

function lastLine(diagnostics: string): string {
  const lines = diagnostics.trim().split('\n');
  const line =
    lines.findLast((each) => /error|exception|not found|cannot|denied|fatal|panic/i.test(each)) ?? lines.at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(-300)}`;
}
