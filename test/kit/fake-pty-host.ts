/**
 * A scripted pty host: the test is the program. The stream's machinery (ring, credit, records, order) is the real one.
 * Its connection can be broken and made again (`reconnect`), and its process can be gone (`FakeSupervisor.lose`).
 */
import { type Clock, Emitter } from '../../src/base/index.ts';
import {
  AppError,
  type Attached,
  type ExitStatus,
  type Hello,
  type HostSession,
  LIMITS,
  type PtyHost,
  type PtySink,
  type SpawnRequest,
} from '../../src/contract/index.ts';
import type { HostSupervisor } from '../../src/domain/sessions/index.ts';
import { OutputStream } from '../../src/pty-host/output-stream.ts';

export interface FakeProgram {
  readonly request: SpawnRequest;
  readonly stream: OutputStream;
  readonly written: string[];
  readonly answers: { queryOffset: number; data: string }[];
  readonly kills: ('close' | 'kill')[];
  checkpoint: { offset: number; blob: Uint8Array } | undefined;
  exit: ExitStatus | undefined;
  ended: boolean;
  paused: boolean;
  /** Room for `bytes` more without dropping what the newest checkpoint needs. */
  hasRoom(bytes: number): boolean;
  print(data: string | Uint8Array): void;
  /** The process ends, then its terminal is drained. */
  end(code: number): void;
}

/** What the host process has; it outlives connections. */
export class FakeHostProcess {
  readonly bootId: string;
  readonly programs = new Map<string, FakeProgram>();
  readonly clock: Clock;
  /** Set to make the next spawns fail. */
  spawnFailure: AppError | undefined;
  spawnCount = 0;
  staleBefore = 0;
  /** kill ends the program with this code, unless undefined. */
  killCode: number | undefined = 137;

  constructor(clock: Clock, bootId = 'boot-1') {
    this.clock = clock;
    this.bootId = bootId;
  }

  program(id: string): FakeProgram {
    const program = this.programs.get(id);
    if (program === undefined) throw new AppError('session_not_found');
    return program;
  }

  start(request: SpawnRequest): FakeProgram {
    const stream = new OutputStream({ clock: this.clock, cols: request.cols, rows: request.rows });
    const program: FakeProgram = {
      request,
      stream,
      written: [],
      answers: [],
      kills: [],
      checkpoint: undefined,
      exit: undefined,
      ended: false,
      paused: false,
      hasRoom: (bytes) => {
        const needed = Math.min(program.checkpoint?.offset ?? 0, stream.cursor);
        return stream.ring.end + bytes - Math.max(needed, stream.ring.start) <= LIMITS.ring;
      },
      print: (data) => stream.append(typeof data === 'string' ? Buffer.from(data) : data),
      end: (code) => {
        program.exit = { code, signal: null };
        stream.exited(program.exit);
        program.ended = true;
        stream.ended();
      },
    };
    this.programs.set(request.id, program);
    return program;
  }
}

export class FakePtyHost implements PtyHost {
  readonly hello: Hello;
  readonly process: FakeHostProcess;
  readonly #disconnected = new Emitter<void>();
  readonly #sinks = new Map<string, PtySink>();
  isBroken = false;

  constructor(process: FakeHostProcess) {
    this.process = process;
    this.hello = { protoMin: 1, protoMax: 1, build: 'test', bootId: process.bootId, pid: 1 };
  }

  /** The connection breaks: nothing is delivered and nothing is taken any more. */
  disconnect(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    for (const [id] of this.#sinks) this.process.programs.get(id)?.stream.detach();
    this.#sinks.clear();
    this.#disconnected.emit();
  }

  #program(id: string): FakeProgram {
    if (this.isBroken) throw new AppError('host_unavailable', { detail: 'the connection broke' });
    return this.process.program(id);
  }

  #describe(id: string): HostSession {
    const program = this.process.program(id);
    const { ring, size } = program.stream;
    return {
      id,
      pid: 4242,
      startedAt: 0,
      file: program.request.file,
      cwd: program.request.cwd,
      cols: size.cols,
      rows: size.rows,
      tail: ring.start,
      head: ring.end,
      checkpointOffset: program.checkpoint?.offset ?? 0,
      answeredOffset: 0,
      paused: program.paused,
      ...(program.exit === undefined ? {} : { exit: program.exit }),
      ended: program.ended,
    };
  }

  async list(): Promise<HostSession[]> {
    if (this.isBroken) throw new AppError('host_unavailable', { detail: 'the connection broke' });
    return [...this.process.programs.keys()].map((id) => this.#describe(id));
  }

  async spawn(request: SpawnRequest): Promise<HostSession> {
    if (this.isBroken) throw new AppError('host_unavailable', { detail: 'the connection broke' });
    this.process.spawnCount++;
    if (this.process.spawnFailure !== undefined) throw this.process.spawnFailure;
    if (!this.process.programs.has(request.id)) this.process.start(request);
    return this.#describe(request.id);
  }

  async checkpoint(id: string) {
    return this.#program(id).checkpoint;
  }

  async attach(id: string, since: number, sink: PtySink): Promise<Attached> {
    const program = this.#program(id);
    this.#sinks.set(id, sink);
    const { start, cols, rows } = program.stream.attach(since, sink);
    const { checkpoint } = program;
    return {
      session: this.#describe(id),
      ...(checkpoint === undefined ? {} : { checkpoint }),
      start,
      cols,
      rows,
      staleBefore: this.process.staleBefore,
    };
  }

  async detach(id: string): Promise<void> {
    this.#program(id).stream.detach();
  }

  acknowledge(id: string, offset: number): void {
    if (!this.isBroken) this.process.programs.get(id)?.stream.acknowledge(offset);
  }

  storeCheckpoint(id: string, offset: number, blob: Uint8Array): void {
    const program = this.isBroken ? undefined : this.process.programs.get(id);
    if (program !== undefined) program.checkpoint = { offset, blob };
  }

  async read(id: string, from: number, to: number) {
    return this.#program(id).stream.ring.slice(from, to);
  }

  async write(id: string, bytes: Uint8Array): Promise<void> {
    const program = this.#program(id);
    if (program.exit !== undefined) throw new AppError('session_not_live', { lifecycle: 'exited' });
    program.written.push(Buffer.from(bytes).toString());
  }

  answer(id: string, queryOffset: number, bytes: Uint8Array): void {
    this.#program(id).answers.push({ queryOffset, data: Buffer.from(bytes).toString() });
  }

  async resize(id: string, cols: number, rows: number): Promise<void> {
    this.#program(id).stream.resized(cols, rows);
  }

  async pause(id: string): Promise<void> {
    this.#program(id).paused = true;
  }

  async resume(id: string): Promise<void> {
    this.#program(id).paused = false;
  }

  async kill(id: string, mode: 'close' | 'kill'): Promise<void> {
    const program = this.#program(id);
    program.kills.push(mode);
    if (this.process.killCode !== undefined && !program.ended) program.end(this.process.killCode);
  }

  async forget(id: string): Promise<void> {
    const program = this.#program(id);
    if (!program.ended) throw new AppError('invalid_input', { detail: 'the session is still live' });
    this.process.programs.delete(id);
  }

  async shutdown(): Promise<void> {
    this.disconnect();
  }

  onDisconnect(listener: () => void) {
    return this.#disconnected.on(listener);
  }
}

export class FakeSupervisor implements HostSupervisor {
  process: FakeHostProcess;
  host: FakePtyHost | undefined;
  /** Set to make connecting fail. */
  failure: AppError | undefined;
  readonly #connected = new Emitter<PtyHost>();
  readonly #lost = new Emitter<string>();

  constructor(process: FakeHostProcess) {
    this.process = process;
  }

  async ensure(): Promise<PtyHost> {
    if (this.failure !== undefined) throw this.failure;
    return this.host ?? this.reconnect();
  }

  reconnect(): FakePtyHost {
    this.host?.disconnect();
    const host = new FakePtyHost(this.process);
    this.host = host;
    this.#connected.emit(host);
    return host;
  }

  disconnect(): void {
    const { host } = this;
    this.host = undefined;
    host?.disconnect();
  }

  /** The host's process is gone, and a new one stands ready. */
  lose(next: FakeHostProcess): void {
    const { bootId } = this.process;
    this.process = next;
    this.disconnect();
    this.#lost.emit(bootId);
  }

  onConnected(listener: (host: PtyHost) => void) {
    return this.#connected.on(listener);
  }

  onLost(listener: (bootId: string) => void) {
    return this.#lost.on(listener);
  }
}
