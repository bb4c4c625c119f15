/**
 * The event stream, GET /events (http.md 6), over HTTP or a WebSocket. A subscriber is a cursor into the bus: the server keeps nothing for it beyond what
 * the socket has taken, so one that does not read costs one write buffer and learns by `lagged` what it missed.
 *
 * Ids are `<boot>-<sequence>`. The first record names the id the stream starts after, and a keep-alive carries the newest one
 * when filtered events were passed over: so a reconnect resumes exactly, even before the first event came. What `lagged` counts:
 * events of this server that left the ring, of all types. For an id of another server process the number is unknown; it is then
 * those plus one, and what the ring still has follows.
 */
import type { ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import type { Bus, BusCursor, BusRead, Clock, Disposable } from '../../base/index.ts';
import { ADDRESSED_EVENTS, type AppEvent, DEADLINES, LIMITS } from '../../contract/index.ts';

const BATCH_CHARACTERS = 16_384;

/** Where the text of the stream goes. */
export interface EventSink {
  /** False when no more is taken until `onDrain`. */
  write(text: string): boolean;
  end(): void;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  /** The other side left before anything was written. */
  readonly isClosed: boolean;
}

/** Answers a request with the stream. */
export function responseSink(response: ServerResponse, headers: Record<string, string | string[] | number>): EventSink {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return {
    write: (text) => response.write(text),
    end: () => void response.end(),
    onDrain: (listener) => void response.on('drain', listener),
    onClose: (listener) => void response.on('close', listener),
    get isClosed() {
      return response.destroyed;
    },
  };
}

/** The same text over a WebSocket, in text frames: browsers hold six HTTP connections to a server, for all windows together. */
export function socketSink(socket: WebSocket): EventSink {
  let onDrain: () => void = () => undefined;
  return {
    write: (text) => {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(text, (error) => {
        // A failed write is followed by the socket's own close.
        if ((error === undefined || error === null) && socket.bufferedAmount === 0) onDrain();
      });
      return socket.bufferedAmount < LIMITS.eventSocket;
    },
    end: () => socket.close(1001),
    onDrain: (listener) => {
      onDrain = listener;
    },
    onClose: (listener) => void socket.on('close', listener),
    get isClosed() {
      return socket.readyState !== WebSocket.OPEN;
    },
  };
}

export interface EventStreamOptions {
  sink: EventSink;
  bus: Bus<AppEvent>;
  /** Names this server process. */
  boot: string;
  clock: Clock;
  /** Event names wanted; all when absent. */
  types?: ReadonlySet<string>;
  /** The workspace that listens here, if it logged in: events that name it are for it alone. */
  workspace?: string;
  lastEventId?: string;
  onClose: () => void;
}

interface Start {
  /** Sequence after which the stream begins. */
  after: number;
  /** Events gone before that, when some are. */
  missed: number;
}

/** Where a resuming client goes on. */
export function findStart(bus: Bus<AppEvent>, boot: string, lastEventId: string | undefined): Start {
  if (lastEventId === undefined || lastEventId === '') return { after: bus.lastSequence, missed: 0 };
  const at = lastEventId.lastIndexOf('-');
  const sequence = /^\d{1,15}$/.test(lastEventId.slice(at + 1)) ? Number(lastEventId.slice(at + 1)) : Number.NaN;
  const isOurs = lastEventId.slice(0, at) === boot && sequence <= bus.lastSequence;
  return isOurs ? { after: sequence, missed: 0 } : { after: 0, missed: 1 };
}

type AddressedEvent = Extract<AppEvent, { name: (typeof ADDRESSED_EVENTS)[number] }>;

function isAddressed(event: AppEvent): event is AddressedEvent {
  return ADDRESSED_EVENTS.some((name) => name === event.name);
}

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #cursor: BusCursor<AppEvent>;
  readonly #ping: Disposable;
  #missedBefore: number;
  /** Sequence of the newest record the client knows the stream has passed, and the one it was told. */
  #passed: number;
  #told: number;
  #isFull = false;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    const { bus, boot, sink, clock } = options;
    const start = findStart(bus, boot, options.lastEventId);
    this.#cursor = bus.subscribe(() => this.#schedule(), start.after);
    this.#missedBefore = start.missed;
    this.#passed = start.after;
    this.#told = start.after;
    sink.onClose(() => this.#close());
    sink.onDrain(() => {
      this.#isFull = false;
      this.#pump();
    });
    this.#write(`retry: ${DEADLINES.eventRetry}\n${this.#idLine(start.after)}\n`);
    this.#ping = clock.every(DEADLINES.eventKeepAlive, () => this.#keepAlive());
    // A client that left while it was being identified sends no further event.
    if (sink.isClosed) this.#close();
    else this.#pump();
  }

  end(): void {
    if (!this.#isClosed) this.#options.sink.end();
  }

  #idLine(sequence: number): string {
    return `id: ${this.#options.boot}-${sequence}\n`;
  }

  /** Many events of one turn become one write. */
  #schedule(): void {
    if (this.#isScheduled || this.#isFull) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isFull && !this.#isClosed) {
      let batch = '';
      let read: BusRead<AppEvent> | undefined;
      do {
        read = this.#cursor.read();
        batch += read === undefined ? this.#formatLag() : this.#format(read);
      } while (read !== undefined && batch.length < BATCH_CHARACTERS);
      if (batch !== '') this.#write(batch);
      if (read === undefined) return;
    }
  }

  #format(read: BusRead<AppEvent>): string {
    if (read.kind === 'lagged') {
      const missed = read.missed + this.#missedBefore;
      this.#missedBefore = 0;
      this.#passed += read.missed;
      return this.#lagged(missed);
    }
    const text = this.#formatLag();
    const { sequence, event } = read.record;
    this.#passed = sequence;
    if (!this.#isWanted(event)) return text;
    this.#told = sequence;
    return `${text}event: ${event.name}\n${this.#idLine(sequence)}data: ${JSON.stringify(event.data)}\n\n`;
  }

  #isWanted(event: AppEvent): boolean {
    const { types, workspace } = this.#options;
    if (types !== undefined && !types.has(event.name)) return false;
    return !isAddressed(event) || event.data.client_id === workspace;
  }

  /** What was gone before the stream began, told once. */
  #formatLag(): string {
    const missed = this.#missedBefore;
    this.#missedBefore = 0;
    return missed > 0 ? this.#lagged(missed) : '';
  }

  #lagged(missed: number): string {
    this.#told = this.#passed;
    return `event: lagged\n${this.#idLine(this.#passed)}data: ${JSON.stringify({ missed })}\n\n`;
  }

  #keepAlive(): void {
    // Nothing is queued behind a socket that takes nothing.
    if (this.#isFull) return;
    let text = ': ping\n';
    if (this.#passed !== this.#told) {
      text += this.#idLine(this.#passed);
      this.#told = this.#passed;
    }
    this.#write(`${text}\n`);
  }

  #write(text: string): void {
    if (!this.#options.sink.write(text)) this.#isFull = true;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cursor.dispose();
    this.#ping.dispose();
    this.#options.onClose();
  }
}
