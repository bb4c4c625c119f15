/**
 * One upstream server: its connection, its state and its tools as it told them. Owns everything that is alive of it, one connection at a
 * time (M24), and renews it by itself (M03, M07): other upstreams never notice.
 *
 * Ordering: every connection has a number. What comes late from an older one, its end included, changes nothing. A call that has not
 * reached the server is sent once more after the renewal; one that may have run is repeated only when the tool says that this does no harm.
 */
import { type Clock, type Disposable, delay, isJsonObject, type JsonObject } from '../../base/index.ts';
import { AppError, DEADLINES, type UpstreamServer, type UpstreamState } from '../../contract/index.ts';
import { type LinkEvents, LinkFailure, type McpLink, McpSession, RemoteError } from '../../platform/mcp-links/index.ts';
import { Breaker } from './breaker.ts';
import { isSame } from './config-delta.ts';

/** A tool as its server told it. */
export type UpstreamTool = JsonObject & { readonly name: string };

export type OpenLink = (server: UpstreamServer, events: LinkEvents) => Promise<McpLink>;

export interface UpstreamOptions {
  server: UpstreamServer;
  openLink: OpenLink;
  clock: Clock;
  version: string;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  onStatus: (status: UpstreamState) => void;
  onTools: () => void;
  onContent: (kind: ListedContent) => void;
}

/** What a server lists besides its tools. */
export type ListedContent = 'resources' | 'prompts';

export interface CallOptions {
  /** Milliseconds; those of a call of the server when absent. */
  timeout?: number;
  signal: AbortSignal;
  onProgress?: ((params: JsonObject) => void) | undefined;
}

const SETTLING: readonly UpstreamState[] = ['connecting'];
/** Failures after which another connection may do better. */
const RENEWED: readonly LinkFailure['kind'][] = ['session_lost', 'unreachable', 'closed', 'broken'];
const AUTH_CODE = -32_001;

export class Upstream {
  readonly server: UpstreamServer;
  readonly metrics = { call_count: 0, error_count: 0, last_latency_ms: null as number | null };
  readonly #options: UpstreamOptions;
  readonly #breaker = new Breaker();
  #status: UpstreamState;
  #tools: readonly UpstreamTool[] = [];
  #capabilities: JsonObject | undefined;
  #lastError: string | null = null;
  #number = 0;
  #link: McpLink | undefined;
  #session: McpSession | undefined;
  #isConnecting = false;
  #connecting: Promise<void> = Promise.resolve();
  #isStopped = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #diagnostics = '';
  #retry: Disposable | undefined;
  #refresh: Disposable | undefined;
  readonly #waiting = new Set<() => void>();
  #tellFirst: () => void = () => {};
  /** The first attempt to connect is over, whatever came of it. */
  readonly firstAttempt: Promise<void>;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.server = options.server;
    this.#status = options.server.enabled ? 'connecting' : 'disabled';
    this.firstAttempt = new Promise((resolve) => {
      this.#tellFirst = resolve;
    });
    if (!options.server.enabled) this.#tellFirst();
  }

  get status(): UpstreamState {
    return this.#status;
  }

  get tools(): readonly UpstreamTool[] {
    return this.#tools;
  }

  /** Of its last handshake; undefined before the first. */
  get capabilities(): JsonObject | undefined {
    return this.#capabilities;
  }

  get lastError(): string | null {
    return this.#lastError;
  }

  get diagnostics(): string {
    return this.#link?.diagnostics || this.#diagnostics;
  }

  /** Milliseconds of one call (LIM-3). */
  get timeout(): number {
    const seconds = this.server.timeout_secs;
    return seconds === 0 ? DEADLINES.wait : Math.min(seconds * 1_000, DEADLINES.wait);
  }

  start(): void {
    if (!this.server.enabled) return;
    this.#options.onStatus(this.#status);
    void this.#connect();
  }

  /** A person asks for it: what failed before counts no more. */
  async reconnect(): Promise<void> {
    if (!this.server.enabled) throw this.#refusal('it is disabled');
    this.#breaker.succeed();
    await this.#drop();
    this.#setStatus('connecting');
    const number = this.#number;
    const pause = this.#startPause;
    // Whoever asks wants to know what comes of it.
    if (pause > 0) await delay(this.#options.clock, pause);
    if (number === this.#number) await this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#tellFirst();
    await Promise.all([this.#drop(), this.#connecting]);
    this.#tellWaiting();
  }

  /** UPX-5: whether it is still there, and what its tools are now. */
  async check(): Promise<void> {
    if (this.#status === 'ready') return this.#readTools(this.#number);
    if (this.#status === 'connecting' || this.#status === 'failed') {
      if (this.#retry === undefined) await this.#connect();
    }
  }

  /** The server's own result. */
  async call(tool: UpstreamTool, params: JsonObject, options: CallOptions): Promise<unknown> {
    this.metrics.call_count++;
    const begin = this.#options.clock.monotonic();
    try {
      return await this.#ask('tools/call', { ...params, name: tool.name }, isRepeatable(tool), options);
    } catch (error) {
      this.metrics.error_count++;
      throw error;
    } finally {
      this.metrics.last_latency_ms = Math.round(this.#options.clock.monotonic() - begin);
    }
  }

  /** What only reads, so that it may be repeated. */
  read(method: string, params: JsonObject, options: CallOptions): Promise<unknown> {
    return this.#ask(method, params, true, options);
  }

  async #ask(method: string, params: JsonObject, isRepeated: boolean, options: CallOptions): Promise<unknown> {
    try {
      return await this.#askOnceOrTwice(method, params, isRepeated, options);
    } catch (error) {
      throw error instanceof LinkFailure ? this.#refusal(error.message) : error;
    }
  }

  async #askOnceOrTwice(
    method: string,
    params: JsonObject,
    isRepeated: boolean,
    { signal, onProgress, timeout = this.timeout }: CallOptions,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const session = await this.#whenReady(signal);
      const number = this.#number;
      try {
        const result = await session.request(method, params, { timeout, signal, onProgress });
        this.#breaker.succeed();
        const kind = isJsonObject(result) ? result.resultType : undefined;
        if (kind !== undefined && kind !== 'complete') {
          throw this.#refusal(`it answered by ${JSON.stringify(kind)}, which cannot be handed through yet`);
        }
        return result;
      } catch (error) {
        if (!(error instanceof LinkFailure)) throw error;
        this.#take(error, number);
        const isHarmless = error.reach === 'never' || isRepeated;
        const isWorthIt = RENEWED.includes(error.kind);
        if (attempt > 1 || !isWorthIt || !isHarmless || this.#isStopped) throw error;
      }
    }
  }

  /** Waits while it connects; everything else that is not ready refuses at once (UPX-3). */
  async #whenReady(signal: AbortSignal): Promise<McpSession> {
    if (this.#session === undefined && SETTLING.includes(this.#status) && !this.#isStopped) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting.delete(done);
          timer.dispose();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = this.#options.clock.after(this.timeout, done);
        this.#waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
    if (signal.aborted) throw new LinkFailure('cancelled', 'never', 'the call was cancelled');
    if (this.#session !== undefined && this.#status === 'ready') return this.#session;
    const why = this.#lastError === null ? '' : `: ${this.#lastError}`;
    if (this.#status === 'needs_auth' || this.#status === 'authenticating') {
      const message = `${this.server.name} needs a login. Ask the person to store a credential for it${why}`;
      throw new UpstreamNeedsLogin(JSON.stringify({ code: AUTH_CODE, message }));
    }
    throw this.#refusal(`it is ${this.#isStopped ? 'gone' : this.#status}${why}`);
  }

  #refusal(detail: string): AppError {
    return new AppError('upstream_refused', { name: this.server.name, detail });
  }

  /** STD-5: milliseconds until its program may be started again; a program that dies at once is not started all the time. */
  get #startPause(): number {
    if (this.server.transport.type !== 'stdio') return 0;
    return Math.max(0, this.#lastStart + DEADLINES.upstreamRespawn - this.#options.clock.monotonic());
  }

  #connect(): Promise<void> {
    if (this.#isConnecting || this.#isStopped) return this.#connecting;
    const pause = this.#startPause;
    if (pause > 0) {
      this.#retryIn(pause);
      this.#tellFirst();
      return Promise.resolve();
    }
    this.#retry?.dispose();
    this.#retry = undefined;
    this.#isConnecting = true;
    this.#lastStart = this.#options.clock.monotonic();
    this.#connecting = this.#open(++this.#number);
    return this.#connecting;
  }

  async #open(number: number): Promise<void> {
    const { log, openLink, version } = this.#options;
    let link: McpLink | undefined;
    try {
      link = await openLink(this.server, this.#eventsOf(number));
      if (number !== this.#number) return await link.close();
      // Seen while it starts; a start that hangs is looked into by what it says.
      this.#link = link;
      const timeout = DEADLINES.upstreamConnect;
      const session = await McpSession.open(link, { version, timeout });
      const tools = session.hasTools ? await session.listTools({ timeout }) : [];
      if (number !== this.#number) return await link.close();
      if (tools === undefined) log.warn({ upstream: this.server.name }, 'its answer to tools/list holds no tools');
      this.#session = session;
      this.#capabilities = session.capabilities;
      this.#breaker.succeed();
      this.#lastError = null;
      this.#tools = toTools(tools ?? []);
      this.#setStatus('ready');
    } catch (error) {
      if (number === this.#number) {
        this.#diagnostics = link?.diagnostics ?? '';
        this.#link = undefined;
        this.#fail(error);
      }
      await link?.close();
    } finally {
      if (number === this.#number) this.#isConnecting = false;
      this.#tellFirst();
    }
  }

  #eventsOf(number: number): LinkEvents {
    const { log } = this.#options;
    return {
      onNotification: (method) => {
        if (number !== this.#number) return;
        if (method === 'notifications/tools/list_changed') this.#refreshSoon(number);
        else if (method === 'notifications/resources/list_changed') this.#options.onContent('resources');
        else if (method === 'notifications/prompts/list_changed') this.#options.onContent('prompts');
      },
      onEnd: (failure) => this.#take(failure, number),
      onOddity: (what) => log.warn({ upstream: this.server.name }, what),
    };
  }

  /** What a failure of a call, a look or the link itself means for the connection of this number. */
  #take(failure: LinkFailure, number: number): void {
    if (number !== this.#number || this.#session === undefined) return;
    const { kind } = failure;
    if (kind === 'cancelled' || kind === 'too_large') return;
    if (kind === 'timeout' || kind === 'refused' || kind === 'broken') {
      const circuit = this.#breaker.fail();
      this.#lastError = failure.message;
      if (circuit === 'closed') return;
      void this.#drop();
      this.#openCircuit(circuit);
      return;
    }
    this.#diagnostics = this.#link?.diagnostics ?? '';
    void this.#drop();
    if (kind === 'needs_oauth' || kind === 'auth_failed') {
      this.#fail(failure);
      return;
    }
    // A session that the server forgot, or a connection that broke, is made again at once.
    this.#lastError = failure.message;
    this.#setStatus('connecting');
    void this.#connect();
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#lastError = message;
    // HTP-5: it waits for a person; no circuit counts it.
    if (error instanceof LinkFailure && error.kind === 'needs_oauth') {
      this.#setStatus('needs_auth');
      return;
    }
    if (!(error instanceof LinkFailure || error instanceof RemoteError || error instanceof AppError)) {
      this.#options.log.warn({ upstream: this.server.name, err: error }, 'connecting failed in an unexpected way');
    }
    const circuit = this.#breaker.fail();
    if (circuit === 'closed') this.#retryIn(DEADLINES.upstreamBackoffFirst);
    else this.#openCircuit(circuit);
  }

  #openCircuit(circuit: 'open' | 'failed'): void {
    this.#setStatus(circuit === 'failed' ? 'failed' : 'circuit_open');
    if (circuit === 'open') this.#retryIn(this.#breaker.pause);
  }

  #retryIn(pause: number): void {
    if (this.#isStopped) return;
    this.#retry?.dispose();
    this.#retry = this.#options.clock.after(pause, () => {
      this.#retry = undefined;
      void this.#connect();
    });
  }

  /** Lets go of the connection, whatever it does now; what it still says is not heard. */
  async #drop(): Promise<void> {
    this.#number++;
    this.#isConnecting = false;
    this.#retry?.dispose();
    this.#retry = undefined;
    this.#refresh?.dispose();
    this.#refresh = undefined;
    const link = this.#link;
    this.#link = undefined;
    this.#session = undefined;
    try {
      await link?.close();
    } catch (error) {
      this.#options.log.warn({ upstream: this.server.name, err: error }, 'the connection did not end in order');
    }
  }

  /** A storm of notices is one look. */
  #refreshSoon(number: number): void {
    this.#refresh ??= this.#options.clock.after(DEADLINES.upstreamSettle, () => {
      this.#refresh = undefined;
      void this.#readTools(number);
    });
  }

  async #readTools(number: number): Promise<void> {
    const session = this.#session;
    if (session === undefined || number !== this.#number) return;
    try {
      const tools = session.hasTools ? await session.listTools({ timeout: this.timeout }) : [];
      if (number !== this.#number) return;
      this.#breaker.succeed();
      if (tools === undefined) {
        this.#options.log.warn({ upstream: this.server.name }, 'its answer to tools/list holds no tools');
      }
      const next = toTools(tools ?? []);
      if (isSame(next, this.#tools)) return;
      this.#tools = next;
      this.#options.onTools();
    } catch (error) {
      if (error instanceof LinkFailure) this.#take(error, number);
      else this.#lastError = error instanceof Error ? error.message : String(error);
    }
  }

  #setStatus(status: UpstreamState): void {
    const isOther = status !== this.#status;
    this.#status = status;
    if (!SETTLING.includes(status)) this.#tellWaiting();
    if (!isOther || this.#isStopped) return;
    const { log, onStatus } = this.#options;
    log.info({ upstream: this.server.name, status, error: this.#lastError }, 'an upstream MCP server changed');
    onStatus(status);
  }

  #tellWaiting(): void {
    for (const tell of [...this.#waiting]) tell();
  }
}

/** Answered as the text that mcp.md 1.7 asks for. */
export class UpstreamNeedsLogin extends Error {
  override readonly name = 'UpstreamNeedsLogin';
}

function toTools(tools: readonly JsonObject[]): UpstreamTool[] {
  return tools.filter((tool): tool is UpstreamTool => typeof tool.name === 'string');
}

function isRepeatable({ annotations }: UpstreamTool): boolean {
  return isJsonObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true);
}
