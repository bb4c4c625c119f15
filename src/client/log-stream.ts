/**
 * A resuming viewer of one session's log and screen (format=log, http.md 5): lines of styled text for fronts that have no
 * terminal of their own. It gives no size, so it never changes that of the terminal (T13).
 *
 * Owns the line cursor, over a ResumingSocket. Promises: every finalised line is delivered once and in order, or a `gap`
 * names the lines that were not; the screen follows the lines it stands below. After `ended` nothing follows.
 */
import type { Disposable } from '../base/index.ts';
import type { GapReason, LogLine, SessionState, StreamFrame } from '../contract/index.ts';
import { readLogFrame } from './log-frames.ts';
import { ResumingSocket, type StreamDependencies, type StreamEnd, type StreamState } from './resuming-socket.ts';

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

export function openLogStream(
  dependencies: StreamDependencies,
  id: string,
  listener: LogStreamListener,
  options: LogStreamOptions = {},
): LogStream {
  let position = options.offset ?? 0;

  const connection = new ResumingSocket({
    ...dependencies,
    sessionId: id,
    retries: Number.POSITIVE_INFINITY,
    longestWait: options.longestWait,
    path: () => `/sessions/${encodeURIComponent(id)}/stream?format=log&offset=${position}`,
    // Not live already: what is on screen is true once the first frame was shown.
    opened: () => undefined,
    message: (data) => {
      const frame = typeof data === 'string' ? readLogFrame(data) : undefined;
      if (frame === undefined) return;
      const { socket, state } = connection;
      onFrame(frame);
      // Unless what was told made the owner let go.
      const isSame = connection.socket === socket;
      if (isSame && state.kind !== 'live' && frame.type === 'log') connection.setLive();
    },
    dropped: () => undefined,
    state: (state) => listener.connection(state),
    ended: (end) => listener.ended(end),
  });

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
        connection.noteExit(frame.exit_code);
        return;
      case 'closed':
        connection.finishClosed(frame.reason);
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

  connection.connect();

  return {
    get connection() {
      return connection.state;
    },
    get position() {
      return position;
    },
    retryNow: () => connection.retryNow(),
    reconnect: () => connection.reconnect(),
    dispose: () => connection.finish(),
  };
}
