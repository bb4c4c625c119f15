/**
 * A resuming viewer of one session (format=bytes, http.md 5).
 *
 * Owns the cursor into the session's output, over a ResumingSocket. Promises: the listener gets every byte once and in
 * order, ranges it cannot get are named by `gap` and followed by a `snapshot`; after a broken connection the stream goes on
 * from the last byte received, or from a snapshot when the screen could not be continued. After `ended` nothing follows.
 *
 * Ordering: as the ResumingSocket has it. `resize` and `setVisible` are remembered and told again on each connection, before input.
 */
import type { Disposable } from '../base/index.ts';
import { type GapReason, LIMITS } from '../contract/index.ts';
import {
  closeQuietly,
  ResumingSocket,
  type StreamDependencies,
  type StreamEnd,
  type StreamState,
} from './resuming-socket.ts';
import { StreamCursor } from './stream-cursor.ts';
import { type IncomingFrame, readBinaryFrame, readTextFrame } from './stream-frames.ts';
import type { SocketLike } from './transport.ts';

export interface StreamSnapshot {
  data: string;
  offset: number;
  rows: number;
  cols: number;
  /** Lines of the log that stand above this screen, when the server says so. */
  totalLines: number | undefined;
}

/**
 * What came of a paste. `refused`: nothing of it was written. `unknown`: the connection broke after all was sent and before the
 * server said what it did; it wrote all or nothing.
 */
export type PasteOutcome =
  | { kind: 'written' }
  | { kind: 'refused'; reason: string }
  | { kind: 'not connected' }
  | { kind: 'unknown' };

export interface ByteStreamListener {
  /** Bytes from `offset` on. Call `consume` with their end once they are shown. */
  bytes(offset: number, bytes: Uint8Array): void;
  snapshot(snapshot: StreamSnapshot): void;
  size(size: { offset: number; rows: number; cols: number }): void;
  gap(gap: { from: number; to: number; reason: GapReason }): void;
  /** The process ended; all its output was delivered. `closed` or the end of the stream follows. */
  exit(exitCode: number | undefined): void;
  state(state: StreamState): void;
  ended(end: StreamEnd): void;
}

export interface ByteStreamOptions {
  offset?: number;
  /** Attempts in a row before giving up. Default 10; Infinity for a workspace. */
  retries?: number;
  /** Longest wait between attempts in milliseconds, when 30 s is too long for the person who watches. */
  longestWait?: number;
}

export interface ByteStream extends Disposable {
  readonly state: StreamState;
  /** Offset just past the newest byte received. */
  readonly position: number | undefined;
  /** Sends typed bytes. False, and nothing is sent, while there is no connection. */
  send(bytes: Uint8Array): boolean;
  /** Sends bytes that are written as one, whole or not at all; at most LIMITS.writeQueue. What is typed later stays behind. */
  paste(bytes: Uint8Array): Promise<PasteOutcome>;
  /** Bytes the network has not taken. */
  readonly unsent: number;
  /** This viewer's own size. */
  resize(rows: number, cols: number): void;
  setVisible(visible: boolean): void;
  /** Everything before `offset` is shown; lets the server send on. */
  consume(offset: number): void;
  /** Tries at once when waiting for the next attempt. */
  retryNow(): void;
  /** Drops a connection that may be dead and resumes on a new one. */
  reconnect(): void;
  /** Asks for a fresh snapshot, without a break for input. Nothing happens while there is no connection. */
  refresh(): void;
}

/** Larger input is cut into messages of this size. */
const INPUT_SLICE = 65_536;

export function openByteStream(
  dependencies: StreamDependencies,
  id: string,
  listener: ByteStreamListener,
  options: ByteStreamOptions = {},
): ByteStream {
  const cursor = new StreamCursor(options.offset);
  /** Being opened to take over from the connection in use. */
  let successor: SocketLike | undefined;
  let acknowledged = 0;
  let holes = 0;
  let ownSize: { rows: number; cols: number } | undefined;
  let isVisible: boolean | undefined;
  /** Sent on the current connection and not answered. */
  const pastes = new Map<number, (outcome: PasteOutcome) => void>();
  let lastPaste = 0;
  let isRefreshWanted = false;

  const connection = new ResumingSocket({
    ...dependencies,
    sessionId: id,
    retries: options.retries ?? 10,
    longestWait: options.longestWait,
    path: () => {
      const offset = cursor.resumeOffset;
      acknowledged = offset ?? 0;
      return streamPath(offset);
    },
    opened: (socket) => {
      begin(socket);
      connection.setLive();
    },
    message: (data) => {
      const frame =
        typeof data === 'string'
          ? readTextFrame(data)
          : data instanceof ArrayBuffer
            ? readBinaryFrame(data)
            : undefined;
      if (frame !== undefined) onFrame(frame);
    },
    dropped: (socket) => {
      // A paste of which a part never left is not complete at the server, which then writes nothing.
      const outcome: PasteOutcome = { kind: socket.bufferedAmount > 0 ? 'not connected' : 'unknown' };
      for (const settle of pastes.values()) settle(outcome);
      pastes.clear();
      if (successor !== undefined) closeQuietly(successor);
      successor = undefined;
    },
    state: (state) => listener.state(state),
    ended: (end) => listener.ended(end),
  });

  function streamPath(offset: number | undefined): string {
    const query = offset === undefined ? 'format=bytes' : `format=bytes&offset=${offset}`;
    return `/sessions/${encodeURIComponent(id)}/stream?${query}`;
  }

  /** What the server has to know on each connection, before input. */
  function begin(socket: SocketLike): void {
    socket.binaryType = 'arraybuffer';
    if (isVisible !== undefined) control({ type: 'visible', visible: isVisible });
    if (ownSize !== undefined) control({ type: 'resize', ...ownSize });
  }

  /** A second connection takes over once it stands, so that typing always has one. */
  function refresh(): void {
    const used = connection.socket;
    if (used === undefined || successor !== undefined) return;
    // The answer to a paste comes on the connection that carries it.
    isRefreshWanted = pastes.size > 0;
    if (isRefreshWanted) return;
    const fresh = dependencies.openSocket(streamPath(undefined));
    // Also what comes in the same turn as `open`.
    fresh.binaryType = 'arraybuffer';
    // A close event follows each error; it carries the decision.
    fresh.onerror = () => undefined;
    successor = fresh;
    fresh.onopen = () => {
      if (successor !== fresh || connection.socket !== used) return;
      successor = undefined;
      if (pastes.size > 0) {
        isRefreshWanted = true;
        closeQuietly(fresh, 1000);
        return;
      }
      cursor.requireSnapshot();
      acknowledged = 0;
      connection.takeOver(fresh);
      begin(fresh);
    };
    // The connection in use goes on; it is for the caller to ask again.
    fresh.onclose = () => {
      if (successor === fresh) successor = undefined;
    };
  }

  function onFrame(frame: IncomingFrame): void {
    switch (frame.type) {
      case 'bytes': {
        const accepted = cursor.acceptBytes(frame.offset, frame.bytes);
        if (accepted.kind === 'deliver') {
          holes = 0;
          listener.bytes(accepted.offset, accepted.bytes);
        } else if (accepted.kind === 'hole') {
          // Asked again from the same byte once; a server that cannot fill the hole then has to send a snapshot.
          if (++holes > 1) cursor.requireSnapshot();
          connection.breakOff(true);
        }
        return;
      }
      case 'snapshot': {
        const skipped = cursor.acceptSnapshot(frame.offset);
        acknowledged = frame.offset;
        holes = 0;
        if (skipped !== undefined) listener.gap({ ...skipped, reason: 'evicted' });
        listener.snapshot(frame);
        return;
      }
      case 'gap':
        cursor.acceptGap(frame.to);
        listener.gap({ from: frame.from, to: frame.to, reason: frame.reason });
        return;
      case 'size':
        listener.size({ offset: frame.offset, rows: frame.rows, cols: frame.cols });
        return;
      case 'exit':
        connection.noteExit(frame.exitCode);
        listener.exit(frame.exitCode);
        return;
      case 'pasted':
        pastes.get(frame.id)?.(
          frame.error === undefined ? { kind: 'written' } : { kind: 'refused', reason: frame.error },
        );
        pastes.delete(frame.id);
        if (isRefreshWanted) refresh();
        return;
      case 'closed':
        connection.finishClosed(frame.reason);
        return;
    }
  }

  function send(bytes: Uint8Array): boolean {
    const { socket } = connection;
    if (socket === undefined) return false;
    for (let from = 0; from < bytes.length; from += INPUT_SLICE) {
      socket.send(new Uint8Array(bytes.subarray(from, from + INPUT_SLICE)));
    }
    return true;
  }

  function control(message: object): void {
    connection.socket?.send(JSON.stringify(message));
  }

  connection.connect();

  return {
    get state() {
      return connection.state;
    },
    get position() {
      return cursor.position;
    },
    send,
    paste(bytes) {
      if (bytes.length === 0) return Promise.resolve({ kind: 'written' });
      if (connection.socket === undefined) return Promise.resolve({ kind: 'not connected' });
      const number = ++lastPaste;
      return new Promise((resolve) => {
        pastes.set(number, resolve);
        control({ type: 'paste', id: number, bytes: bytes.length });
        send(bytes);
      });
    },
    get unsent() {
      return connection.socket?.bufferedAmount ?? 0;
    },
    resize(rows, cols) {
      ownSize = { rows, cols };
      control({ type: 'resize', rows, cols });
    },
    setVisible(visible) {
      isVisible = visible;
      control({ type: 'visible', visible });
    },
    consume(offset) {
      const end = Math.min(offset, cursor.position ?? 0);
      if (connection.socket === undefined || end - acknowledged < LIMITS.viewerAckEvery) return;
      acknowledged = end;
      control({ type: 'ack', offset: end });
    },
    retryNow: () => connection.retryNow(),
    reconnect: () => connection.reconnect(),
    refresh,
    dispose: () => connection.finish(),
  };
}
