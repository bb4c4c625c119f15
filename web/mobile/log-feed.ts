/**
 * One session's output on the phone: the newest lines and the screen at once, then what follows, older lines on demand.
 *
 * Owns the log stream and fills the buffer. Ordering: a window is asked for, then the stream continues exactly behind it; an
 * answer to a question of an earlier opening is dropped (`#generation`).
 */
import type { Clock, Disposable } from '../../src/base/index.ts';
import {
  type Client,
  type LogStream,
  RequestRefused,
  ServerUnreachable,
  type StreamEnd,
  type StreamState,
} from '../../src/client/index.ts';
import { DEADLINES, type SessionState } from '../../src/contract/index.ts';
import type { LogBuffer } from './log-buffer.ts';

export type FeedConnection = 'loading' | 'live' | 'reconnecting' | 'ended';

export interface FeedEvents {
  /** Lines or screen changed; `isReset`: another window stands there now. */
  changed(isReset: boolean): void;
  connection(connection: FeedConnection): void;
  program(state: SessionState): void;
  ended(end: StreamEnd): void;
  refused(error: RequestRefused): void;
}

/** What the feed asks its owner. */
export interface FeedLooks {
  /** The newest line is on screen. */
  isFollowed(): boolean;
  /** The session has ended: its output can be read, and there is no stream of it. */
  isOver(): boolean;
}

const FIRST_LINES = 300;
const OLDER_LINES = 400;
/** Polls that told of activity while the stream was silent, before it is taken for dead. */
const SILENT_POLLS = 3;

export class LogFeed implements Disposable {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #buffer: LogBuffer;
  readonly #events: FeedEvents;
  readonly #looks: FeedLooks;
  #stream: LogStream | undefined;
  #question: AbortController | undefined;
  #retry: Disposable | undefined;
  #generation = 0;
  #connection: FeedConnection = 'loading';
  #isLoadingOlder = false;
  #hasAllOlder = false;
  #lastActivity: number | undefined;
  #silentPolls = 0;

  constructor(client: Client, clock: Clock, id: string, buffer: LogBuffer, looks: FeedLooks, events: FeedEvents) {
    this.#client = client;
    this.#clock = clock;
    this.#id = id;
    this.#buffer = buffer;
    this.#looks = looks;
    this.#events = events;
  }

  get connection(): FeedConnection {
    return this.#connection;
  }

  /** Shows the newest lines, whatever was there before, and what follows them unless nothing can. */
  async open({ isOver = false } = {}): Promise<void> {
    this.#close();
    const own = this.#generation;
    const question = new AbortController();
    this.#question = question;
    const limit = this.#clock.after(DEADLINES.answerLost, () => question.abort(new ServerUnreachable(undefined)));
    try {
      const window = await this.#client.sessions.logOutput(this.#id, { limit: FIRST_LINES, signal: question.signal });
      if (own !== this.#generation) return;
      this.#hasAllOlder = window.offset === 0 || window.lines.length < FIRST_LINES;
      this.#buffer.reset(window.offset, window.lines, window.screen, window.total_lines);
      this.#events.changed(true);
      if (isOver || this.#looks.isOver()) this.#setConnection('ended');
      else this.#follow(window.total_lines);
    } catch (error) {
      if (own !== this.#generation) return;
      if (error instanceof RequestRefused) this.#onRefused(error);
      else if (error instanceof ServerUnreachable) {
        this.#setConnection('reconnecting');
        this.#retry = this.#clock.after(DEADLINES.retryBase, () => void this.open({ isOver }));
      } else throw error;
    } finally {
      limit.dispose();
    }
  }

  /** The newest lines are wanted; where the window does not reach them it is replaced. */
  catchUp(): void {
    if (this.#buffer.isCut) void this.open();
  }

  /** The connection may be dead. Where somebody reads further up, the window stays as it is. */
  reopen(): void {
    if (this.#connection === 'ended') return;
    if (this.#looks.isFollowed() || this.#stream === undefined) void this.open();
    else this.#stream.reconnect();
  }

  /** The server told of the session's newest activity. A stream that stays silent all the same is a dead one. */
  noteActivity(at: number | undefined): void {
    if (at === undefined || this.#connection !== 'live') return;
    const isNews = this.#lastActivity !== undefined && at !== this.#lastActivity;
    this.#lastActivity = at;
    if (!isNews) return;
    this.#silentPolls++;
    if (this.#silentPolls < SILENT_POLLS) return;
    this.#silentPolls = 0;
    this.#stream?.reconnect();
  }

  async loadOlder(): Promise<void> {
    if (this.#isLoadingOlder || this.#hasAllOlder || this.#buffer.first === 0) return;
    this.#isLoadingOlder = true;
    const own = this.#generation;
    const { first } = this.#buffer;
    try {
      // An answer is bounded by bytes too: of huge lines fewer are asked for, until they reach the window.
      for (let count = Math.min(first, OLDER_LINES); count > 0; count = Math.floor(count / 4)) {
        const window = await this.#client.sessions.logOutput(this.#id, { offset: first - count, limit: count });
        if (own !== this.#generation) return;
        if (window.gap !== undefined || window.offset === 0 || window.lines.length === 0) this.#hasAllOlder = true;
        if (!this.#buffer.prepend(window.offset, window.lines.slice(0, Math.max(0, first - window.offset)))) continue;
        this.#events.changed(false);
        return;
      }
    } catch (error) {
      if (error instanceof RequestRefused && own === this.#generation) this.#events.refused(error);
      else if (!(error instanceof RequestRefused || error instanceof ServerUnreachable)) throw error;
    } finally {
      this.#isLoadingOlder = false;
    }
  }

  dispose(): void {
    this.#close();
  }

  #close(): void {
    this.#generation++;
    this.#question?.abort();
    this.#question = undefined;
    this.#retry?.dispose();
    this.#retry = undefined;
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#silentPolls = 0;
  }

  #follow(offset: number): void {
    const own = this.#generation;
    const guard =
      <A extends unknown[]>(work: (...values: A) => void) =>
      (...values: A) => {
        if (own !== this.#generation) return;
        this.#silentPolls = 0;
        work(...values);
      };
    this.#stream = this.#client.openLogStream(
      this.#id,
      {
        lines: guard((first, lines) => {
          this.#buffer.append(first, lines, this.#looks.isFollowed());
          this.#events.changed(false);
        }),
        screen: guard((screen) => {
          this.#buffer.setScreen(screen);
          this.#events.changed(false);
        }),
        gap: guard((gap) => {
          this.#buffer.gap(gap.from, gap.to, gap.reason);
          this.#events.changed(false);
        }),
        program: guard((state) => this.#events.program(state)),
        connection: guard((state: StreamState) => this.#onState(state)),
        ended: guard((end) => {
          this.#events.ended(end);
          // It ended before the stream stood: what it wrote after the window was read comes in another one.
          if (end.kind === 'missing' && end.session !== undefined) void this.open({ isOver: true });
        }),
      },
      { offset, longestWait: DEADLINES.retryMaximumWatched },
    );
  }

  #onState(state: StreamState): void {
    if (state.kind === 'live') this.#setConnection('live');
    else if (state.kind === 'ended') this.#setConnection('ended');
    else if (state.kind === 'reconnecting') this.#setConnection('reconnecting');
  }

  #onRefused(error: RequestRefused): void {
    if (error.status === 404) {
      this.#setConnection('ended');
      this.#events.ended({ kind: 'missing', session: undefined });
    } else this.#events.refused(error);
  }

  #setConnection(connection: FeedConnection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#events.connection(connection);
  }
}
