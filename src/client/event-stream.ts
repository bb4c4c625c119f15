/**
 * The server's events (GET /events), over a streamed fetch so that every byte is seen, keep-alive comments included.
 *
 * Promises: an event is delivered once; after a break the stream resumes behind the last one seen. What was missed all the
 * same is told by `lagged`, and the listener reloads its state then. A connection that is silent for longer than two
 * keep-alives counts as dead, also when the machine slept through it (`check` looks at once). It never gives up.
 *
 * Ordering: `connected` comes before the events of that connection, so state loaded on it is never older than them.
 */
import { type Clock, type Disposable, EventParser, type ServerSentEvent } from '../base/index.ts';
import { ADDRESSED_EVENTS, type AppEvent, DEADLINES, EVENT_NAMES, type EventName } from '../contract/index.ts';
import { createBackoff } from './backoff.ts';
import { ConnectionSilent, RequestRefused } from './errors.ts';
import { request, type Transport } from './transport.ts';

export interface EventStreamListener {
  event(event: AppEvent): void;
  /** `missed` events are gone for this reader (0: unknown number); reload what depends on them. */
  lagged(missed: number): void;
  /** A connection stands. `isResume` is false on the first one. */
  connected(isResume: boolean): void;
  /** The connection broke or could not be made; the next attempt comes in `retryInMilliseconds`. */
  disconnected(retryInMilliseconds: number, cause: Error): void;
}

export interface EventStreamOptions {
  types?: readonly EventName[];
  /** Makes the server list this subscriber as a client that a person may be reached through. */
  client?: { id: string; kind: 'workspace' | 'phone' };
  /** Longest wait between attempts in milliseconds. */
  longestWait?: number;
}

export interface EventStream extends Disposable {
  readonly lastEventId: string;
  /** Looks whether the connection is still alive, and tries at once when it is not. For a page that wakes up. */
  check(): void;
  retryNow(): void;
  /** Lets go of a connection that may be dead and resumes on a new one at once. */
  reconnect(): void;
}

export interface EventStreamDependencies {
  transport: Transport;
  clock: Clock;
  random?: () => number;
}

const KNOWN: ReadonlySet<string> = new Set([...EVENT_NAMES, ...ADDRESSED_EVENTS]);

export function openEventStream(
  { transport, clock, random }: EventStreamDependencies,
  listener: EventStreamListener,
  options: EventStreamOptions = {},
): EventStream {
  const path = eventPath(options);
  const backoff = createBackoff({ random, longest: options.longestWait });
  let lastEventId = '';
  let hasConnected = false;
  let isDisposed = false;
  let attempt: AbortController | undefined;
  let timer: Disposable | undefined;
  /** Wall clock of the newest byte: it also moves while the machine sleeps. */
  let lastByteAt = clock.now();
  /** Monotonic time at which the running connection was made. */
  let connectedAt: number | undefined;

  function start(): void {
    timer?.dispose();
    timer = undefined;
    const own = new AbortController();
    attempt = own;
    lastByteAt = clock.now();
    const watchdog = clock.every(DEADLINES.eventWatchdog / 7, () => dropIfSilent(own));
    void run(own.signal)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((cause) => {
        watchdog.dispose();
        own.abort();
        if (isDisposed || attempt !== own) return;
        attempt = undefined;
        if (connectedAt !== undefined && clock.monotonic() - connectedAt >= DEADLINES.streamSteady) backoff.reset();
        connectedAt = undefined;
        const wait = backoff.next();
        timer = clock.after(wait, start);
        listener.disconnected(wait, cause);
      });
  }

  function dropIfSilent(own: AbortController): boolean {
    if (clock.now() - lastByteAt < DEADLINES.eventWatchdog) return false;
    own.abort(new ConnectionSilent());
    return true;
  }

  /** One connection. Resolves or rejects when it is over. */
  async function run(signal: AbortSignal): Promise<Error> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId !== '') headers['last-event-id'] = lastEventId;
    const response = await untilAborted(request(transport, path, { headers, signal }), signal);
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream') || response.body === null) {
      throw new RequestRefused(response.status, `Expected an event stream, got ${type === '' ? 'nothing' : type}`);
    }
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser(onEvent, lastEventId);
    lastByteAt = clock.now();
    connectedAt = clock.monotonic();
    listener.connected(hasConnected);
    hasConnected = true;
    try {
      for (;;) {
        const { done, value } = await untilAborted(reader.read(), signal);
        if (done) return new Error('the server ended the event stream');
        lastByteAt = clock.now();
        parser.push(decoder.decode(value, { stream: true }));
      }
    } finally {
      // Only the connection is let go here; that it broke is already known, or is thrown above.
      reader.cancel().catch(() => undefined);
    }
  }

  function onEvent(received: ServerSentEvent): void {
    lastEventId = received.id;
    let data: unknown;
    try {
      data = JSON.parse(received.data);
    } catch (error) {
      if (error instanceof SyntaxError) return;
      throw error;
    }
    if (typeof data !== 'object' || data === null) return;
    if (received.event === 'lagged') {
      listener.lagged('missed' in data && typeof data.missed === 'number' ? data.missed : 0);
    } else if (KNOWN.has(received.event)) {
      listener.event({ name: received.event, data } as AppEvent);
    }
  }

  function retryNow(): void {
    if (!isDisposed && attempt === undefined) start();
  }

  start();

  return {
    get lastEventId() {
      return lastEventId;
    },
    check() {
      if (attempt === undefined) retryNow();
      else if (dropIfSilent(attempt)) backoff.reset();
    },
    retryNow,
    reconnect() {
      if (isDisposed) return;
      timer?.dispose();
      const old = attempt;
      // The new attempt is the one that counts before the old one hears of its end.
      start();
      old?.abort(new ConnectionSilent());
    },
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      timer?.dispose();
      attempt?.abort();
    },
  };
}

function eventPath({ types, client }: EventStreamOptions): string {
  const query = new URLSearchParams();
  if (types !== undefined) query.set('types', types.join(','));
  if (client !== undefined) {
    query.set('client_id', client.id);
    query.set('client', client.kind);
  }
  const text = query.toString();
  return text === '' ? '/events' : `/events?${text}`;
}

/** A frozen network may keep a promise open for ever; an abort settles it here in any case. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
