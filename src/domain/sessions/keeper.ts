/**
 * Keeps the table and the pty host in step: after a start, after each connection, when a program ends, when a host is lost.
 *
 * Owns the terminals in memory. Promises: a session the host knows is live or exited with the host's own status; one it
 * does not know is lost, never "exit 0"; an end that was asked for is carried through by whoever comes after; what an ended
 * program has written moves from the host's memory to the disk.
 * Ordering: rows change before events are published; `#reconcile` runs one at a time; ids that a create under way has
 * reserved are its business alone; the host forgets a session only after its screen, log and ring are stored.
 */
import { type Disposable, Emitter, Slots } from '../../base/index.ts';
import { AppError, DEADLINES, type ExitStatus, type HostSession, type PtyHost } from '../../contract/index.ts';
import type { ForegroundProgram } from './activity.ts';
import { directoryName } from './aliases.ts';
import { Announcer } from './announcer.ts';
import { createParseScheduler } from './parse-scheduler.ts';
import type { SessionDependencies } from './ports.ts';
import { ProcessSnapshots } from './process-snapshots.ts';
import type { LookBehind } from './program-watch.ts';
import { Registry } from './registry.ts';
import type { Session } from './session.ts';
import { SessionStore } from './session-store.ts';
import type { Terminal } from './terminal.ts';
import { TerminalOpener } from './terminal-opener.ts';

/** Sessions taken over at the same time after a start. */
const ADOPT_AT_ONCE = 4;
/** Terminals of ended sessions that stay in memory; older ones are read from the disk again. */
const ENDED_IN_MEMORY = 16;
/** Ended sessions whose output is written to the disk at the same time. */
const PUT_AWAY_AT_ONCE = 4;

export class Keeper {
  readonly registry: Registry;
  readonly opener: TerminalOpener;
  readonly announcer: Announcer;
  /** What is known of a program, what may be typed there, or its turn changed. */
  readonly typingChanges = new Emitter<Session>();
  readonly counters = { spawned: 0, failed: 0, bytes: 0, pauses: 0 };
  readonly #dependencies: SessionDependencies;
  readonly #subscriptions: Disposable[] = [];
  readonly #broken = new WeakSet<PtyHost>();
  readonly #watched = new WeakSet<PtyHost>();
  /** Ended sessions with a terminal in memory, oldest first. */
  readonly #ended = new Set<Session>();
  readonly #snapshots: ProcessSnapshots;
  readonly #putAwaySlots = new Slots(PUT_AWAY_AT_ONCE);
  readonly #puttingAway = new Map<Session, Promise<void>>();
  #reconciling: Promise<void> = Promise.resolve();
  #settle: () => void = () => {};
  /** Resolves when the table was compared with the host for the first time, or the host was found to be out of reach. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  #reconciled: PtyHost | undefined;
  #isStopped = false;

  constructor(dependencies: SessionDependencies) {
    const { clock, publish, log, createScreen, checkpoints, hosts } = dependencies;
    this.#dependencies = dependencies;
    this.registry = new Registry(new SessionStore(dependencies.database), log);
    this.registry.load();
    this.announcer = new Announcer(publish, clock);
    this.#snapshots = new ProcessSnapshots(dependencies.processes, clock);
    this.opener = new TerminalOpener({
      clock,
      scheduler: createParseScheduler(() => clock.monotonic()),
      files: checkpoints,
      log,
      createScreen,
      tap: dependencies.tap,
      createActivityReader: dependencies.createActivityReader,
      lookInFront: dependencies.recogniseProgram === undefined ? undefined : (session) => this.#lookInFront(session),
      lookBehind: dependencies.findBackgroundWork === undefined ? undefined : (session) => this.#lookBehind(session),
      version: dependencies.version,
      isConnected: (host) => !this.#broken.has(host),
      events: {
        onTitle: (session, title) => this.announcer.titled(session, title),
        onTyping: (session) => this.typingChanges.emit(session),
        onActivity: (session) => this.announcer.activityChanged(session),
        onAgentSession: (session, id) => {
          if (session.record.agent_session !== id) this.registry.update(session, { agent_session: id });
        },
        onOutput: (bytes) => {
          this.counters.bytes += bytes;
        },
        onResized: (session, size) => this.registry.update(session, size),
        onEnd: (session, status) => this.#takeEnd(session, status),
      },
    });
    this.#subscriptions.push(
      hosts.onConnected((host) => {
        this.#inBackground(this.reconcile(host), 'the sessions were not taken over');
      }),
      hosts.onLost((bootId) => this.#takeLoss(bootId)),
      clock.every(DEADLINES.tombstoneSweep, () => this.#inBackground(this.sweep(), 'the sweep failed')),
    );
  }

  /** Takes over what runs. A host that cannot be reached leaves the sessions as the table has them. */
  async start(): Promise<void> {
    const isReached = await this.#reachHost().finally(this.#settle);
    if (isReached) await this.#openAll();
  }

  async #reachHost(): Promise<boolean> {
    await this.#removeForeignFiles();
    try {
      await this.host();
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#dependencies.log.error({ reason: error.message }, 'the sessions wait for their host');
      return false;
    }
  }

  /** Sessions keep running; their newest state is stored. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#settle();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.announcer.dispose();
    await this.#reconciling;
    const sessions = this.registry.all();
    await Promise.all(
      sessions.map(async (session) => {
        // An opening that fails now was told to whoever asked for it.
        await session.opening?.catch(() => undefined);
        const { terminal } = session;
        if (terminal === undefined) return;
        await terminal.typed();
        terminal.closeViewers();
        if (session.isRunning || terminal.isDirty) await terminal.store();
        terminal.dispose();
      }),
    );
    await Promise.all(this.#puttingAway.values());
  }

  /** A connected host whose sessions are known here. */
  async host(): Promise<PtyHost> {
    const host = this.#dependencies.hosts.host ?? (await this.#dependencies.hosts.ensure());
    if (this.#reconciled !== host) await this.reconcile(host);
    return host;
  }

  /** The session's terminal, opened at most once at a time. */
  open(session: Session): Promise<Terminal> {
    // One that is still being opened has not reached the present yet.
    if (session.opening === undefined && session.terminal !== undefined) return Promise.resolve(session.terminal);
    session.opening ??= this.#openNow(session).finally(() => {
      session.opening = undefined;
    });
    return session.opening;
  }

  async #openNow(session: Session): Promise<Terminal> {
    const terminal = await this.#open(session);
    if (this.registry.byId(session.id) === session && !this.#isStopped) return terminal;
    terminal.dispose();
    throw new AppError('session_not_found');
  }

  async #open(session: Session): Promise<Terminal> {
    if (this.#isStopped) throw new AppError('session_not_found');
    if (session.isRunning) {
      const host = await this.host();
      // Taking over may have found out that it is lost.
      if (session.isRunning) return session.terminal ?? (await this.opener.adopt(session, host));
    }
    // Until the first comparison nobody knows what the host still has of an ended session: its ring, or all of it.
    await this.settled;
    const host = this.#dependencies.hosts.host;
    const isHeld = session.pid !== undefined && host !== undefined && session.record.lifecycle === 'exited';
    const terminal = isHeld ? await this.opener.adopt(session, host) : await this.opener.restore(session);
    if (!isHeld) this.#finish(session, terminal);
    this.#rememberEnded(session);
    return terminal;
  }

  // --- the host ----------------------------------------------------------------------------------------------------

  reconcile(host: PtyHost): Promise<void> {
    const run = this.#reconciling.then(() => this.#reconcile(host));
    this.#reconciling = run.catch(() => undefined);
    return run;
  }

  async #reconcile(host: PtyHost): Promise<void> {
    if (this.#reconciled === host || this.#broken.has(host) || this.#isStopped) return;
    this.#watch(host);
    const known = new Map((await host.list()).map((session) => [session.id, session]));
    for (const session of this.registry.all()) {
      if (this.registry.isReserved(session.id)) continue;
      const held = known.get(session.id);
      session.pid = held?.pid;
      if (!session.isRunning) continue;
      if (held === undefined) this.#takeMissing(session);
      else this.#takeHeld(session, held, host);
    }
    for (const held of known.values()) {
      if (!this.registry.isTaken(held.id)) await this.#takeOrphan(held, host);
    }
    this.#reconciled = host;
    await this.#reattach(host);
  }

  #watch(host: PtyHost): void {
    if (this.#watched.has(host)) return;
    this.#watched.add(host);
    this.#subscriptions.push(
      host.onDisconnect(() => {
        this.#broken.add(host);
        if (this.#reconciled === host) this.#reconciled = undefined;
        for (const session of this.registry.all()) if (session.terminal?.host === host) session.terminal.detach();
      }),
    );
  }

  /** A row without a session: its spawn never arrived, or its host went. */
  #takeMissing(session: Session): void {
    if (session.record.lifecycle !== 'starting') {
      this.#lose(session);
      return;
    }
    this.#dependencies.log.warn({ session: session.id }, 'the session was asked for but never started; removed');
    this.registry.remove(session);
  }

  #takeHeld(session: Session, held: HostSession, host: PtyHost): void {
    if (session.record.lifecycle === 'starting') {
      this.#dependencies.log.info({ session: session.id }, 'the session started while no server was there');
      this.registry.update(session, { lifecycle: 'live', host_boot_id: host.hello.bootId });
    }
    const { close_reason } = session.record;
    if (close_reason === null || held.ended) return;
    // Its end was asked for before this server or this connection existed.
    const mode = close_reason === 'killed' ? 'kill' : 'close';
    this.#inBackground(
      this.open(session).then(() => host.kill(session.id, mode)),
      'a session was not ended',
    );
  }

  /** The host has a session without a row: the table was lost. Running programs are worth more than a tidy table. */
  async #takeOrphan(held: HostSession, host: PtyHost): Promise<void> {
    if (held.ended) {
      await host.forget(held.id);
      return;
    }
    const { alias, name } = this.registry.assignAlias(undefined, held.cwd, undefined);
    const session = this.registry.add({
      id: held.id,
      tuic_session: this.registry.identityFor(held.id, this.#dependencies.ids),
      alias,
      alias_name: name,
      display_name: null,
      display_name_is_custom: false,
      agent_type: null,
      cwd: held.cwd,
      file: held.file,
      args: [],
      rows: held.rows,
      cols: held.cols,
      is_remote: true,
      lifecycle: 'live',
      exit_code: null,
      close_reason: null,
      created_at: held.startedAt,
      ended_at: null,
      host_boot_id: host.hello.bootId,
      parent: null,
      title: null,
      hook_nonce: null,
      agent_session: null,
      pty_description: null,
    });
    session.pid = held.pid;
    this.#dependencies.log.warn(
      { session: held.id, cwd: directoryName(held.cwd) },
      'a session without a row was taken over',
    );
    this.announcer.aliasAssigned(session);
    this.announcer.created(session);
  }

  /** After a broken connection the streams go on where the engines are. */
  async #reattach(host: PtyHost): Promise<void> {
    for (const session of this.registry.all()) {
      const { terminal } = session;
      if (terminal === undefined || terminal.host === host || !session.isRunning) continue;
      if (this.registry.isReserved(session.id)) continue;
      try {
        await terminal.attach(host);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        this.#dependencies.log.warn(
          { session: session.id, reason: error.message },
          'the stream was not taken up again',
        );
      }
    }
  }

  async #lookInFront({ pid, isRunning }: Session): Promise<ForegroundProgram | null> {
    const { processes, recogniseProgram } = this.#dependencies;
    if (pid === undefined || !isRunning || recogniseProgram === undefined) return null;
    const front = await processes.foreground(pid);
    return front === null ? null : recogniseProgram(front.pid);
  }

  async #lookBehind({ pid, isRunning }: Session): ReturnType<LookBehind> {
    const { processes, clock, findBackgroundWork } = this.#dependencies;
    const front = pid === undefined || !isRunning ? null : await processes.foreground(pid);
    if (front === null || findBackgroundWork === undefined) return { work: null, takenAt: clock.monotonic() };
    const { entries, takenAt } = await this.#snapshots.take();
    return { work: entries === null ? null : findBackgroundWork(entries, front.pid), takenAt };
  }

  /** In the background, a few at a time; who is asked for meanwhile comes first, by `open`. */
  async #openAll(): Promise<void> {
    const isHeld = (session: Session) => session.isRunning || session.pid !== undefined;
    // Those that ended come last: a server went before it had put them away.
    const waiting = this.registry.all().filter(isHeld);
    waiting.sort((left, right) => Number(right.isRunning) - Number(left.isRunning));
    const work = async () => {
      for (let session = waiting.shift(); session !== undefined; session = waiting.shift()) {
        if (this.#isStopped || !isHeld(session)) continue;
        try {
          await this.open(session);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          this.#dependencies.log.warn(
            { session: session.id, reason: error.message },
            'the session was not taken over yet',
          );
        }
      }
    };
    await Promise.all(Array.from({ length: ADOPT_AT_ONCE }, work));
  }

  #takeLoss(bootId: string): void {
    for (const session of this.registry.all()) {
      if (this.registry.isReserved(session.id)) continue;
      if (session.isRunning && session.record.host_boot_id === bootId) this.#lose(session);
    }
  }

  // --- the end of a session ----------------------------------------------------------------------------------------

  /** Called when every byte is readable. */
  #takeEnd(session: Session, status: ExitStatus | undefined): void {
    if (session.isRunning) {
      const wasTold = session.isClosing;
      const reason = session.record.close_reason ?? 'process_exit';
      this.#end(session, { lifecycle: 'exited', exit_code: status?.code ?? null, close_reason: reason });
      if (!wasTold) {
        this.announcer.exited(session);
        this.announcer.closed(session, reason);
      }
    }
    if (session.terminal !== undefined) this.#finish(session, session.terminal);
  }

  /** The host went and took the program with it. What is known of its end is kept, nothing is made up. */
  #lose(session: Session): void {
    const { terminal } = session;
    terminal?.detach();
    session.pid = undefined;
    const status = terminal?.exitStatus;
    const wasTold = session.isClosing;
    if (status !== undefined || session.record.close_reason !== null) {
      const reason = session.record.close_reason ?? 'process_exit';
      this.#end(session, { lifecycle: 'exited', exit_code: status?.code ?? null, close_reason: reason });
      if (!wasTold && status !== undefined) this.announcer.exited(session);
      if (!wasTold) this.announcer.closed(session, reason);
    } else {
      this.#end(session, { lifecycle: 'lost', exit_code: null, close_reason: 'host_lost' });
      this.announcer.closed(session, 'host_lost');
    }
    if (terminal !== undefined) void terminal.parsed().then(() => this.#finish(session, terminal));
  }

  #end(session: Session, change: Pick<Session['record'], 'lifecycle' | 'exit_code' | 'close_reason'>): void {
    this.registry.update(session, {
      ...change,
      ended_at: this.#dependencies.clock.now(),
      title: session.title ?? null,
    });
    session.isClosing = false;
    session.tellEnd();
  }

  /** Viewers get what is left; the last screen is stored. */
  #finish(session: Session, terminal: Terminal): void {
    const { close_reason, exit_code, lifecycle } = session.record;
    terminal.finish({
      reason: close_reason ?? 'process_exit',
      hasExited: lifecycle === 'exited' && exit_code !== null,
      ...(exit_code === null ? {} : { exitCode: exit_code }),
    });
    if (!terminal.isDirty && terminal.host === undefined) return;
    const away = this.#puttingAway.get(session) ?? Promise.resolve();
    const next = away
      .then(() => this.#putAwaySlots.use(() => this.#putAway(session, terminal)))
      .catch((error: unknown) => {
        this.#dependencies.log.error({ session: session.id, error }, 'what the ended program wrote was not stored');
      })
      .finally(() => {
        if (this.#puttingAway.get(session) === next) this.#puttingAway.delete(session);
      });
    this.#puttingAway.set(session, next);
  }

  /** What a disk refuses stays in the host until its time is over. */
  async #putAway(session: Session, terminal: Terminal): Promise<void> {
    if (terminal.isDirty) await terminal.store();
    const { host } = terminal;
    if (host !== undefined && !terminal.isDirty && session.record.lifecycle === 'exited') {
      const ring = await terminal.readRing(0, terminal.engine.ingestedOffset);
      if (ring !== undefined && (await this.#storeRing(session, ring))) {
        // From here on the ring is read from the disk, so nobody asks the host for what it has forgotten.
        terminal.detach();
        await this.#forgetInHost(session);
        session.pid = undefined;
      }
    }
    this.#rememberEnded(session);
  }

  async #storeRing(session: Session, ring: { offset: number; bytes: Uint8Array }): Promise<boolean> {
    // Closed for good meanwhile: its files are gone or going.
    if (this.registry.byId(session.id) !== session) return false;
    try {
      await this.#dependencies.checkpoints.writeRing(session.id, ring.offset, ring.bytes);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#dependencies.log.warn({ session: session.id, reason: error.message }, 'the host keeps an ended session');
      return false;
    }
  }

  /** Ends a session that no host has, for good. */
  async drop(session: Session): Promise<void> {
    const away = this.#puttingAway.get(session);
    if (away !== undefined) await away;
    this.#ended.delete(session);
    this.registry.remove(session);
    session.terminal?.dispose();
    session.terminal = undefined;
    await this.#forgetInHost(session);
    try {
      await this.#dependencies.checkpoints.remove(session.id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#dependencies.log.warn({ session: session.id, reason: error.message }, 'the stored screen was not removed');
    }
  }

  async #forgetInHost(session: Session): Promise<void> {
    const { host } = this.#dependencies.hosts;
    if (host === undefined || session.pid === undefined) return;
    try {
      await host.forget(session.id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#dependencies.log.warn({ session: session.id, reason: error.message }, 'the host kept an ended session');
    }
  }

  #rememberEnded(session: Session): void {
    if (session.terminal === undefined || session.isRunning) return;
    this.#ended.delete(session);
    this.#ended.add(session);
    for (const old of this.#ended) {
      if (this.#ended.size <= ENDED_IN_MEMORY) return;
      if ((old.terminal?.viewerCount ?? 0) > 0 || old.terminal?.isDirty) continue;
      this.#ended.delete(old);
      old.terminal?.dispose();
      old.terminal = undefined;
    }
  }

  /** Tombstones older than their time go, with everything that belongs to them. */
  async sweep(): Promise<void> {
    this.registry.retryUnsaved();
    const oldest = this.#dependencies.clock.now() - DEADLINES.tombstone;
    for (const session of this.registry.all()) {
      const { lifecycle, ended_at } = session.record;
      if (lifecycle === 'exited' && ended_at !== null && ended_at <= oldest) await this.drop(session);
    }
  }

  async #removeForeignFiles(): Promise<void> {
    const { checkpoints, log } = this.#dependencies;
    try {
      for (const id of await checkpoints.list()) if (!this.registry.isTaken(id)) await checkpoints.remove(id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ reason: error.message }, 'the stored screens were not tidied');
    }
  }

  #inBackground(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      this.#dependencies.log.error({ error }, failure);
    });
  }
}
