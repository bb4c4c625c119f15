/** Builds the mail room over its tables, and follows the sessions. */
import { type Bus, type Clock, type Disposable, type Ids, toDisposable } from '../../base/index.ts';
import { type AppEvent, DEADLINES } from '../../contract/index.ts';
import type { Database } from '../../platform/database/index.ts';
import { createPeerService, type PeerPublish, type PeerService } from '../peers/index.ts';
import { Delivery } from './delivery.ts';
import { ChildStates } from './lifecycle.ts';
import { SqlMailStore } from './mail-store.ts';
import { Mailbox } from './mailbox.ts';
import { createParents, type Parents } from './parents.ts';
import type { LineTyper, MailSessions, Presence } from './ports.ts';
import { RefusalLog } from './refusal-log.ts';
import { Registration } from './registration.ts';
import { MailService } from './service.ts';
import { createQueueStore, TypingQueue } from './typing-queue.ts';
import { Waits } from './waits.ts';

export interface MailRoom extends Disposable {
  readonly peers: PeerService;
  readonly mail: MailService;
  readonly parents: Parents;
  readonly queue: TypingQueue;
  /** A live or lost terminal belongs to the identity, or to one of its children (MSG-27). */
  isNeeded(identity: string): boolean;
}

export interface MailRoomDependencies {
  database: Database;
  bus: Bus<AppEvent>;
  clock: Clock;
  ids: Ids;
  sessions: MailSessions;
  presence: Presence;
  typer: LineTyper;
  publish: PeerPublish;
  moveTasks: (from: string, to: string) => void;
  /** Runs work once the answer that is being made now has gone out. */
  afterAnswer?: (work: () => void) => void;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export function openMailRoom(dependencies: MailRoomDependencies): MailRoom {
  const { database, bus, clock, ids, sessions, presence, log } = dependencies;
  const store = new SqlMailStore(database);
  const parents = createParents(database);
  const waits = new Waits(clock);
  const mailbox = new Mailbox({
    store,
    clock,
    afterAnswer: dependencies.afterAnswer ?? ((work) => void setImmediate(work)),
    isBeingTyped: (id) => queue.isBeingTyped(id),
    onReplaced: ({ id }) => queue.removeMessages([id]),
    log,
  });
  const queue = new TypingQueue({
    store: createQueueStore(database),
    clock,
    ids,
    typer: dependencies.typer,
    onSettled: (entry, outcome) => delivery.lineSettled(entry, outcome),
    log,
  });
  const isNeeded = (identity: string) => {
    const children = parents.childrenOf(identity);
    return sessions
      .list()
      .some(({ tuic_session, session_id }) => tuic_session === identity || children.includes(session_id));
  };
  const peers = createPeerService({
    database,
    clock,
    log,
    publish: dependencies.publish,
    isLive: (session) => presence.isLive(session),
    isNeeded,
    onBound: (session, identity) => {
      registration.linkPending(session, identity);
      delivery.arrange(identity);
    },
    onReclaimed: (session) => waits.revoke(session),
    onRemoved: (identity) => mailbox.remove(identity),
  });
  const delivery = new Delivery({
    mailbox,
    waits,
    queue,
    peer: (identity) => peers.get(identity),
    sessions,
    presence,
    clock,
    log,
  });
  const registration = new Registration({
    peers,
    mailbox,
    parents,
    delivery,
    sessions,
    ids,
    refusals: new RefusalLog(clock, (fields, message) => log.warn(fields, message)),
    moveTasks: dependencies.moveTasks,
  });
  const mail = new MailService({
    peers,
    mailbox,
    store,
    waits,
    delivery,
    parents,
    registration,
    sessions,
    clock,
    ids,
    log,
  });

  const states = new ChildStates();
  /** Sessions whose program was busy when last heard of. */
  const busy = new Set<string>();
  /** Of every session heard of: one that is closed may have left the list before its event is read. */
  const identities = new Map<string, string>();
  const learn = () => {
    for (const { session_id, tuic_session } of sessions.list({ includeExited: true })) {
      if (tuic_session !== undefined) identities.set(session_id, tuic_session);
    }
  };

  function take(event: AppEvent): void {
    if (event.name === 'session-created') learn();
    else if (event.name === 'session-state') {
      const { session_id, state } = event.data;
      const hasBecomeIdle = state.shell_state === 'idle' && busy.delete(session_id);
      if (state.shell_state === 'busy') busy.add(session_id);
      if (parents.of(session_id) !== undefined) {
        const notice = states.take(session_id, state);
        if (notice !== undefined) mail.notifyParent(notice);
      }
      delivery.terminalChanged(session_id, hasBecomeIdle);
    } else if (event.name === 'session-closed') {
      ended(event.data.session_id, event.data.reason === 'host_lost');
    }
  }

  function ended(sessionId: string, isLost: boolean): void {
    busy.delete(sessionId);
    states.forget(sessionId);
    const session = sessions.list({ includeExited: true }).find(({ session_id }) => session_id === sessionId);
    mail.notifyParent(
      isLost
        ? { child: sessionId, state: 'lost' }
        : { child: sessionId, state: 'exited', exitCode: session?.exit_code },
    );
    delivery.terminalEnded(sessionId);
    // A lost session keeps what it has until a person closes it (MSG-29).
    if (isLost) return;
    parents.remove(sessionId);
    const identity = identities.get(sessionId);
    identities.delete(sessionId);
    if (identity !== undefined && !isNeeded(identity)) peers.remove(identity);
  }

  let isScheduled = false;
  let isDisposed = false;
  const guard = (work: () => void) => {
    if (isDisposed) return;
    try {
      work();
    } catch (error) {
      log.error({ err: error }, 'the mail room missed an event of a session');
    }
  };
  function drain(): void {
    isScheduled = false;
    for (let read = cursor.read(); read !== undefined && !isDisposed; read = cursor.read()) {
      if (read.kind === 'lagged') continue;
      const { event } = read.record;
      guard(() => take(event));
    }
  }
  const cursor = bus.subscribe(() => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(drain);
  });
  // Terminals are known only then.
  void sessions.settled.then(() =>
    guard(() => {
      learn();
      delivery.restore();
    }),
  );
  // A composer that was cleared or a question that was answered is no idle edge (MSG-68).
  const typing = dependencies.typer.onChange?.((sessionId) => guard(() => delivery.terminalChanged(sessionId, false)));
  const sweeping = clock.every(DEADLINES.mailSweep, () => guard(() => mail.sweep()));

  return {
    peers,
    mail,
    parents,
    queue,
    isNeeded,
    ...toDisposable(() => {
      isDisposed = true;
      sweeping.dispose();
      typing?.dispose();
      cursor.dispose();
      waits.dispose();
      delivery.dispose();
      mailbox.flush();
    }),
  };
}
