/**
 * The pty host in process: the sessions and what may be asked of them (contract: PtyHost). The socket server stands before
 * it in the real host; unit tests use it as it is.
 *
 * Owns the map of sessions. Ordering rules: spawns of one id run one after another, so that two requests give one session;
 * a session stands in the map before its spawn resolves; nothing is started for a connection that has ended; nothing is spawned once the shutdown has begun.
 */
import { type Clock, type Disposable, Emitter, isSessionId, KeyedMutex, systemClock } from '../base/index.ts';
import {
  AppError,
  type Attached,
  DEADLINES,
  type Hello,
  type HostSession,
  LIMITS,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type PtyHost,
  type PtySink,
  type SpawnRequest,
} from '../contract/index.ts';
import { type KillTarget, TreeKiller } from './kill/kill-tree.ts';
import { createProcessTable, type ProcessTable } from './kill/process-table.ts';
import type { HostSink } from './output-stream.ts';
import { findProgram, requireDirectory } from './pty/find-program.ts';
import { Session } from './session.ts';

export interface HostOptions {
  bootId: string;
  build: string;
  clock?: Clock;
  processes?: ProcessTable;
  readForeground?: (pid: number) => number | undefined;
}

/** What the process around the host needs beyond the contract. */
export interface LocalHost extends PtyHost {
  readonly sessionCount: number;
  /** `isWanted` is asked right before the program starts; when it says no, nothing is started. */
  spawn(request: SpawnRequest, isWanted?: () => boolean): Promise<HostSession>;
  /** A session began or was forgotten. */
  onSessionsChanged(listener: () => void): Disposable;
  attach(id: string, since: number, sink: HostSink): Promise<Attached>;
  /** Takes this sink away wherever it listens. */
  detachSink(id: string, sink: PtySink): void;
  /** The socket of this session's sink has room again. */
  pump(id: string): void;
  serverConnected(): void;
}

interface Kill {
  readonly killer: TreeKiller;
  readonly done: Promise<void>;
}

export function createHost(options: HostOptions): LocalHost {
  const clock = options.clock ?? systemClock;
  const processes = options.processes ?? createProcessTable();
  const sessions = new Map<string, Session>();
  /** Start times of the roots, read right after the fork. */
  const rootStarts = new Map<string, number>();
  const kills = new Map<string, Kill>();
  const spawning = new KeyedMutex();
  const disconnected = new Emitter<void>();
  const changed = new Emitter<void>();
  let closing: Promise<void> | undefined;

  const hello: Hello = {
    protoMin: PROTOCOL_MIN,
    protoMax: PROTOCOL_MAX,
    build: options.build,
    bootId: options.bootId,
    pid: process.pid,
  };

  function require(id: string): Session {
    const session = sessions.get(id);
    if (session === undefined) throw new AppError('session_not_found');
    return session;
  }

  async function spawn(request: SpawnRequest, isWanted: () => boolean): Promise<HostSession> {
    checkRequest(request);
    const known = sessions.get(request.id);
    if (known !== undefined) return known.describe();
    await requireDirectory(request.cwd);
    const program = await findProgram(request.file, request.env.PATH, request.cwd);
    // Its server went, and the next one may have read the list by now: it takes what is not in there for never started.
    if (!isWanted()) throw new AppError('host_unavailable', { detail: 'the connection that asked has ended' });
    if (closing !== undefined) throw new AppError('host_unavailable', { detail: 'it is shutting down' });
    const { readForeground } = options;
    const session = new Session({
      request,
      program,
      clock,
      ...(readForeground === undefined ? {} : { readForeground }),
    });
    sessions.set(request.id, session);
    const start = processes.find(session.pid)?.startTime;
    if (start !== undefined) rootStarts.set(request.id, start);
    changed.emit();
    return session.describe();
  }

  function targetOf(session: Session): KillTarget {
    const others = [...sessions.values()].filter((other) => other !== session && other.isLive);
    const isShared = others.some((other) => other.marker === session.marker);
    return {
      root: session.pid,
      rootStart: rootStarts.get(session.id),
      marker: isShared ? undefined : session.marker,
      others: others.map((other) => other.pid),
      interrupt: () => session.interrupt(),
    };
  }

  async function kill(id: string, mode: 'close' | 'kill'): Promise<void> {
    const session = require(id);
    const running = kills.get(id);
    if (running !== undefined) {
      if (mode === 'kill') running.killer.hurry();
      return running.done;
    }
    const killer = new TreeKiller(clock, processes, targetOf(session));
    if (mode === 'kill') killer.hurry();
    const done = killer
      .run()
      .then(() => waitForDeath(session, clock))
      .finally(() => kills.delete(id));
    kills.set(id, { killer, done });
    return done;
  }

  async function endAll(): Promise<void> {
    const results = await Promise.allSettled([...sessions.keys()].map((id) => kill(id, 'close')));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  return {
    hello,
    get sessionCount() {
      return sessions.size;
    },
    onSessionsChanged: (listener) => changed.on(listener),
    serverConnected() {
      for (const session of sessions.values()) session.restartPatience();
    },
    detachSink: (id, sink) => sessions.get(id)?.detach(sink),
    pump: (id) => sessions.get(id)?.pump(),

    list: async () => [...sessions.values()].map((session) => session.describe()),
    spawn: (request, isWanted = () => true) => spawning.run(request.id, () => spawn(request, isWanted)),
    checkpoint: async (id) => require(id).checkpoint,
    attach: async (id, since, sink) => require(id).attach(since, sink),
    detach: async (id) => require(id).detach(),
    acknowledge: (id, offset) => sessions.get(id)?.acknowledge(offset),
    storeCheckpoint(id, offset, blob) {
      if (blob.length > LIMITS.hostFrame)
        throw new AppError('invalid_input', { detail: 'the checkpoint is too large' });
      sessions.get(id)?.storeCheckpoint(offset, blob);
    },
    read: async (id, from, to) => require(id).read(from, to),
    write: async (id, bytes) => require(id).write(bytes),
    answer: (id, queryOffset, bytes) => sessions.get(id)?.answer(queryOffset, bytes),
    async resize(id, cols, rows) {
      checkSize('cols', cols);
      checkSize('rows', rows);
      require(id).resize(cols, rows);
    },
    pause: async (id) => require(id).setPaused(true),
    resume: async (id) => require(id).setPaused(false),
    kill,
    async forget(id) {
      const session = sessions.get(id);
      if (session === undefined) return;
      if (session.isLive) throw new AppError('invalid_input', { detail: 'the session is still live' });
      session.forget();
      sessions.delete(id);
      rootStarts.delete(id);
      changed.emit();
    },
    shutdown() {
      // A turn later: whoever asked is answered before the connections end.
      closing ??= endAll().finally(() => setImmediate(() => disconnected.emit()));
      return closing;
    },
    onDisconnect: (listener) => disconnected.on(listener),
  };
}

/** Its processes are gone, or cannot be signalled by us: those feel only the loss of their terminal. */
async function waitForDeath(session: Session, clock: Clock): Promise<void> {
  const isDead = () =>
    new Promise<boolean>((resolve) => {
      const timer = clock.after(DEADLINES.closeTerminate, () => resolve(false));
      session.whenDead(() => {
        timer.dispose();
        resolve(true);
      });
    });
  if (await isDead()) return;
  session.close();
  if (!(await isDead())) throw new AppError('kill_failed', { count: 1 });
}

function checkRequest(request: SpawnRequest): void {
  if (!isSessionId(request.id)) throw new AppError('invalid_session_id');
  checkSize('cols', request.cols);
  checkSize('rows', request.rows);
  // The system ends a text at a NUL and a variable's name at its first "=": what follows would silently be something else.
  const texts = [request.cwd, ...request.args, ...Object.keys(request.env), ...Object.values(request.env)];
  if (texts.some((text) => text.includes('\0'))) throw new AppError('invalid_input', { detail: 'a text holds a NUL' });
  const badName = Object.keys(request.env).find((name) => name === '' || name.includes('='));
  if (badName !== undefined) {
    throw new AppError('invalid_input', { detail: `"${badName}" is no name of an environment variable` });
  }
}

function checkSize(name: 'cols' | 'rows', value: number): void {
  const max = name === 'cols' ? LIMITS.colsMax : LIMITS.rowsMax;
  if (!Number.isInteger(value) || value < 1 || value > max) throw new AppError('size_out_of_range', { name, value });
}
