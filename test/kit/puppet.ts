/** The test's end of a puppet: a program in a terminal that does what it is told and reports what it read (programs/puppet.mjs). */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CreateSession } from '../../src/contract/index.ts';
import type { Cleanup } from './cleanup.ts';
import { eventually, Signal } from './eventually.ts';
import type { ApiClient } from './http.ts';

const PROGRAM = fileURLToPath(new URL('./programs/puppet.mjs', import.meta.url));

export interface Written {
  bytes: number;
  sha256: string;
}

interface FromPuppet {
  id?: number;
  result?: Record<string, unknown>;
  read?: string;
  size?: { columns: number; rows: number };
  hello?: { pid: number; columns: number; rows: number };
  goodbye?: Written;
  signal?: string;
  inputError?: string;
}

export class Puppet {
  readonly #server: Server;
  readonly #signal = new Signal();
  readonly #pending = new Map<number, (result: Record<string, unknown>) => void>();
  #socket: Socket | undefined;
  #nextId = 1;
  #rest = '';
  /** Each read of the program, in order. */
  readonly reads: Buffer[] = [];
  readonly sizes: { columns: number; rows: number }[] = [];
  readonly signals: string[] = [];
  readonly inputErrors: string[] = [];
  pid = 0;
  goodbye: Written | undefined;
  gone = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#socket = socket;
      socket.setEncoding('utf8');
      socket.on('data', (part: string) => this.#take(part));
      // A puppet that is killed resets the connection; `gone` tells it.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.gone = true;
        this.#signal.notify();
      });
    });
  }

  get received(): Buffer {
    return Buffer.concat(this.reads);
  }

  until<T>(what: string, check: () => T | undefined | false, patience?: number): Promise<T> {
    return this.#signal.until(
      what,
      check,
      () => `It read ${JSON.stringify(this.received.toString('latin1').slice(-200))}; gone: ${this.gone}`,
      patience,
    );
  }

  ready(): Promise<number> {
    return this.until('the puppet to start', () => this.pid || undefined);
  }

  /** Waits until the program has read this many bytes in all. */
  async untilRead(count: number, patience?: number): Promise<Buffer> {
    await this.until(`${count} bytes of input`, () => this.received.length >= count, patience);
    return this.received;
  }

  untilGone(patience?: number): Promise<true> {
    return this.until('the puppet to end', () => this.gone, patience);
  }

  /** Forgets what was read so far. */
  forgetReads(): void {
    this.reads.length = 0;
  }

  async do(action: string, values: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    await this.ready();
    const id = this.#nextId++;
    let result: Record<string, unknown> | undefined;
    this.#pending.set(id, (value) => {
      result = value;
    });
    this.#socket?.write(`${JSON.stringify({ ...values, id, do: action })}\n`);
    return await this.until(
      `the puppet to do "${action}"`,
      () => {
        if (result === undefined && this.gone) throw new Error(`the puppet ended before it did "${action}"`);
        return result;
      },
      120_000,
    );
  }

  async write(text: string): Promise<Written> {
    return (await this.do('write', { text })) as unknown as Written;
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.do('write', { hex: Buffer.from(bytes).toString('hex') });
  }

  async lines(from: number, to: number, width = 60): Promise<Written> {
    return (await this.do('lines', { from, to, width })) as unknown as Written;
  }

  /** All it ever wrote. */
  async sum(): Promise<Written> {
    return (await this.do('sum')) as unknown as Written;
  }

  async exit(code: number, text = ''): Promise<Written> {
    await this.ready();
    this.#socket?.write(`${JSON.stringify({ do: 'exit', code, text })}\n`);
    const written = await this.until('the puppet to say goodbye', () => this.goodbye);
    await this.untilGone();
    return written;
  }

  close(): void {
    this.#socket?.destroy();
    this.#server.close();
  }

  #take(part: string): void {
    this.#rest += part;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      const message = JSON.parse(this.#rest.slice(0, end)) as FromPuppet;
      this.#rest = this.#rest.slice(end + 1);
      if (message.hello !== undefined) this.pid = message.hello.pid;
      if (message.read !== undefined) this.reads.push(Buffer.from(message.read, 'hex'));
      if (message.size !== undefined) this.sizes.push(message.size);
      if (message.signal !== undefined) this.signals.push(message.signal);
      if (message.inputError !== undefined) this.inputErrors.push(message.inputError);
      if (message.goodbye !== undefined) this.goodbye = message.goodbye;
      if (message.id !== undefined) {
        this.#pending.get(message.id)?.(message.result ?? {});
        this.#pending.delete(message.id);
      }
    }
    this.#signal.notify();
  }
}

/** Waits until the server has all that the program wrote: a program is done with writing before its terminal was read. */
export async function untilTaken(api: ApiClient, id: string, puppet: Puppet): Promise<void> {
  const { bytes } = await puppet.sum();
  await eventually(`${bytes} bytes at the server`, async () => (await api.rawOutput(id)).total_written >= bytes);
}

export interface PuppetSession {
  id: string;
  alias: string;
  puppet: Puppet;
}

export interface PuppetSetup {
  puppet: Puppet;
  /** What makes a session run it. */
  program: Pick<CreateSession, 'shell' | 'args'>;
}

/** Prepares a puppet; the program connects when a session starts it. */
export async function preparePuppet(cleanup: Cleanup, mode: 'raw' | 'cooked' = 'cooked'): Promise<PuppetSetup> {
  const directory = await cleanup.temporaryDirectory('tuic-p-');
  const path = join(directory, 'control');
  const server = createServer();
  const puppet = new Puppet(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  cleanup.defer(() => puppet.close());
  return { puppet, program: { shell: process.execPath, args: [PROGRAM, path, mode] } };
}

/** Opens a session that runs a puppet and waits until it is there. */
export async function startPuppet(
  cleanup: Cleanup,
  api: ApiClient,
  options: CreateSession & { mode?: 'raw' | 'cooked' } = {},
): Promise<PuppetSession> {
  const { mode, ...session } = options;
  const { puppet, program } = await preparePuppet(cleanup, mode ?? 'cooked');
  const created = await api.createSession({ ...session, ...program });
  await puppet.ready();
  return { id: created.session_id, alias: created.alias, puppet };
}
