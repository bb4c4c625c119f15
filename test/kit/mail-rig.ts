/** The mail room over a database in memory, with terminals, protocol sessions and a typist that a test moves. */
import { Bus } from '../../src/base/index.ts';
import type {
  AppEvent,
  CloseReason,
  RegisterPeer,
  SendMail,
  SessionInfo,
  SessionState,
} from '../../src/contract/index.ts';
import { type MailRoom, mailMigrations, openMailRoom, type TypingOutcome } from '../../src/domain/mail/index.ts';
import { peerMigrations } from '../../src/domain/peers/index.ts';
import { sessionMigrations } from '../../src/domain/sessions/index.ts';
import { createTaskService, type TaskService, taskMigrations } from '../../src/domain/tasks/index.ts';
import { type Database, openDatabase } from '../../src/platform/database/index.ts';
import { ManualClock } from './manual-clock.ts';
import { sessionInfo } from './session-info.ts';

export const MIGRATIONS = [...sessionMigrations, ...peerMigrations, ...taskMigrations, ...mailMigrations];

/** A canonical UUID that a person can tell from others. */
export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export interface TypedLine {
  sessionId: string;
  line: string;
  settle: (outcome: TypingOutcome) => Promise<void>;
}

export const settled = async () => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve();
};

export class MailRig {
  readonly clock = new ManualClock();
  readonly database: Database;
  readonly infos = new Map<string, SessionInfo>();
  readonly live = new Set<string>();
  readonly channels = new Map<string, object[]>();
  /** Terminals that take no line now, and why. */
  readonly refusing = new Map<string, string>();
  readonly typed: TypedLine[] = [];
  readonly failures: unknown[] = [];
  readonly warnings: object[] = [];
  /** Settles a line at once; undefined: the test does. */
  answer: TypingOutcome | undefined = 'typed';
  bus = new Bus<AppEvent>();
  room: MailRoom;
  tasks: TaskService;
  #number = 1_000;
  #later: (() => void)[] = [];
  #life = { isOver: false };
  /** Timers that run while nothing is waited for. */
  readonly standingTimers: number;

  constructor() {
    this.database = openDatabase(':memory:', { migrations: MIGRATIONS, clock: this.clock });
    this.tasks = this.#createTasks();
    this.room = this.#open();
    this.standingTimers = this.clock.pendingTimers;
  }

  #ids = { uuid: () => uuid(this.#number++) };

  #createTasks(): TaskService {
    return createTaskService({ database: this.database, clock: this.clock, ids: this.#ids });
  }

  /** What was written after a life is over reaches no table. */
  #tables(): Database {
    const { database } = this;
    const life = this.#life;
    return {
      ...database,
      run: (sql, parameters) => (life.isOver ? { changes: 0 } : database.run(sql, parameters)),
      transaction: (work) => (life.isOver ? work() : database.transaction(work)),
    };
  }

  #open(): MailRoom {
    const life = this.#life;
    return openMailRoom({
      database: this.#tables(),
      bus: this.bus,
      clock: this.clock,
      ids: this.#ids,
      sessions: {
        settled: Promise.resolve(),
        resolve: (ref) => {
          const found = [...this.infos.values()].find(
            ({ session_id, tuic_session, alias }) => session_id === ref || tuic_session === ref || alias === ref,
          );
          return found?.session_id ?? ref;
        },
        list: ({ includeExited = false } = {}) =>
          [...this.infos.values()].filter(({ lifecycle }) => includeExited || lifecycle !== 'exited'),
      },
      presence: {
        isLive: (session) => this.live.has(session),
        hasChannel: (session) => this.channels.has(session),
        send: (session, message) => {
          this.channels.get(session)?.push(message);
          return this.channels.has(session);
        },
      },
      typer: {
        refusal: (sessionId) => this.refusing.get(sessionId),
        type: (sessionId, line) =>
          new Promise((resolve) => {
            // A server that is no more types nothing; its timers are still on the clock.
            if (life.isOver) return;
            this.refusing.set(sessionId, 'being typed at');
            const settle = async (outcome: TypingOutcome) => {
              if (outcome === 'untouched') this.refusing.delete(sessionId);
              else this.refusing.set(sessionId, 'not_idle');
              resolve(outcome);
              await settled();
            };
            this.typed.push({ sessionId, line, settle });
            if (this.answer !== undefined) void settle(this.answer);
          }),
      },
      publish: (name, data) => void this.bus.publish({ name, data } as AppEvent),
      moveTasks: (from, to) => this.tasks.moveOwner(from, to),
      afterAnswer: (work) => void this.#later.push(work),
      log: {
        info: () => {},
        warn: (fields) => void this.warnings.push(fields),
        error: (fields) => void this.failures.push(fields),
      },
    });
  }

  get mail() {
    return this.room.mail;
  }

  get peers() {
    return this.room.peers;
  }

  /** What waited for an answer to go out has its turn. */
  flush(): void {
    for (const work of this.#later.splice(0)) work();
  }

  /** As after a kill: the tables are there, what was in memory is not. */
  async restart(): Promise<void> {
    this.#later = [];
    this.#life.isOver = true;
    this.#life = { isOver: false };
    this.bus = new Bus();
    this.live.clear();
    this.channels.clear();
    this.room = this.#open();
    this.tasks = this.#createTasks();
    await settled();
  }

  /** A live terminal with an agent; `identity` is that of its program. */
  addTerminal(sessionId: string, identity: string, state: Partial<SessionState> = {}): void {
    const info = sessionInfo(sessionId, {
      tuic_session: identity,
      alias: `t-${sessionId}`,
      state: stateOf({ agent_type: 'codex', agent_state: 'idle', shell_state: 'idle', ...state }),
    });
    this.infos.set(sessionId, info);
    this.bus.publish({ name: 'session-created', data: {} } as AppEvent);
  }

  /** Its program does something else; `takes`: whether a line may be typed there now. */
  async change(sessionId: string, state: Partial<SessionState>, takes = state.shell_state === 'idle'): Promise<void> {
    const info = this.infos.get(sessionId);
    if (info === undefined) throw new Error(`there is no terminal ${sessionId}`);
    const next = stateOf({ ...info.state, ...state });
    this.infos.set(sessionId, { ...info, state: next });
    if (takes) this.refusing.delete(sessionId);
    else this.refusing.set(sessionId, 'not_idle');
    this.bus.publish({ name: 'session-state', data: { session_id: sessionId, state: next } });
    await settled();
  }

  work = (sessionId: string) => this.change(sessionId, { shell_state: 'busy', agent_state: 'working' });
  idle = (sessionId: string) => this.change(sessionId, { shell_state: 'idle', agent_state: 'idle' });

  async end(sessionId: string, reason: CloseReason = 'process_exit', exitCode?: number): Promise<void> {
    const info = this.infos.get(sessionId);
    if (info === undefined) return;
    const lifecycle = reason === 'host_lost' ? 'lost' : 'exited';
    this.infos.set(sessionId, { ...info, lifecycle, ...(exitCode === undefined ? {} : { exit_code: exitCode }) });
    this.bus.publish({ name: 'session-closed', data: { session_id: sessionId, reason } });
    await settled();
  }

  /** A protocol session that is there and speaks for an identity. */
  join(protocolSession: string, identity: string): void {
    this.live.add(protocolSession);
    this.peers.bind(protocolSession, identity);
  }

  register(protocolSession: string, input: Omit<Partial<RegisterPeer>, 'protocol_session'> = {}) {
    this.live.add(protocolSession);
    return this.mail.register({ protocol_session: protocolSession, ...input });
  }

  send(from: string, to: string, message: string, more: Partial<SendMail> = {}) {
    return this.mail.send({ from, to, message, priority: 'normal', ...more });
  }

  inbox(identity: string, more: { since?: number; limit?: number } = {}) {
    const page = this.mail.inbox({ identity, limit: 50, ...more });
    this.flush();
    return page;
  }

  texts(identity: string, more: { since?: number; limit?: number } = {}): string[] {
    return this.inbox(identity, more).messages.map(({ content }) => content);
  }

  wait(identity: string, more: { since?: number; timeout_ms?: number; protocol_session?: string } = {}) {
    const leaving = new AbortController();
    const outcome = this.mail.wait({ identity, ...more }, leaving.signal);
    return { outcome, leave: () => leaving.abort() };
  }

  dispose(): void {
    this.room.dispose();
    this.database.close();
  }
}

function stateOf(state: Partial<SessionState>): SessionState {
  return { awaiting_input: false, rate_limited: false, last_activity_ms: 1, ...state };
}
