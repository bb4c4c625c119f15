/**
 * Owns the protocol sessions of the legacy leg and their notification streams (TRN-6, TRN-7, TRN-15, TRN-21 to TRN-25).
 *
 * Ordering: every method is one synchronous section. A stream's number comes from one counter of the process, never from its session, so a
 * half-open stream of an ended session cannot be taken for one of the session that was revived under its id (TRN-23). Teardown removes the
 * stream with exactly this number and nothing else. A message goes to the newest stream of a session only.
 */
import type { Clock, Ids } from '../../base/index.ts';
import { isCanonicalUuid } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

export interface ProtocolSession {
  readonly id: string;
  /** Epoch milliseconds of the last request. */
  lastActivity: number;
  /** As the client calls itself; empty when unknown. */
  clientName: string;
  isClaudeCode: boolean;
  /** TRN-8: the first root that the client named. */
  root?: string;
}

export interface NotificationSink {
  /** False when it was left out, since the client does not read. */
  send(message: object): boolean;
  end(): void;
}

interface OpenStream {
  number: number;
  sink: NotificationSink;
}

let streamNumber = 0;

export class ProtocolSessions {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #sessions = new Map<string, ProtocolSession>();
  readonly #streams = new Map<string, OpenStream[]>();

  constructor(clock: Clock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** TRN-6: a canonical id that is held is used again; else a new one. */
  initialize(presented: string | undefined): { session: ProtocolSession; event: 'fresh' | 'resumed' | 'reconnected' } {
    if (presented === undefined) return { session: this.#add(this.#ids.uuid()), event: 'fresh' };
    const held = this.#sessions.get(presented);
    if (held !== undefined && isCanonicalUuid(presented)) {
      held.lastActivity = this.#clock.now();
      return { session: held, event: 'resumed' };
    }
    return { session: this.#add(this.#ids.uuid()), event: 'reconnected' };
  }

  /** TRN-15: a request names its session; one that is not held is made again under the same id. */
  touch(id: string, userAgent: string): ProtocolSession {
    const session = this.#sessions.get(id) ?? this.#add(id, /claude/i.test(userAgent));
    session.lastActivity = this.#clock.now();
    return session;
  }

  find(id: string): Readonly<ProtocolSession> | undefined {
    return this.#sessions.get(id);
  }

  #add(id: string, isClaudeCode = false): ProtocolSession {
    const session = { id, lastActivity: this.#clock.now(), clientName: '', isClaudeCode };
    this.#sessions.set(id, session);
    return session;
  }

  /** Returns the stream's teardown. */
  openStream(id: string, sink: NotificationSink): () => void {
    const number = ++streamNumber;
    this.#streams.set(id, [...(this.#streams.get(id) ?? []), { number, sink }]);
    return () => {
      const rest = (this.#streams.get(id) ?? []).filter((stream) => stream.number !== number);
      if (rest.length === 0) this.#streams.delete(id);
      else this.#streams.set(id, rest);
    };
  }

  /** MSG 7.2: it has a stream, or spoke within the last two pings of a bridge. */
  isLive(id: string): boolean {
    if (this.#streams.has(id)) return true;
    const session = this.#sessions.get(id);
    return session !== undefined && this.#clock.now() - session.lastActivity <= 2 * DEADLINES.bridgePing;
  }

  /** How many are live; one that only has a stream counts as well. */
  get liveCount(): number {
    return [...new Set([...this.#sessions.keys(), ...this.#streams.keys()])].filter((id) => this.isLive(id)).length;
  }

  /** False when there is none of that id. Its streams end. */
  end(id: string): boolean {
    const wasHeld = this.#sessions.delete(id);
    const streams = this.#streams.get(id) ?? [];
    this.#streams.delete(id);
    for (const { sink } of streams) sink.end();
    return wasHeld;
  }

  /** To one session; false when nobody listens there, or does not read. */
  send(id: string, message: object): boolean {
    return this.#streams.get(id)?.at(-1)?.sink.send(message) === true;
  }

  /** MSG-60: the client shows what is pushed to it, and listens. */
  hasChannel(id: string): boolean {
    return this.#streams.has(id) && this.#sessions.get(id)?.isClaudeCode === true;
  }

  /** To every session, once. */
  broadcast(message: object): void {
    for (const streams of [...this.#streams.values()]) streams.at(-1)?.sink.send(message);
  }

  endStreams(): void {
    for (const streams of [...this.#streams.values()]) for (const { sink } of streams) sink.end();
  }

  /** Ends the sessions that were idle since `before`; gives their ids. A session with a stream is not idle. */
  reap(before: number): string[] {
    const idle = [...this.#sessions.values()].filter(
      ({ id, lastActivity }) => lastActivity <= before && !this.#streams.has(id),
    );
    for (const { id } of idle) this.#sessions.delete(id);
    return idle.map(({ id }) => id);
  }
}
