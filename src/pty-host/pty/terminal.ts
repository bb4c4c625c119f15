/**
 * One pseudo-terminal: master, child, reader and write queue.
 *
 * Promises: every byte the program wrote is handed on, in order, before its exit is told; the end is told once, after the
 * last byte. The order at an exit matters: stop the reader (libuv would take the hang-up for the end and drop the tail),
 * let go of the held slave, read to EIO by hand, close. Others may still hold the terminal then: they are read for
 * DEADLINES.exitLinger more, and the exit is told after the first empty read.
 * Every use of the master's descriptor first asks `#isClosed`: after a close the number may belong to something else.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { ReadStream } from 'node:tty';
import type { Clock, Disposable } from '../../base/index.ts';
import { AppError, DEADLINES, type ExitStatus } from '../../contract/index.ts';
import { errorCode } from '../error-code.ts';
import { loadNative } from './native.ts';
import { type WriteAttempt, WriteQueue } from './write-queue.ts';

/** Most bytes one read brings. */
export const READ_SIZE = 65_536;
/** Read in one turn of the loop after an exit, so that a background job that floods cannot hold it. */
const DRAIN_TURN = 4 * READ_SIZE;
/** More than the kernel keeps of one terminal: once so much was read after an exit, all of the dead program is out. */
const KERNEL_BUFFER = 16 * READ_SIZE;
const DRAIN_RETRY_MIN = 1;
const DRAIN_RETRY_MAX = 50;
const NO_USER = -1;
const NO_GROUP = -1;

export interface TerminalOwner {
  /** The bytes are valid only during the call. */
  output(bytes: Uint8Array): void;
  /** False while READ_SIZE bytes more cannot be taken. The owner calls `continueReading` when that changes. */
  hasRoom(): boolean;
  /** The process is gone (known at once; its last output may still come). */
  died(status: ExitStatus): void;
  /** All the program wrote has been handed on. */
  exit(status: ExitStatus): void;
  end(): void;
}

export interface TerminalProgram {
  /** Absolute and checked. */
  file: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  cols: number;
  rows: number;
}

const signalNames = new Map(Object.entries(system.signals).map(([name, number]) => [number as number, name]));
/** One buffer for all terminals: owners copy at once. */
const shared = new Uint8Array(READ_SIZE);

export class Terminal {
  readonly pid: number;
  readonly #clock: Clock;
  readonly #owner: TerminalOwner;
  readonly #fd: number;
  readonly #reader: ReadStream;
  readonly #queue: WriteQueue;
  #hold: number | undefined;
  #status: ExitStatus | undefined;
  #isExitTold = false;
  #isEndTold = false;
  #isPaused = false;
  #drainedBytes = 0;
  #lingerUntil = 0;
  #retry = DRAIN_RETRY_MIN;
  #timer: Disposable | undefined;
  #isDraining = false;

  /** Throws AppError spawn_failed; nothing is left behind then. */
  constructor(program: TerminalProgram, clock: Clock, owner: TerminalOwner) {
    this.#clock = clock;
    this.#owner = owner;
    const native = loadNative();
    const environment = Object.entries(program.env).map(([name, value]) => `${name}=${value}`);
    let child: { fd: number; pid: number; pty: string };
    try {
      child = native.fork(
        program.file,
        program.args,
        environment,
        program.cwd,
        program.cols,
        program.rows,
        NO_USER,
        NO_GROUP,
        true,
        '',
        (code, signal) => this.#onDeath(code, signal),
      );
    } catch (error) {
      throw new AppError('spawn_failed', { detail: describe(error) }, { cause: error });
    }
    // At once: no other fork may come between.
    native.setCloseOnExec(child.fd);
    this.pid = child.pid;
    this.#fd = child.fd;
    this.#queue = new WriteQueue(clock, (slice) => this.#write(slice));
    try {
      this.#hold = openSync(child.pty, constants.O_RDWR | constants.O_NOCTTY);
    } catch (error) {
      // Without the hold the tail of the output could be lost. Closing the master hangs the child up.
      closeSync(child.fd);
      this.#isEndTold = true;
      throw new AppError('spawn_failed', { detail: describe(error) }, { cause: error });
    }
    this.#reader = new ReadStream(child.fd, {
      onread: {
        buffer: shared,
        callback: (count: number) => {
          this.#take(count);
          return true;
        },
      },
    } as ConstructorParameters<typeof ReadStream>[1]);
    // EIO is how a terminal ends (T02); 'close' follows every error.
    this.#reader.on('error', () => {});
    this.#reader.on('close', () => this.#finish());
    this.#reader.resume();
  }

  /** True from the death of the process on. */
  get isDead(): boolean {
    return this.#status !== undefined;
  }

  get #isClosed(): boolean {
    return this.#reader.destroyed;
  }

  /** Bytes that wait for the program. */
  get queuedBytes(): number {
    return this.#queue.size;
  }

  /** False when the queue's cap would be passed; then nothing was queued. */
  write(bytes: Uint8Array, isWanted?: () => boolean): boolean {
    if (this.#status !== undefined || this.#isClosed) return false;
    return this.#queue.push(bytes, isWanted);
  }

  /** Past the queue and without a promise: for the Ctrl-C of a close. */
  interrupt(): void {
    if (this.#status === undefined) this.#write(Uint8Array.of(3));
  }

  resize(cols: number, rows: number): void {
    if (!this.#isClosed) loadNative().resize(this.#fd, cols, rows);
  }

  pauseReading(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    if (this.#status === undefined) this.#stopReader();
  }

  continueReading(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#status !== undefined) this.#drain();
    else if (!this.#isClosed) this.#reader.resume();
  }

  /** Lets go of the terminal without waiting for who else holds it. The process should be gone. */
  close(): void {
    this.#timer?.dispose();
    this.#queue.close();
    this.#releaseHold();
    this.#reader.destroy();
  }

  /** A resume of the same turn would start the handle again at the next tick: stop it once more behind that. */
  #stopReader(): void {
    this.#reader.pause();
    process.nextTick(() => {
      if (!this.#isClosed && (this.#isPaused || this.#status !== undefined)) this.#reader.pause();
    });
  }

  #take(count: number): void {
    this.#owner.output(shared.subarray(0, count));
  }

  #write(slice: Uint8Array): WriteAttempt {
    if (this.#isClosed) return 'closed';
    try {
      return writeSync(this.#fd, slice);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EAGAIN') return 'again';
      if (code === 'EIO') return 'closed';
      throw error;
    }
  }

  #onDeath(code: number, signal: number): void {
    this.#status =
      signal === 0 ? { code, signal: null } : { code: 128 + signal, signal: signalNames.get(signal) ?? `SIG${signal}` };
    if (this.#isEndTold) return;
    this.#queue.close();
    this.#lingerUntil = this.#clock.monotonic() + DEADLINES.exitLinger;
    this.#stopReader();
    this.#releaseHold();
    this.#owner.died(this.#status);
    this.#drain();
  }

  #releaseHold(): void {
    if (this.#hold === undefined) return;
    closeSync(this.#hold);
    this.#hold = undefined;
  }

  #drain(): void {
    // The owner may call continueReading from within output().
    if (this.#isDraining || this.#status === undefined) return;
    this.#isDraining = true;
    this.#timer?.dispose();
    try {
      this.#drainTurn();
    } finally {
      this.#isDraining = false;
    }
  }

  #drainTurn(): void {
    let turn = DRAIN_TURN;
    while (!this.#isClosed) {
      if (!this.#owner.hasRoom()) {
        this.#isPaused = true;
        return;
      }
      if (turn <= 0) {
        if (this.#drainedBytes >= KERNEL_BUFFER) {
          this.#tellExit();
          if (this.#clock.monotonic() >= this.#lingerUntil) break;
        }
        this.#timer = this.#clock.after(0, () => this.#drain());
        return;
      }
      let count: number;
      try {
        count = readSync(this.#fd, shared, 0, READ_SIZE, null);
      } catch (error) {
        const code = errorCode(error);
        if (code === 'EIO') break;
        if (code !== 'EAGAIN') {
          // Unforeseen: the end is told all the same, nobody may wait for it for ever.
          this.close();
          this.#finish();
          throw error;
        }
        this.#tellExit();
        if (this.#clock.monotonic() >= this.#lingerUntil) break;
        this.#timer = this.#clock.after(this.#retry, () => this.#drain());
        this.#retry = Math.min(this.#retry * 2, DRAIN_RETRY_MAX);
        return;
      }
      if (count === 0) break;
      this.#retry = DRAIN_RETRY_MIN;
      turn -= count;
      this.#drainedBytes += count;
      this.#take(count);
    }
    this.close();
    this.#finish();
  }

  #tellExit(): void {
    if (this.#isExitTold || this.#status === undefined) return;
    this.#isExitTold = true;
    this.#owner.exit(this.#status);
  }

  /** After the last byte. A terminal that was hung up before its process died waits for that death. */
  #finish(): void {
    if (this.#status === undefined) {
      this.#queue.close();
      return;
    }
    if (this.#isEndTold) return;
    this.#tellExit();
    this.#isEndTold = true;
    this.#owner.end();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
