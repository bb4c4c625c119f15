/**
 * One terminal with all that is known of it.
 *
 * Owns the terminal, its output stream, the checkpoint and the offset up to which queries were answered. Promises:
 * - A byte at or after the checkpoint is not dropped while a server is attached: reading stops, the kernel pauses the
 *   program. Detached and full it stops for DEADLINES.hostDetachedPause, then overwrites; the next receiver is told exactly.
 * - A size is recorded before the program can know of it.
 * - Queries are answered once, and never to a program that did not ask (W09).
 */
import type { Clock, Disposable } from '../base/index.ts';
import {
  AppError,
  type Attached,
  DEADLINES,
  type ExitStatus,
  type HostSession,
  LIMITS,
  type SpawnRequest,
} from '../contract/index.ts';
import { type HostSink, OutputStream } from './output-stream.ts';
import { ForegroundMarks, readForegroundGroup } from './pty/foreground.ts';
import { READ_SIZE, Terminal } from './pty/terminal.ts';
import { TimeMarks } from './time-marks.ts';

export interface SessionOptions {
  request: SpawnRequest;
  /** `request.file`, resolved. */
  program: string;
  clock: Clock;
  readForeground?: (pid: number) => number | undefined;
}

export class Session {
  readonly id: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Marks the session's processes, also those that left its tree. */
  readonly marker: string | undefined;
  readonly #clock: Clock;
  readonly #program: string;
  readonly #cwd: string;
  readonly #terminal: Terminal;
  readonly #stream: OutputStream;
  readonly #foreground: ForegroundMarks;
  readonly #times: TimeMarks;
  #checkpoint: { offset: number; blob: Uint8Array } | undefined;
  #answeredOffset = 0;
  #isPaused = false;
  #isOverwriting = false;
  #overwriteTimer: Disposable | undefined;
  #death: ExitStatus | undefined;
  #exit: ExitStatus | undefined;
  #isEnded = false;
  readonly #onDeath: (() => void)[] = [];

  /** Throws AppError spawn_failed; nothing is left behind then. */
  constructor({ request, program, clock, readForeground = readForegroundGroup }: SessionOptions) {
    this.id = request.id;
    this.startedAt = clock.now();
    this.marker = request.env.TUIC_SESSION || undefined;
    this.#clock = clock;
    this.#program = program;
    this.#cwd = request.cwd;
    this.#times = new TimeMarks(clock);
    this.#foreground = new ForegroundMarks(() => readForeground(this.pid));
    this.#stream = new OutputStream({
      clock,
      cols: request.cols,
      rows: request.rows,
      onQuietOutput: (from, to) => this.#foreground.mark(from, to),
    });
    const { args, env, cwd, cols, rows } = request;
    this.#terminal = new Terminal({ file: program, args, env, cwd, cols, rows }, clock, {
      output: (bytes) => this.#take(bytes),
      hasRoom: () => this.#hasRoom(),
      died: (status) => {
        this.#death = status;
        for (const notify of this.#onDeath.splice(0)) notify();
      },
      exit: (status) => {
        this.#exit = status;
        this.#stream.exited(status);
      },
      end: () => {
        this.#isEnded = true;
        this.#overwriteTimer?.dispose();
        this.#stream.ended();
      },
    });
    this.pid = this.#terminal.pid;
  }

  get isLive(): boolean {
    return this.#death === undefined;
  }

  describe(): HostSession {
    const { ring, size } = this.#stream;
    return {
      id: this.id,
      pid: this.pid,
      startedAt: this.startedAt,
      file: this.#program,
      cwd: this.#cwd,
      cols: size.cols,
      rows: size.rows,
      tail: ring.start,
      head: ring.end,
      checkpointOffset: this.#checkpoint?.offset ?? 0,
      answeredOffset: this.#answeredOffset,
      paused: this.#isPaused,
      ...(this.#exit === undefined ? {} : { exit: this.#exit }),
      ended: this.#isEnded,
    };
  }

  /** Runs `notify` when the process is gone, at once if it is. */
  whenDead(notify: () => void): void {
    if (this.#death === undefined) this.#onDeath.push(notify);
    else notify();
  }

  // ------------------------------------------------------------------ stream

  attach(since: number, sink: HostSink): Attached {
    const head = this.#stream.ring.end;
    if (!Number.isSafeInteger(since) || since < 0 || since > head) {
      throw new AppError('invalid_input', { detail: `offset ${since} is not within 0 to ${head}` });
    }
    const { start, cols, rows } = this.#stream.attach(since, sink);
    this.#isOverwriting = false;
    this.#updateReading();
    return {
      session: this.describe(),
      ...(this.#checkpoint === undefined ? {} : { checkpoint: this.#checkpoint }),
      start,
      cols,
      rows,
      staleBefore: this.#times.offsetBefore(DEADLINES.queryOpen, head),
    };
  }

  /** With a sink given, only that sink is taken away. */
  detach(sink?: HostSink): void {
    if (this.#stream.detach(sink)) this.#updateReading();
  }

  acknowledge(offset: number): void {
    this.#stream.acknowledge(offset);
    this.#updateReading();
  }

  /** The receiver's socket has room again. */
  pump(): void {
    this.#stream.pump();
    this.#updateReading();
  }

  get checkpoint(): { offset: number; blob: Uint8Array } | undefined {
    return this.#checkpoint;
  }

  storeCheckpoint(offset: number, blob: Uint8Array): void {
    // An older one may come from a connection that was replaced meanwhile.
    if (offset > this.#stream.ring.end || offset < (this.#checkpoint?.offset ?? 0)) return;
    this.#checkpoint = { offset, blob };
    this.#updateReading();
  }

  read(from: number, to: number): { offset: number; bytes: Uint8Array } {
    return this.#stream.ring.slice(from, to);
  }

  /** A server came: a full ring waits its whole time again before it is overwritten. */
  restartPatience(): void {
    if (this.#isOverwriting || this.#overwriteTimer === undefined) return;
    this.#overwriteTimer.dispose();
    this.#overwriteTimer = undefined;
    this.#updateReading();
  }

  // ------------------------------------------------------------------ input

  write(bytes: Uint8Array): void {
    this.#requireLive();
    if (this.#terminal.write(bytes)) return;
    if (this.#terminal.queuedBytes + bytes.length > LIMITS.writeQueue) throw new AppError('write_queue_full');
    throw new AppError('write_failed', { detail: 'the terminal was hung up' });
  }

  answer(queryOffset: number, bytes: Uint8Array): void {
    if (queryOffset <= this.#answeredOffset || queryOffset > this.#stream.ring.end) return;
    this.#answeredOffset = queryOffset;
    // Asked again when its turn in the queue has come: the program may be gone by then.
    this.#terminal.write(bytes, () => this.#foreground.isStillForeground(queryOffset));
  }

  resize(cols: number, rows: number): void {
    this.#requireLive();
    const { size } = this.#stream;
    if (size.cols === cols && size.rows === rows) return;
    this.#stream.resized(cols, rows);
    this.#terminal.resize(cols, rows);
  }

  interrupt(): void {
    this.#terminal.interrupt();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#updateReading();
  }

  /** It has ended and is not known any more. */
  forget(): void {
    this.close();
    this.#stream.clear();
  }

  /** Lets go of the terminal, whoever still holds it. */
  close(): void {
    this.#overwriteTimer?.dispose();
    this.#terminal.close();
  }

  #requireLive(): void {
    if (this.#death !== undefined) throw new AppError('session_not_live', { lifecycle: 'exited' });
  }

  // ------------------------------------------------------------------ retention

  #take(bytes: Uint8Array): void {
    this.#times.mark(this.#stream.ring.end);
    this.#stream.append(bytes);
    this.#updateReading();
  }

  /** Room for one more read without dropping what somebody is still to get. */
  #hasRoom(): boolean {
    if (this.#isOverwriting) return true;
    const needed = Math.min(this.#checkpoint?.offset ?? 0, this.#stream.cursor);
    const { ring } = this.#stream;
    return ring.end + READ_SIZE - Math.max(needed, ring.start) <= ring.capacity;
  }

  #updateReading(): void {
    const isFull = !this.#hasRoom();
    const waitsForServer = isFull && !this.#stream.isAttached && !this.#isEnded;
    if (!waitsForServer) {
      this.#overwriteTimer?.dispose();
      this.#overwriteTimer = undefined;
    } else if (this.#overwriteTimer === undefined) {
      this.#overwriteTimer = this.#clock.after(DEADLINES.hostDetachedPause, () => {
        this.#overwriteTimer = undefined;
        this.#isOverwriting = true;
        this.#updateReading();
      });
    }
    // A dead program writes no more: only what is left of it is read, pause or not.
    if (isFull || (this.#isPaused && this.#death === undefined)) this.#terminal.pauseReading();
    else this.#terminal.continueReading();
  }
}
