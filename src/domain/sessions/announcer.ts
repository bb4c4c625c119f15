/** Publishes a session's lifecycle events: once on the bus, and as frames to its viewers that asked for them. */
import type { Clock, Disposable } from '../../base/index.ts';
import { type CloseReason, DEADLINES, type EventData, type EventName } from '../../contract/index.ts';
import type { PublishEvent } from './model.ts';
import type { Session } from './session.ts';

const LONGEST_TITLE = 1_000;

export class Announcer {
  readonly #publish: PublishEvent;
  readonly #clock: Clock;
  /** Titles that wait: a program may set hundreds a second. */
  readonly #titles = new Map<Session, Disposable>();
  /** States that wait, for the same reason. */
  readonly #states = new Map<Session, Disposable>();

  constructor(publish: PublishEvent, clock: Clock) {
    this.#publish = publish;
    this.#clock = clock;
  }

  created(session: Session): void {
    const { record } = session;
    this.#announce(session, 'session-created', {
      session_id: session.id,
      cwd: record.cwd,
      agent_type: record.agent_type,
      display_name: record.display_name,
      display_name_is_custom: record.display_name_is_custom,
      is_remote: record.is_remote,
      lifecycle: session.lifecycle,
    });
  }

  aliasAssigned(session: Session): void {
    this.#announce(session, 'term-alias-assigned', { session_id: session.id, alias: session.record.alias });
  }

  renamed(session: Session): void {
    const { display_name, display_name_is_custom } = session.record;
    this.#publish('session-renamed', { session_id: session.id, display_name, display_name_is_custom });
  }

  described(session: Session): void {
    const { pty_description } = session.record;
    this.#publish('pty-description-changed', { session_id: session.id, pty_description });
  }

  exited(session: Session): void {
    this.#announce(session, 'pty-exit', { session_id: session.id });
  }

  closed(session: Session, reason: CloseReason): void {
    this.#titles.get(session)?.dispose();
    this.#titles.delete(session);
    this.#states.get(session)?.dispose();
    this.#states.delete(session);
    this.#announce(session, 'session-closed', { session_id: session.id, reason });
  }

  titled(session: Session, title: string): void {
    session.title = title.slice(0, LONGEST_TITLE);
    if (this.#titles.has(session)) return;
    const timer = this.#clock.after(DEADLINES.titleEvent, () => {
      this.#titles.delete(session);
      this.#publish('session-title', { session_id: session.id, title: session.title ?? '' });
    });
    this.#titles.set(session, timer);
  }

  /** Told a moment later, so that a burst of changes is one event with the newest state. */
  activityChanged(session: Session): void {
    if (this.#states.has(session)) return;
    const timer = this.#clock.after(DEADLINES.stateEvent, () => {
      this.#states.delete(session);
      const { state } = session.info();
      if (state !== undefined) this.#announce(session, 'session-state', { session_id: session.id, state });
    });
    this.#states.set(session, timer);
  }

  dispose(): void {
    for (const timer of this.#states.values()) timer.dispose();
    this.#states.clear();
    for (const timer of this.#titles.values()) timer.dispose();
    this.#titles.clear();
  }

  #announce<N extends EventName>(session: Session, name: N, data: EventData[N]): void {
    this.#publish(name, data);
    for (const sink of [...session.eventSinks]) sink.frame({ type: 'event', event: name, data });
  }
}
