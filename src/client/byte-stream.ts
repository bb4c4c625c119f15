/**
 * A resuming viewer of one session (format=bytes, http.md 5).
 *
 * Owns one socket at a time and the cursor into the session's output. Promises: the listener gets every byte once and in
 * order, ranges it cannot get are named by `gap` and followed by a `snapshot`; after a broken connection the stream goes on
 * from the last byte received, or from a snapshot when the screen could not be continued. After `ended` nothing follows.
 *
 * Ordering: a new connection is begun only after the old socket is disowned, so events of an old socket are never read.
 * `resize` and `setVisible` are remembered and told again on each connection, before input.
 */
import type { Clock, Disposable } from '../base/index.ts';
import { type CloseReason, DEADLINES, type GapReason, LIMITS, type SessionInfo } from '../contract/index.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { RequestRefused, ServerUnreachable } from './errors.ts';
import { StreamCursor } from './stream-cursor.ts';
import { type IncomingFrame, readBinaryFrame, readTextFrame } from './stream-frames.ts';
import type { SocketLike } from './transport.ts';

export type StreamState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** `retryInMilliseconds` counts from now; 0 while an attempt runs. */
  | { kind: 'reconnecting'; retryInMilliseconds: number; attempts: number }
  | { kind: 'ended' };

export interface StreamSnapshot {
  data: string;
  offset: number;
  rows: number;
  cols: number;
  /** Lines of the log that stand above this screen, when the server says so. */
  totalLines: number | undefined;
}

/** How a stream ended. `missing`: the session is not there any more, so its last output was not streamed to the end. */
export type StreamEnd =
  | { kind: 'exit'; exitCode: number | undefined }
  | { kind: 'closed'; reason: CloseReason }
  | { kind: 'missing'; session: SessionInfo | undefined }
  | { kind: 'gave-up'; attempts: number };

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

export interface ByteStreamDependencies {
  openSocket(path: string): SocketLike;
  /** The session as the server lists it now, exited ones included. */
  lookUp(id: string): Promise<SessionInfo | undefined>;
  clock: Clock;
  random?: () => number;
}

/** Larger input is cut into messages of this size. */
const INPUT_SLICE = 65_536;

export function openByteStream(
  dependencies: ByteStreamDependencies,
  id: string,
  listener: ByteStreamListener,
  options: ByteStreamOptions = {},
): ByteStream {
  const { clock } = dependencies;
  const retries = options.retries ?? 10;
  const cursor = new StreamCursor(options.offset);
  const backoff: Backoff = createBackoff({ random: dependencies.random, longest: options.longestWait });

  let state: StreamState = { kind: 'connecting' };
  let socket: SocketLike | undefined;
  /** Being opened to take over from `socket`. */
  let successor: SocketLike | undefined;
  let isOpen = false;
  let openedAt = 0;
  let acknowledged = 0;
  let holes = 0;
  let ownSize: { rows: number; cols: number } | undefined;
  let isVisible: boolean | undefined;
  let exited: { exitCode: number | undefined } | undefined;
  let timer: Disposable | undefined;
  /** Counts connections and waits; what belongs to an older number is disowned. */
  let generation = 0;
  /** Sent on the current connection and not answered. */
  const pastes = new Map<number, (outcome: PasteOutcome) => void>();
  let lastPaste = 0;
  let isRefreshWanted = false;

  function setState(next: StreamState): void {
    state = next;
    listener.state(next);
  }

  function finish(end: StreamEnd | undefined): void {
    if (state.kind === 'ended') return;
    disown(1000);
    setState({ kind: 'ended' });
    if (end !== undefined) listener.ended(end);
  }

  /** Lets go of the current socket and of a waiting attempt; none of their events counts from here on. */
  function disown(code?: number): void {
    generation++;
    timer?.dispose();
    timer = undefined;
    // A paste of which a part never left is not complete at the server, which then writes nothing.
    const outcome: PasteOutcome = { kind: (socket?.bufferedAmount ?? 0) > 0 ? 'not connected' : 'unknown' };
    for (const settle of pastes.values()) settle(outcome);
    pastes.clear();
    for (const old of [socket, successor]) {
      if (old === undefined) continue;
      old.onopen = old.onmessage = old.onclose = null;
      // A socket that is closed while it connects reports an error; without a listener `ws` would throw it.
      old.onerror = () => undefined;
      old.close(code);
    }
    socket = undefined;
    successor = undefined;
    isOpen = false;
  }

  function openSocket(offset: number | undefined): SocketLike {
    const query = offset === undefined ? 'format=bytes' : `format=bytes&offset=${offset}`;
    const fresh = dependencies.openSocket(`/sessions/${encodeURIComponent(id)}/stream?${query}`);
    fresh.binaryType = 'arraybuffer';
    // A close event follows each error; it carries the decision.
    fresh.onerror = () => undefined;
    return fresh;
  }

  function connect(): void {
    disown();
    const own = generation;
    const offset = cursor.resumeOffset;
    acknowledged = offset ?? 0;
    const fresh = openSocket(offset);
    socket = fresh;
    timer = clock.after(DEADLINES.streamOpen, () => onClosed(false));
    fresh.onopen = () => {
      if (own !== generation) return;
      timer?.dispose();
      listen(fresh);
      setState({ kind: 'live' });
    };
    fresh.onclose = () => {
      if (own === generation) onClosed(false);
    };
  }

  /** Takes an open socket as the connection. */
  function listen(fresh: SocketLike): void {
    const own = generation;
    isOpen = true;
    openedAt = clock.monotonic();
    fresh.onopen = null;
    fresh.onmessage = (event: { data: unknown }) => {
      if (own !== generation) return;
      const frame =
        typeof event.data === 'string'
          ? readTextFrame(event.data)
          : event.data instanceof ArrayBuffer
            ? readBinaryFrame(event.data)
            : undefined;
      if (frame !== undefined) onFrame(frame);
    };
    fresh.onclose = (event: { code: number }) => {
      if (own === generation) onClosed(event.code !== 1000);
    };
    if (isVisible !== undefined) control({ type: 'visible', visible: isVisible });
    if (ownSize !== undefined) control({ type: 'resize', ...ownSize });
  }

  /** A second connection takes over once it stands, so that typing always has one. */
  function refresh(): void {
    if (!isOpen || successor !== undefined) return;
    // The answer to a paste comes on the connection that carries it.
    isRefreshWanted = pastes.size > 0;
    if (isRefreshWanted) return;
    const own = generation;
    const fresh = openSocket(undefined);
    successor = fresh;
    fresh.onopen = () => {
      if (own !== generation || successor !== fresh) return;
      successor = undefined;
      if (pastes.size > 0) {
        isRefreshWanted = true;
        fresh.onclose = null;
        fresh.close(1000);
        return;
      }
      disown();
      socket = fresh;
      cursor.requireSnapshot();
      acknowledged = 0;
      listen(fresh);
    };
    // The connection in use goes on; it is for the caller to ask again.
    fresh.onclose = () => {
      if (successor === fresh) successor = undefined;
    };
  }

  /**
   * The connection is over. `mayResume`: it worked and broke, so the session is most likely still there. Otherwise the
   * server is asked, because a refused upgrade does not say why.
   */
  function onClosed(mayResume: boolean): void {
    if (exited !== undefined) {
      finish({ kind: 'exit', exitCode: exited.exitCode });
      return;
    }
    if (isOpen && clock.monotonic() - openedAt >= DEADLINES.streamSteady) backoff.reset();
    disown();
    if (mayResume) scheduleRetry();
    else void askWhetherItIsThere();
  }

  async function askWhetherItIsThere(): Promise<void> {
    const own = generation;
    setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: backoff.attempts });
    let session: SessionInfo | undefined;
    try {
      session = await dependencies.lookUp(id);
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
    if (backoff.attempts >= retries) {
      finish({ kind: 'gave-up', attempts: backoff.attempts });
      return;
    }
    const wait = backoff.next();
    timer = clock.after(wait, connectAgain);
    setState({ kind: 'reconnecting', retryInMilliseconds: wait, attempts: backoff.attempts });
  }

  function connectAgain(): void {
    connect();
    setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: backoff.attempts });
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
          onClosed(true);
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
        exited = { exitCode: frame.exitCode };
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
        finish(
          frame.reason === 'process_exit' && exited !== undefined
            ? { kind: 'exit', exitCode: exited.exitCode }
            : { kind: 'closed', reason: frame.reason },
        );
        return;
    }
  }

  function send(bytes: Uint8Array): boolean {
    if (!isOpen || socket === undefined) return false;
    for (let from = 0; from < bytes.length; from += INPUT_SLICE) {
      socket.send(new Uint8Array(bytes.subarray(from, from + INPUT_SLICE)));
    }
    return true;
  }

  function control(message: object): void {
    socket?.send(JSON.stringify(message));
  }

  connect();

  return {
    get state() {
      return state;
    },
    get position() {
      return cursor.position;
    },
    send,
    paste(bytes) {
      if (bytes.length === 0) return Promise.resolve({ kind: 'written' });
      if (!isOpen || socket === undefined) return Promise.resolve({ kind: 'not connected' });
      const number = ++lastPaste;
      return new Promise((resolve) => {
        pastes.set(number, resolve);
        control({ type: 'paste', id: number, bytes: bytes.length });
        send(bytes);
      });
    },
    get unsent() {
      return socket?.bufferedAmount ?? 0;
    },
    resize(rows, cols) {
      ownSize = { rows, cols };
      if (isOpen) control({ type: 'resize', rows, cols });
    },
    setVisible(visible) {
      isVisible = visible;
      if (isOpen) control({ type: 'visible', visible });
    },
    consume(offset) {
      const end = Math.min(offset, cursor.position ?? 0);
      if (!isOpen || end - acknowledged < LIMITS.viewerAckEvery) return;
      acknowledged = end;
      control({ type: 'ack', offset: end });
    },
    retryNow() {
      if (state.kind === 'reconnecting' && socket === undefined && timer !== undefined) connectAgain();
    },
    reconnect() {
      if (state.kind !== 'ended') connectAgain();
    },
    refresh,
    dispose() {
      finish(undefined);
    },
  };
}
