/**
 * A resuming viewer of one session's log and screen (format=log, http.md 5): lines of styled text for fronts that have no
 * terminal of their own. It gives no size, so it never changes that of the terminal (T13).
 *
 * Owns one socket at a time and the line cursor. Promises: every finalised line is delivered once and in order, or a `gap`
 * names the lines that were not; the screen follows the lines it stands below. After `ended` nothing follows.
 *
 * Ordering: a new connection is begun only after the old socket is disowned, so events of an old socket are never read.
 */
import type { Clock, Disposable } from '../base/index.ts';
import {
  DEADLINES,
  type GapReason,
  type LogLine,
  type SessionInfo,
  type SessionState,
  type StreamFrame,
} from '../contract/index.ts';
import { createBackoff } from './backoff.ts';
import type { StreamEnd, StreamState } from './byte-stream.ts';
import { RequestRefused, ServerUnreachable } from './errors.ts';
import { readLogFrame } from './log-frames.ts';
import type { SocketLike } from './transport.ts';

export interface LogStreamListener {
  /** Finalised lines, the first of them number `offset`. */
  lines(offset: number, lines: readonly LogLine[]): void;
  /** What stands below the lines now. */
  screen(lines: readonly LogLine[]): void;
  gap(gap: { from: number; to: number; reason: GapReason }): void;
  /** What is known of the program. */
  program(state: SessionState): void;
  connection(state: StreamState): void;
  ended(end: StreamEnd): void;
}

export interface LogStreamOptions {
  /** Number of the first line wanted; 0 when absent. */
  offset?: number;
  /** Longest wait between attempts in milliseconds. */
  longestWait?: number;
}

export interface LogStream extends Disposable {
  readonly connection: StreamState;
  /** Number of the next line. */
  readonly position: number;
  /** Tries at once when waiting for the next attempt. */
  retryNow(): void;
  /** Drops a connection that may be dead and resumes on a new one. */
  reconnect(): void;
}

export interface LogStreamDependencies {
  openSocket(path: string): SocketLike;
  /** The session as the server lists it now, exited ones included. */
  lookUp(id: string): Promise<SessionInfo | undefined>;
  clock: Clock;
  random?: () => number;
}

export function openLogStream(
  { openSocket, lookUp, clock, random }: LogStreamDependencies,
  id: string,
  listener: LogStreamListener,
  options: LogStreamOptions = {},
): LogStream {
  const backoff = createBackoff({ random, longest: options.longestWait });
  let position = options.offset ?? 0;
  let state: StreamState = { kind: 'connecting' };
  let socket: SocketLike | undefined;
  let timer: Disposable | undefined;
  let openedAt: number | undefined;
  let exited: { exitCode: number | undefined } | undefined;
  /** Counts connections and waits; what belongs to an older number is disowned. */
  let generation = 0;

  function setState(next: StreamState): void {
    state = next;
    listener.connection(next);
  }

  function finish(end: StreamEnd | undefined): void {
    if (state.kind === 'ended') return;
    disown(1000);
    setState({ kind: 'ended' });
    if (end !== undefined) listener.ended(end);
  }

  function disown(code?: number): void {
    generation++;
    timer?.dispose();
    timer = undefined;
    openedAt = undefined;
    const old = socket;
    socket = undefined;
    if (old === undefined) return;
    old.onopen = old.onmessage = old.onclose = null;
    // A socket that is closed while it connects reports an error; without a listener `ws` would throw it.
    old.onerror = () => undefined;
    old.close(code);
  }

  function connect(): void {
    disown();
    const own = generation;
    const fresh = openSocket(`/sessions/${encodeURIComponent(id)}/stream?format=log&offset=${position}`);
    socket = fresh;
    timer = clock.after(DEADLINES.streamOpen, () => onClosed(false));
    // A close event follows each error; it carries the decision.
    fresh.onerror = () => undefined;
    fresh.onopen = () => {
      if (own !== generation) return;
      timer?.dispose();
      openedAt = clock.monotonic();
    };
    fresh.onmessage = (event: { data: unknown }) => {
      if (own !== generation || typeof event.data !== 'string') return;
      const frame = readLogFrame(event.data);
      if (frame === undefined) return;
      // Not at `open` already: what is on screen is true once the first frame was shown.
      const isFirst = state.kind !== 'live';
      onFrame(frame);
      if (isFirst && own === generation && frame.type === 'log') setState({ kind: 'live' });
    };
    fresh.onclose = (event: { code: number }) => {
      if (own === generation) onClosed(openedAt !== undefined && event.code !== 1000);
    };
  }

  /** `mayResume`: the connection worked and broke. Otherwise the server is asked, since a refused upgrade does not say why. */
  function onClosed(mayResume: boolean): void {
    if (exited !== undefined) {
      finish({ kind: 'exit', exitCode: exited.exitCode });
      return;
    }
    if (openedAt !== undefined && clock.monotonic() - openedAt >= DEADLINES.streamSteady) backoff.reset();
    disown();
    if (mayResume) scheduleRetry();
    else void askWhetherItIsThere();
  }

  async function askWhetherItIsThere(): Promise<void> {
    const own = generation;
    setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: backoff.attempts });
    let session: SessionInfo | undefined;
    try {
      session = await lookUp(id);
    } catch (error) {
      if (!(error instanceof ServerUnreachable || error instanceof RequestRefused)) throw error;
      if (own === generation) scheduleRetry();
      return;
    }
    if (own !== generation) return;
    if (session === undefined || session.lifecycle === 'exited') finish({ kind: 'missing', session });
    else scheduleRetry();
  }

  function scheduleRetry(): void {
    const wait = backoff.next();
    timer = clock.after(wait, connectAgain);
    setState({ kind: 'reconnecting', retryInMilliseconds: wait, attempts: backoff.attempts });
  }

  function connectAgain(): void {
    connect();
    setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: backoff.attempts });
  }

  function onFrame(frame: StreamFrame): void {
    switch (frame.type) {
      case 'log':
        takeLines(frame.offset, frame.lines ?? []);
        if (frame.screen !== undefined) listener.screen(frame.screen);
        return;
      case 'gap':
        position = Math.max(position, frame.to);
        listener.gap({ from: frame.from, to: frame.to, reason: frame.reason });
        return;
      case 'state':
        listener.program(frame.state);
        return;
      case 'exit':
        exited = { exitCode: frame.exit_code };
        return;
      case 'closed':
        finish(
          frame.reason === 'process_exit' && exited !== undefined
            ? { kind: 'exit', exitCode: exited.exitCode }
            : { kind: 'closed', reason: frame.reason },
        );
        return;
      default:
        return;
    }
  }

  function takeLines(offset: number, lines: readonly LogLine[]): void {
    if (lines.length === 0 || offset + lines.length <= position) return;
    if (offset > position) listener.gap({ from: position, to: offset, reason: 'evicted' });
    const fresh = offset < position ? lines.slice(position - offset) : lines;
    const start = Math.max(offset, position);
    position = offset + lines.length;
    listener.lines(start, fresh);
  }

  connect();

  return {
    get connection() {
      return state;
    },
    get position() {
      return position;
    },
    retryNow() {
      if (state.kind === 'reconnecting' && socket === undefined && timer !== undefined) connectAgain();
    },
    reconnect() {
      if (state.kind !== 'ended') connectAgain();
    },
    dispose() {
      finish(undefined);
    },
  };
}
