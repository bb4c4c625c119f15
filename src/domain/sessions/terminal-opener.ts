/**
 * Brings a session's terminal into memory: a fresh one at its creation, one that a host holds after a restart of the
 * server, or the last stored screen and log of one that no host has any more.
 *
 * Promises: one terminal a session; two who ask share one opening; what a host delivers while the engine is being
 * restored waits in order. The stored log is cut back to what the restored screen knows, since it may be newer.
 */
import type { Clock } from '../../base/index.ts';
import { AppError, type ExitStatus, type PtyHost } from '../../contract/index.ts';
import type { SessionFiles } from '../../platform/fs/index.ts';
import type { ActivityReader, ForegroundProgram } from './activity.ts';
import { unwrapCheckpoint } from './checkpoint-envelope.ts';
import type { ParseScheduler } from './parse-scheduler.ts';
import type { RawTap, SessionLog } from './ports.ts';
import type { LookBehind } from './program-watch.ts';
import type { CreateScreen, ScreenCheckpoint, ScreenEngine, ScreenOptions } from './screen/model.ts';
import type { Session } from './session.ts';
import { SinkRelay } from './sink-relay.ts';
import type { TerminalSize } from './size-rule.ts';
import { Terminal } from './terminal.ts';

export interface TerminalEvents {
  /** What is known of its program changed. */
  onActivity(session: Session): void;
  onAgentSession(session: Session, id: string): void;
  /** That, or what may be typed at it, or its turn. */
  onTyping(session: Session): void;
  onTitle(session: Session, title: string): void;
  onOutput(bytes: number): void;
  onResized(session: Session, size: TerminalSize): void;
  onEnd(session: Session, status: ExitStatus | undefined): void;
}

export interface TerminalOpenerOptions {
  clock: Clock;
  scheduler: ParseScheduler;
  files: SessionFiles;
  log: SessionLog;
  createScreen: CreateScreen;
  version: string;
  events: TerminalEvents;
  tap?: RawTap | undefined;
  createActivityReader(agentType: string | null, hookNonce: string | null): ActivityReader;
  /** What runs in front of a session; null when nobody can tell. */
  lookInFront: ((session: Session) => Promise<ForegroundProgram | null>) | undefined;
  /** What the program in front left running. */
  lookBehind: ((session: Session) => ReturnType<LookBehind>) | undefined;
  /** False once the connection broke. */
  isConnected(host: PtyHost): boolean;
}

export class TerminalOpener {
  readonly #options: TerminalOpenerOptions;

  constructor(options: TerminalOpenerOptions) {
    this.#options = options;
  }

  /** A session that has just been spawned: nothing is stored, nothing was read. The caller attaches it. */
  create(session: Session): Terminal {
    const { rows, cols } = session.record;
    return this.#use(session, this.#restore(session, { rows, cols }));
  }

  /** A session the host holds: its checkpoint, then the output since. Resolves when the present is reached. */
  async adopt(session: Session, host: PtyHost): Promise<Terminal> {
    const { files } = this.#options;
    const held = await host.checkpoint(session.id);
    const { program, checkpoint } = unwrap(held);
    const stored = await files.read(session.id);
    const relay = new SinkRelay();
    const attached = await host.attach(session.id, checkpoint?.offset ?? 0, relay);
    const engine = this.#restore(session, {
      rows: attached.rows,
      cols: attached.cols,
      origin: checkpoint?.offset ?? 0,
      answerAfter: attached.staleBefore,
      ...(checkpoint === undefined ? {} : { checkpoint, chunks: stored.log }),
    });
    await this.#trimLog(session, engine);
    const terminal = this.#use(session, engine, { replayUntil: attached.session.head, adopted: { program } });
    const sink = terminal.sinkFor(host);
    terminal.settle(attached);
    relay.forwardTo(sink);
    if (!this.#options.isConnected(host)) terminal.detach();
    await terminal.received(attached.session.head);
    terminal.look();
    return terminal;
  }

  /** A session without a host: what the disk has. */
  async restore(session: Session): Promise<Terminal> {
    const { rows, cols } = session.record;
    const { screen: held, log } = await this.#options.files.read(session.id);
    const { checkpoint: screen } = unwrap(held);
    const engine = this.#restore(session, {
      rows,
      cols,
      answerAfter: Number.POSITIVE_INFINITY,
      ...(screen === undefined ? {} : { checkpoint: screen, chunks: log }),
    });
    const isStored = screen !== undefined;
    const rest = isStored ? await this.#unstored(session, engine) : undefined;
    const terminal = this.#use(session, engine, {
      isStored,
      replayUntil: Number.POSITIVE_INFINITY,
      adopted: { program: undefined },
    });
    if (rest !== undefined) terminal.replay(rest);
    await terminal.parsed();
    return terminal;
  }

  /** A screen is stored as of the last whole sequence; what its program still wrote after it stands in the ring. */
  async #unstored(session: Session, engine: ScreenEngine): Promise<Uint8Array | undefined> {
    const ring = await this.#options.files.readRing(session.id);
    if (ring === undefined || ring.offset > engine.ingestedOffset) return undefined;
    return ring.bytes.subarray(engine.ingestedOffset - ring.offset);
  }

  async #trimLog(session: Session, engine: ScreenEngine): Promise<void> {
    try {
      await this.#options.files.trimLog(session.id, engine.logChunks().chunks);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#options.log.warn({ session: session.id, reason: error.message }, 'the stored log was not cut back');
    }
  }

  /** A blob that cannot be read (older version, damage) costs the old screen, not the session. */
  #restore(session: Session, wanted: ScreenOptions): ScreenEngine {
    const { clock, version } = this.#options;
    const options = { ...wanted, clock, version };
    try {
      return this.#options.createScreen(options);
    } catch (error) {
      if (options.checkpoint === undefined) throw error;
      this.#options.log.error(
        { session: session.id, error },
        'the stored screen cannot be read; starting with an empty one',
      );
      const { checkpoint, chunks: _chunks, ...rest } = options;
      return this.#options.createScreen({ ...rest, origin: checkpoint.offset });
    }
  }

  #use(
    session: Session,
    engine: ScreenEngine,
    { adopted, ...more }: { isStored?: boolean; replayUntil?: number; adopted?: { program: unknown } } = {},
  ): Terminal {
    const { clock, scheduler, files, log, events, tap, createActivityReader, lookInFront, lookBehind } = this.#options;
    if (engine.title !== '') session.title = engine.title;
    const reader = createActivityReader(session.record.agent_type, session.record.hook_nonce);
    if (adopted !== undefined) reader.restore(adopted.program);
    const terminal = new Terminal({
      id: session.id,
      engine,
      clock,
      scheduler,
      files,
      log,
      ...more,
      tap,
      reader,
      lookInFront: lookInFront && (() => lookInFront(session)),
      lookBehind: lookBehind && (() => lookBehind(session)),
      onActivity: () => events.onActivity(session),
      onAgentSession: (id) => events.onAgentSession(session, id),
      onTitle: (title) => events.onTitle(session, title),
      onOutput: (bytes) => events.onOutput(bytes),
      onResized: (size) => events.onResized(session, size),
      onEnd: (status) => events.onEnd(session, status),
    });
    // Ends with the terminal.
    terminal.onActivityChange(() => events.onTyping(session));
    session.terminal = terminal;
    return terminal;
  }
}

function unwrap(held: ScreenCheckpoint | undefined): { program: unknown; checkpoint: ScreenCheckpoint | undefined } {
  if (held === undefined) return { program: undefined, checkpoint: undefined };
  const { program, screen } = unwrapCheckpoint(held.blob);
  return { program, checkpoint: { offset: held.offset, blob: screen } };
}
