/**
 * The connection of a stream that goes on after a break: one socket at a time, attempts that come more and more rarely, and the
 * question to the server whether there is still something to stream. What the frames mean is the owner's business.
 *
 * Promises: no event of an older socket or wait reaches the owner; after `finish` nothing follows.
 * Ordering: a new connection is begun only after the old socket is disowned (`generation`).
 */
import type { Clock, Disposable } from '../base/index.ts';
import { type CloseReason, DEADLINES, type SessionInfo } from '../contract/index.ts';
import { createBackoff } from './backoff.ts';
import { RequestRefused, ServerUnreachable } from './errors.ts';
import type { SocketLike } from './transport.ts';

export type StreamState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** `retryInMilliseconds` counts from now; 0 while an attempt runs. */
  | { kind: 'reconnecting'; retryInMilliseconds: number; attempts: number }
  | { kind: 'ended' };

/** How a stream ended. `missing`: the session is not there any more, so its last output was not streamed to the end. */
export type StreamEnd =
  | { kind: 'exit'; exitCode: number | undefined }
  | { kind: 'closed'; reason: CloseReason }
  | { kind: 'missing'; session: SessionInfo | undefined }
  | { kind: 'gave-up'; attempts: number };

export interface StreamDependencies {
  openSocket(path: string): SocketLike;
  /** The session as the server lists it now, exited ones included. */
  lookUp(id: string): Promise<SessionInfo | undefined>;
  clock: Clock;
  random?: () => number;
}

export interface ResumingSocketOptions extends StreamDependencies {
  sessionId: string;
  /** Attempts in a row before giving up. */
  retries: number;
  /** Longest wait between attempts in milliseconds. */
  longestWait: number | undefined;
  /** Path and query of the next connection. */
  path(): string;
  /** The socket stands. */
  opened(socket: SocketLike): void;
  message(data: unknown): void;
  /** The socket is about to be let go, with whatever waited on it. */
  dropped(socket: SocketLike): void;
  state(state: StreamState): void;
  ended(end: StreamEnd): void;
}

export class ResumingSocket {
  readonly #options: ResumingSocketOptions;
  readonly #backoff: ReturnType<typeof createBackoff>;
  #state: StreamState = { kind: 'connecting' };
  #socket: SocketLike | undefined;
  #isOpen = false;
  #openedAt = 0;
  #exited: { exitCode: number | undefined } | undefined;
  #timer: Disposable | undefined;
  /** Counts connections and waits; what belongs to an older number is disowned. */
  #generation = 0;

  /** Call `connect` once the owner is ready to be told. */
  constructor(options: ResumingSocketOptions) {
    this.#options = options;
    this.#backoff = createBackoff({ random: options.random, longest: options.longestWait });
  }

  get state(): StreamState {
    return this.#state;
  }

  /** The socket, once it stands. */
  get socket(): SocketLike | undefined {
    return this.#isOpen ? this.#socket : undefined;
  }

  setLive(): void {
    this.#setState({ kind: 'live' });
  }

  /** The program ended; the end of the connection is the end of the stream from here on. */
  noteExit(exitCode: number | undefined): void {
    this.#exited = { exitCode };
  }

  connect(): void {
    this.#disown();
    const { clock, openSocket, path, opened } = this.#options;
    const own = this.#generation;
    const fresh = openSocket(path());
    this.#socket = fresh;
    this.#timer = clock.after(DEADLINES.streamOpen, () => this.breakOff(false));
    // A close event follows each error; it carries the decision.
    fresh.onerror = () => undefined;
    fresh.onopen = () => {
      if (own !== this.#generation) return;
      this.#timer?.dispose();
      this.#listen(fresh);
      opened(fresh);
    };
    fresh.onclose = () => {
      if (own === this.#generation) this.breakOff(false);
    };
  }

  /** Another socket that stands takes over. */
  takeOver(socket: SocketLike): void {
    this.#disown();
    this.#socket = socket;
    this.#listen(socket);
  }

  #listen(socket: SocketLike): void {
    const own = this.#generation;
    this.#isOpen = true;
    this.#openedAt = this.#options.clock.monotonic();
    socket.onopen = null;
    socket.onmessage = (event: { data: unknown }) => {
      if (own === this.#generation) this.#options.message(event.data);
    };
    socket.onclose = (event: { code: number }) => {
      if (own === this.#generation) this.breakOff(event.code !== 1000);
    };
  }

  /**
   * The connection is over. `mayResume`: it worked and broke, so the session is most likely still there. Otherwise the
   * server is asked, because a refused upgrade does not say why.
   */
  breakOff(mayResume: boolean): void {
    if (this.#exited !== undefined) {
      this.finish({ kind: 'exit', exitCode: this.#exited.exitCode });
      return;
    }
    const { clock } = this.#options;
    if (this.#isOpen && clock.monotonic() - this.#openedAt >= DEADLINES.streamSteady) this.#backoff.reset();
    this.#disown();
    if (mayResume) this.#scheduleRetry();
    else void this.#askWhetherItIsThere();
  }

  /** The server said that nothing follows. */
  finishClosed(reason: CloseReason): void {
    this.finish(
      reason === 'process_exit' && this.#exited !== undefined
        ? { kind: 'exit', exitCode: this.#exited.exitCode }
        : { kind: 'closed', reason },
    );
  }

  /** Without an end: the owner itself lets go. */
  finish(end?: StreamEnd): void {
    if (this.#state.kind === 'ended') return;
    this.#disown(1000);
    this.#setState({ kind: 'ended' });
    if (end !== undefined) this.#options.ended(end);
  }

  retryNow(): void {
    const isWaiting = this.#socket === undefined && this.#timer !== undefined;
    if (this.#state.kind === 'reconnecting' && isWaiting) this.#connectAgain();
  }

  /** Drops a connection that may be dead. */
  reconnect(): void {
    if (this.#state.kind !== 'ended') this.#connectAgain();
  }

  #setState(next: StreamState): void {
    this.#state = next;
    this.#options.state(next);
  }

  /** Lets go of the current socket and of a waiting attempt; none of their events counts from here on. */
  #disown(code?: number): void {
    this.#generation++;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#isOpen = false;
    const old = this.#socket;
    this.#socket = undefined;
    if (old === undefined) return;
    this.#options.dropped(old);
    closeQuietly(old, code);
  }

  async #askWhetherItIsThere(): Promise<void> {
    const own = this.#generation;
    this.#setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: this.#backoff.attempts });
    let session: SessionInfo | undefined;
    try {
      session = await this.#options.lookUp(this.#options.sessionId);
    } catch (error) {
      if (!(error instanceof ServerUnreachable || error instanceof RequestRefused)) throw error;
      if (own === this.#generation) this.#scheduleRetry();
      return;
    }
    if (own !== this.#generation) return;
    if (session === undefined || session.lifecycle === 'exited') this.finish({ kind: 'missing', session });
    else this.#scheduleRetry();
  }

  #scheduleRetry(): void {
    const { attempts } = this.#backoff;
    if (attempts >= this.#options.retries) {
      this.finish({ kind: 'gave-up', attempts });
      return;
    }
    const wait = this.#backoff.next();
    this.#timer = this.#options.clock.after(wait, () => this.#connectAgain());
    this.#setState({ kind: 'reconnecting', retryInMilliseconds: wait, attempts: this.#backoff.attempts });
  }

  #connectAgain(): void {
    this.connect();
    this.#setState({ kind: 'reconnecting', retryInMilliseconds: 0, attempts: this.#backoff.attempts });
  }
}

/** Closes a socket whose events count no more. */
export function closeQuietly(socket: SocketLike, code?: number): void {
  socket.onopen = socket.onmessage = socket.onclose = null;
  // A socket that is closed while it connects reports an error; without a listener `ws` would throw it.
  socket.onerror = () => undefined;
  socket.close(code);
}
