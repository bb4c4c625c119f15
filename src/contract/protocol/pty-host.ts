/**
 * Protocol between the server and the pty host, and the interface both sides share. The host implements `PtyHost` in
 * process (src/pty-host); the server talks to it through a socket client with the same interface (src/platform/pty-host).
 *
 * Offsets are absolute byte positions since spawn. Order per session is the order of the master: output, resize records,
 * exit, end. The host never drops a byte at or after the checkpoint offset while a server is attached; it stops reading
 * instead. Detached, it pauses for DEADLINES.hostDetachedPause when full, then overwrites and records an exact gap.
 */
import type { Disposable } from '../../base/index.ts';

export const PROTOCOL_MIN = 1;
export const PROTOCOL_MAX = 1;

/** u32 payload length | u8 type | u8 flags | u16 session slot | u64 offset, little endian, then the payload. */
export const FRAME_HEADER = 16;

export const FRAME = {
  hello: 1,
  request: 2,
  write: 3,
  ack: 4,
  checkpoint: 5,
  welcome: 65,
  response: 66,
  output: 67,
  resized: 68,
  exit: 69,
  end: 70,
  written: 71,
  gap: 72,
  data: 74,
  notice: 75,
} as const;

/** Flag of a write frame: the payload is an answer to a terminal query and starts with the query's u64 offset. */
export const WRITE_IS_ANSWER = 1;

export interface Hello {
  protoMin: number;
  protoMax: number;
  build: string;
  bootId: string;
  pid: number;
}

export interface SpawnRequest {
  /** Client-chosen session id; a second spawn with the same id returns the first one's session. */
  id: string;
  /** Program to run: absolute, or a name looked up on PATH of `env`. Resolved and checked by the host before the fork. */
  file: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  cols: number;
  rows: number;
}

export interface ExitStatus {
  /** Exit code, or 128 + signal number. */
  code: number;
  signal: string | null;
}

export interface HostSession {
  id: string;
  pid: number;
  /** Epoch milliseconds. */
  startedAt: number;
  file: string;
  cwd: string;
  cols: number;
  rows: number;
  /** Oldest byte kept. */
  tail: number;
  /** Bytes read so far. */
  head: number;
  checkpointOffset: number;
  answeredOffset: number;
  paused: boolean;
  /** Set when the process has ended. */
  exit?: ExitStatus;
  /** True when the terminal is drained: no byte will follow. */
  ended: boolean;
}

/** Receives one session's ordered stream. The bytes of `output` belong to the receiver. */
export interface PtySink {
  output(offset: number, bytes: Uint8Array): void;
  /** Recorded before the program is signalled: bytes from `offset` on may be drawn for the new size. */
  resized(offset: number, cols: number, rows: number): void;
  /** Bytes [from, to) were overwritten while no server was attached. */
  gap(from: number, to: number): void;
  exit(offset: number, status: ExitStatus): void;
  end(offset: number): void;
}

export interface Attached {
  session: HostSession;
  /** The newest checkpoint blob, when one was stored. */
  checkpoint?: { offset: number; blob: Uint8Array };
  /** Where the stream will start: the asked offset, or later when that is gone (a gap is delivered first). */
  start: number;
  /** Size in force at `start`. */
  cols: number;
  rows: number;
  /** Bytes before this offset are older than 2 s: their terminal queries are not answered any more (D10). */
  staleBefore: number;
}

export interface PtyHost {
  readonly hello: Hello;
  list(): Promise<HostSession[]>;
  /** Rejects with AppError program_not_found, path_not_directory or spawn_failed; nothing is left behind then. */
  spawn(request: SpawnRequest): Promise<HostSession>;
  /** Reads the stored checkpoint without starting the stream. */
  checkpoint(id: string): Promise<{ offset: number; blob: Uint8Array } | undefined>;
  /** Starts the ordered stream at `since`. One sink a session: a second attach replaces the first. */
  attach(id: string, since: number, sink: PtySink): Promise<Attached>;
  detach(id: string): Promise<void>;
  /** Everything before `offset` is consumed: the host may send LIMITS.hostCredit bytes beyond it. */
  acknowledge(id: string, offset: number): void;
  /** Stores the blob, replacing the older one, and lets the ring drop what is before `offset`. */
  storeCheckpoint(id: string, offset: number, blob: Uint8Array): void;
  /** Copies [from, to) of the ring, clipped to what is kept. */
  read(id: string, from: number, to: number): Promise<{ offset: number; bytes: Uint8Array }>;
  /**
   * Resolves when the bytes are in the session's write queue (they survive the server then). Rejects with session_not_live,
   * write_queue_full or write_failed; then no byte of them was queued.
   */
  write(id: string, bytes: Uint8Array): Promise<void>;
  /**
   * Answers the terminal query whose sequence ended at `queryOffset`. Ignored when an answer at or past that offset was
   * given before, or when another process group has come to the foreground since the query was read (W09).
   */
  answer(id: string, queryOffset: number, bytes: Uint8Array): void;
  resize(id: string, cols: number, rows: number): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /**
   * Ends the whole tree and resolves when nothing of it is left. "close": Ctrl-C, HUP, TERM, KILL with the grace times of
   * DEADLINES; "kill": KILL at once. Sweeps escapees by TUIC_SESSION. The sink still gets exit and end.
   */
  kill(id: string, mode: 'close' | 'kill'): Promise<void>;
  /** Drops the record of an ended session (ring, checkpoint). Refused while it lives. */
  forget(id: string): Promise<void>;
  /** Ends all sessions and the host. */
  shutdown(): Promise<void>;
  /** Fires once when the host is gone or the connection broke. */
  onDisconnect(listener: () => void): Disposable;
}

export interface HostStatus extends Hello {
  configDirectory: string;
  startedAt: number;
  sessions: HostSession[];
}
