/**
 * An MCP client on stdio that does no more than it is told: it sends lines and keeps every message that comes back, so that a
 * test can tell what was answered, how often, and what came unasked.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup-steps.ts';
import { Signal } from './eventually.ts';

export const BRIDGE_PROGRAM = fileURLToPath(new URL('../../dist/bridge/main.js', import.meta.url));

export interface StdioMessage {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** What a tool of ours answered: the value in the first text block. */
export function toolValue(message: StdioMessage): unknown {
  const { content } = (message.result ?? {}) as { content?: { text: string }[] };
  const text = content?.[0]?.text;
  if (text === undefined) throw new Error(`no text in ${JSON.stringify(message)}`);
  return JSON.parse(text);
}

export class StdioClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: StdioMessage[] = [];
  readonly exited: Promise<number | null>;
  /** Lines that are no JSON: there must be none. */
  readonly noise: string[] = [];
  errors = '';
  readonly #signal = new Signal();
  #next = 0;

  constructor(cleanup: Cleanup, program: string, args: readonly string[], env: Record<string, string>) {
    if (!existsSync(program)) throw new Error(`${program} is missing. Run "npm run build" first`);
    this.child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' });
    this.exited = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code) => resolve(code));
    });
    cleanup.defer(async () => {
      this.child.kill('SIGKILL');
      await this.exited;
    });
    // A write to a program that has just ended.
    this.child.stdin.on('error', () => {});
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      try {
        this.messages.push(JSON.parse(line) as StdioMessage);
      } catch {
        this.noise.push(line);
      }
      this.#signal.notify();
    });
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Every answer to this id. */
  answersTo(id: string | number): StdioMessage[] {
    return this.messages.filter((message) => message.method === undefined && message.id === id);
  }

  async request(method: string, params: object = {}, id: string | number = `r${++this.#next}`): Promise<StdioMessage> {
    this.send({ id, method, params });
    return this.until(`an answer to ${method}`, () => this.answersTo(id)[0]);
  }

  until<T>(what: string, check: () => T | undefined | false): Promise<T> {
    return this.#signal.until(what, check, () => `Last: ${JSON.stringify(this.messages.slice(-3))} ${this.errors}`);
  }

  notices(method: string): StdioMessage[] {
    return this.messages.filter((message) => message.method === method);
  }

  async initialize(name: string, protocolVersion = '2025-11-25'): Promise<StdioMessage> {
    const answer = await this.request(
      'initialize',
      { protocolVersion, capabilities: {}, clientInfo: { name, version: '1.0.0' } },
      'init',
    );
    this.send({ method: 'notifications/initialized' });
    return answer;
  }
}

/** tuic-bridge for the server of this configuration directory. */
export function startBridge(cleanup: Cleanup, configDirectory: string, env: Record<string, string> = {}): StdioClient {
  return new StdioClient(cleanup, BRIDGE_PROGRAM, [], {
    PATH: process.env.PATH ?? '',
    HOME: configDirectory,
    TUIC_CONFIG_DIR: configDirectory,
    ...env,
  });
}
