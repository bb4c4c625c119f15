/**
 * The sessions room's front (model.ts). Owns nothing but its parts: the keeper (table, host, terminals) and the creator.
 *
 * Promises: a reference is resolved once per call; what is refused is refused before anything is changed; `close` and
 * `kill` of one session never run beside each other.
 */
import { type Disposable, KeyedMutex } from '../../base/index.ts';
import { AppError, type CloseReason } from '../../contract/index.ts';
import { Creator } from './creator.ts';
import { Keeper } from './keeper.ts';
import { checkSize } from './launch.ts';
import type { SessionService, TypedLines, ViewerSink } from './model.ts';
import { readOutput } from './output.ts';
import { readPlainOutput } from './plain-output.ts';
import type { SessionDependencies } from './ports.ts';
import type { Session } from './session.ts';
import { isShell, shellFamilyOf } from './shell.ts';
import { Submissions } from './submission.ts';
import { typeLine } from './typed-line.ts';
import { SessionWaits } from './waiting.ts';

export interface RunningSessionService extends SessionService, TypedLines {
  /** Takes over the sessions that run, or finds out that they are lost. Requests may come before it is done. */
  start(): Promise<void>;
  /** Before the fronts close: whoever waits is told that the server stops. */
  endWaits(): void;
  /** Stores every screen and lets the viewers go; the sessions keep running. */
  stop(): Promise<void>;
}

export function createSessionService(dependencies: SessionDependencies): RunningSessionService {
  const keeper = new Keeper(dependencies);
  const creator = new Creator(dependencies, keeper);
  const ends = new KeyedMutex();
  const waits = new SessionWaits({ clock: dependencies.clock, open: (session) => keeper.open(session) });
  let hasQueued: (sessionId: string) => boolean = () => false;
  const submissions = new Submissions({
    clock: dependencies.clock,
    ids: dependencies.ids,
    open: (session) => keeper.open(session),
    hasQueued: (sessionId) => hasQueued(sessionId),
  });
  const { registry, announcer, counters } = keeper;

  const live = (ref: string): Session => {
    const session = registry.get(ref);
    if (session.lifecycle !== 'live') throw new AppError('session_not_live', { lifecycle: session.lifecycle });
    return session;
  };

  const closeNow = async (session: Session): Promise<void> => {
    if (session.record.lifecycle === 'exited') return;
    if (session.record.lifecycle === 'lost') {
      announcer.closed(session, 'explicit_close');
      await keeper.drop(session);
      return;
    }
    if (!session.isClosing) {
      session.isClosing = true;
      registry.update(session, { close_reason: 'explicit_close' });
      announcer.closed(session, 'explicit_close');
    }
    // The terminal must be there to take the rest of the output and the end.
    await keeper.open(session);
    if (session.isRunning) await (await keeper.host()).kill(session.id, 'close');
  };

  const killNow = async (session: Session): Promise<void> => {
    // One that is closing may be hurried: its end is told already.
    if (session.isClosing) {
      const host = await keeper.host();
      if (session.isRunning) await host.kill(session.id, 'kill');
      return;
    }
    if (session.lifecycle !== 'live') throw new AppError('session_not_live', { lifecycle: session.lifecycle });
    await keeper.open(session);
    if (session.lifecycle !== 'live') return;
    registry.update(session, { close_reason: 'killed' });
    await (await keeper.host()).kill(session.id, 'kill');
  };

  const stopWaiting = () => {
    waits.stop();
    submissions.stop();
  };

  const describe = (session: Session, description: string | null | undefined): void => {
    const next = description === '' ? null : description;
    if (next === undefined || next === session.record.pty_description) return;
    registry.update(session, { pty_description: next });
    announcer.described(session);
  };

  const pidOf = async (ref: string): Promise<number | undefined> => {
    const session = registry.get(ref);
    if (session.lifecycle !== 'live') return undefined;
    if (session.pid === undefined) await keeper.host();
    return session.pid;
  };

  return {
    start: () => keeper.start(),
    stop: () => {
      stopWaiting();
      return keeper.stop();
    },
    endWaits: stopWaiting,

    create: (input, origin) => creator.create(input, origin),

    settled: keeper.settled,

    list: ({ includeExited = false } = {}) =>
      registry
        .all()
        .filter((session) => session.record.lifecycle !== 'starting')
        .filter((session) => includeExited || session.lifecycle !== 'exited')
        .map((session) => session.info()),

    get: (ref) => registry.get(ref).info(),
    agentOf: (ref) => {
      const { agent_type, agent_session } = registry.get(ref).record;
      return { agent_type, agent_session };
    },
    resolve: (ref) => registry.resolve(ref),

    write: async (ref, data) => {
      const session = live(ref);
      const host = await keeper.host();
      if (session.lifecycle !== 'live') throw new AppError('session_not_live', { lifecycle: session.lifecycle });
      const { terminal } = session;
      if (terminal?.host === host) {
        await terminal.write(data);
        return;
      }
      // Not taken over yet after a start, or not attached again: nothing else types there meanwhile.
      dependencies.tap?.input(session.id, data);
      const written = host.write(session.id, data);
      await (session.terminal?.following(data, written) ?? written);
    },

    submit: async (ref, prompt, signal) => {
      const session = registry.get(ref);
      return submissions.run(session, prompt, signal, () => describe(session, prompt.pty_description));
    },

    enterLine: async (ref, text) => {
      const written = await typeLine(await keeper.open(live(ref)), text, { isRaw: true });
      if (written.refusal === 'bracketed_paste_off') throw new AppError('bracketed_paste_off');
      if (written.failure !== undefined) throw written.failure;
      if (written.write_state === 'uncertain') throw new AppError('write_uncertain');
    },

    describe: (ref, description) => describe(registry.get(ref), description),

    typingRefusal: (ref) => {
      const terminal = registry.find(ref)?.terminal;
      return terminal === undefined ? 'not_managed' : terminal.typingRefusal();
    },
    typeLine: async (ref, text, options) => typeLine(await keeper.open(live(ref)), text, options),
    onTypingChange: (listener) => keeper.typingChanges.on((session) => listener(session.id)),
    setQueue: (known) => {
      hasQueued = known;
    },

    wait: (ref, wanted, signal) => waits.run(registry.get(ref), wanted, signal),

    resize: async (ref, rows, cols) => {
      checkSize(rows, cols);
      const terminal = await keeper.open(live(ref));
      await terminal.resize({ rows, cols });
    },

    output: async (ref, query) => {
      const terminal = await keeper.open(registry.get(ref));
      await terminal.parsed();
      return readOutput(terminal, query);
    },

    plainOutput: async (ref, query) => {
      const terminal = await keeper.open(registry.get(ref));
      await terminal.parsed();
      return readPlainOutput(terminal, query);
    },

    lastActivity: (ref) => {
      const session = registry.get(ref);
      return Math.max(session.terminal?.lastActivity ?? 0, session.record.created_at);
    },

    evidence: (ref) => registry.get(ref).terminal?.evidence,

    pause: async (ref) => {
      const session = live(ref);
      await (await keeper.host()).pause(session.id);
      counters.pauses++;
    },

    resume: async (ref) => {
      const session = live(ref);
      await (await keeper.host()).resume(session.id);
    },

    rename: (ref, name) => {
      const session = registry.get(ref);
      registry.update(session, { display_name: name, display_name_is_custom: name !== null });
      announcer.renamed(session);
    },

    close: async (ref) => {
      const session = registry.get(ref);
      await ends.run(session.id, () => closeNow(session));
    },

    kill: async (ref) => {
      const session = registry.get(ref);
      if (session.isClosing) await killNow(session);
      else await ends.run(session.id, () => killNow(session));
    },

    shellFamily: (ref) => {
      const session = registry.find(ref);
      return session === undefined ? null : shellFamilyOf(session.record.file);
    },

    foregroundProcess: async (ref) => {
      const pid = await pidOf(ref);
      const foreground = pid === undefined ? null : await dependencies.processes.foreground(pid);
      return foreground === null || isShell(foreground.name) ? null : foreground.name;
    },

    leafPid: async (ref) => {
      const pid = await pidOf(ref);
      const foreground = pid === undefined ? null : await dependencies.processes.foreground(pid);
      return foreground?.pid ?? null;
    },

    workingFolder: async (ref) => {
      const session = registry.find(ref);
      if (session === undefined) return null;
      const { processes } = dependencies;
      const pid = session.lifecycle === 'live' ? session.pid : undefined;
      const foreground = pid === undefined ? null : await processes.foreground(pid);
      return (foreground === null ? null : await processes.workingFolder(foreground.pid)) ?? session.record.cwd;
    },

    processRoots: () =>
      registry.all().flatMap((session) => {
        const { id, isRunning, pid, record } = session;
        if (!isRunning || pid === undefined) return [];
        const name = record.display_name ?? id.slice(0, 8);
        const label = record.display_name ?? record.alias;
        return [{ sessionId: id, mark: record.tuic_session, name, label, pid }];
      }),

    rawRing: async (ref) => {
      const terminal = await keeper.open(registry.get(ref));
      const read = await terminal.readRing(0, terminal.engine.ingestedOffset);
      return read?.bytes ?? new Uint8Array(0);
    },

    openViewer: async (ref, options, sink) => {
      const session = registry.find(ref);
      if (session === undefined || session.lifecycle === 'exited') throw new AppError('session_not_found');
      const terminal = await keeper.open(session);
      await terminal.parsed();
      if (terminal.isDisposed) throw new AppError('session_not_found');
      const events = options.events === true ? listen(session, sink) : undefined;
      const viewer = terminal.openViewer(options, events?.sink ?? sink);
      return {
        ...viewer,
        dispose: () => {
          events?.dispose();
          viewer.dispose();
        },
      };
    },

    metrics: () => ({
      total_spawned: counters.spawned,
      failed_spawns: counters.failed,
      active_sessions: registry.runningCount,
      bytes_emitted: counters.bytes,
      pauses_triggered: counters.pauses,
    }),

    get liveCount() {
      return registry.runningCount;
    },

    get maxSessions() {
      return dependencies.settings.maxSessions();
    },
  };
}

/** Adds the session's lifecycle events to a viewer's frames until its end. */
function listen(session: Session, sink: ViewerSink): Disposable & { sink: ViewerSink } {
  session.eventSinks.add(sink);
  const dispose = () => {
    session.eventSinks.delete(sink);
  };
  return {
    dispose,
    sink: {
      bytes: (offset, bytes) => sink.bytes(offset, bytes),
      frame: (frame) => sink.frame(frame),
      backlog: () => sink.backlog(),
      end: (reason: CloseReason) => {
        dispose();
        sink.end(reason);
      },
    },
  };
}
