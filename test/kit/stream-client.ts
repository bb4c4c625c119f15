/** A viewer of one session (WebSocket, every format) that can misbehave: stall, read slowly, be cut. */
import { WebSocket } from 'ws';
import {
  BYTES_HEADER,
  LIMITS,
  type StreamControl,
  type StreamFormat,
  type StreamFrame,
} from '../../src/contract/index.ts';
import { ByteRecorder } from './byte-recorder.ts';
import { Signal } from './eventually.ts';
import type { Target } from './http.ts';

export interface StreamOptions {
  format?: StreamFormat;
  offset?: number;
  events?: boolean;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** format=bytes: acknowledge as our own viewers do (default true). */
  acknowledge?: boolean;
  recorder?: ByteRecorder;
  /** Keep the bytes of the default recorder. */
  keep?: boolean;
  /** Told of the data of each `output` frame (format=raw) when it comes. */
  onOutput?(data: string): void;
  /** Starts paused: nothing is read after the handshake. */
  stalled?: boolean;
}

export interface StreamClose {
  code: number;
  reason: string;
}

export class StreamClient {
  readonly #socket: WebSocket;
  readonly #signal = new Signal();
  readonly recorder: ByteRecorder;
  /** Text frames in order of arrival. */
  readonly frames: StreamFrame[] = [];
  /** "bytes", or the type of the text frame, in order of arrival. */
  readonly order: string[] = [];
  readonly closed: Promise<StreamClose>;
  close: StreamClose | undefined;
  #acknowledged = 0;
  #rawText = '';
  #limit: number | undefined;
  #allowance = 0;
  #lastRefill = 0;

  constructor(socket: WebSocket, options: StreamOptions) {
    this.#socket = socket;
    this.recorder = options.recorder ?? new ByteRecorder({ keep: options.keep ?? false });
    const acknowledge = options.acknowledge ?? true;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        const offset = Number(data.readBigUInt64LE(0));
        const bytes = data.subarray(BYTES_HEADER);
        this.recorder.bytes(offset, bytes);
        this.order.push('bytes');
        const end = offset + bytes.length;
        if (acknowledge && end - this.#acknowledged >= LIMITS.viewerAckEvery) this.acknowledge(end);
      } else {
        const frame = JSON.parse(data.toString('utf8')) as StreamFrame;
        this.frames.push(frame);
        this.order.push(frame.type);
        // In the other formats a gap counts lines or characters, which the recorder does not see.
        if (frame.type === 'gap' && options.format === 'bytes') this.recorder.gap(frame);
        if (frame.type === 'snapshot') {
          this.recorder.snapshot(frame.offset);
          this.#acknowledged = Math.max(this.#acknowledged, frame.offset);
        }
        if (frame.type === 'output') {
          this.#rawText += frame.data;
          options.onOutput?.(frame.data);
        }
      }
      this.#throttle(data.length);
      this.#signal.notify();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.close = { code, reason: reason.toString('utf8') };
        this.#signal.notify();
        resolve(this.close);
      });
    });
    // A cut is told by `close`; the error itself says no more.
    socket.on('error', () => {});
  }

  /** Everything that `output` frames carried (format=raw). */
  get text(): string {
    return this.#rawText;
  }

  /** Bytes that arrived, as text; only with `keep`. */
  get content(): string {
    return this.recorder.content.toString('latin1');
  }

  until<T>(what: string, check: () => T | undefined | false, patience?: number): Promise<T> {
    return this.#signal.until(
      what,
      check,
      () =>
        `Got ${this.order.slice(-12).join(' ')}; ${this.recorder.received} bytes; closed: ${JSON.stringify(this.close)}`,
      patience,
    );
  }

  /** The first text frame of this type, now or later. */
  frame<T extends StreamFrame['type']>(type: T, patience?: number): Promise<Extract<StreamFrame, { type: T }>> {
    return this.until(
      `a ${type} frame`,
      () => this.frames.find((frame): frame is Extract<StreamFrame, { type: T }> => frame.type === type),
      patience,
    );
  }

  untilOffset(offset: number, patience?: number): Promise<true> {
    return this.until(`offset ${offset}`, () => (this.recorder.next ?? 0) >= offset, patience);
  }

  send(input: string | Uint8Array): void {
    this.#socket.send(typeof input === 'string' ? Buffer.from(input) : input, { binary: true });
  }

  sendText(text: string): void {
    this.#socket.send(text, { binary: false });
  }

  control(control: StreamControl): void {
    this.sendText(JSON.stringify(control));
  }

  acknowledge(offset: number): void {
    this.#acknowledged = offset;
    if (this.#socket.readyState === WebSocket.OPEN) this.control({ type: 'ack', offset });
  }

  /** Stops reading: the kernel's buffers fill up. */
  stall(): void {
    this.#socket.pause();
  }

  thaw(): void {
    this.#limit = undefined;
    this.#socket.resume();
  }

  /** Reads at most this many bytes a second from now on. */
  slow(bytesPerSecond: number): void {
    this.#limit = bytesPerSecond;
    this.#lastRefill = performance.now();
    this.#allowance = 0;
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Closes in an orderly way. */
  async leave(): Promise<StreamClose> {
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(1000);
    return await this.closed;
  }

  #throttle(length: number): void {
    const limit = this.#limit;
    if (limit === undefined) return;
    const now = performance.now();
    this.#allowance += ((now - this.#lastRefill) / 1000) * limit - length;
    this.#lastRefill = now;
    if (this.#allowance >= 0) return;
    this.#socket.pause();
    setTimeout(
      () => {
        if (this.#limit !== undefined) this.#socket.resume();
      },
      (-this.#allowance / limit) * 1000,
    );
  }
}

function addressOf(target: Target, path: string): string {
  return 'socketPath' in target
    ? `ws+unix://${target.socketPath}:${path}`
    : `ws://${target.host ?? '127.0.0.1'}:${target.port}${path}`;
}

/** An upgrade that was answered by an ordinary HTTP answer. */
export class UpgradeRefused extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`upgrade refused: ${status} ${body}`);
    this.status = status;
    this.body = body;
  }
}

export function openStream(target: Target, id: string, options: StreamOptions = {}): Promise<StreamClient> {
  const query = new URLSearchParams(options.query);
  if (options.format !== undefined) query.set('format', options.format);
  if (options.offset !== undefined) query.set('offset', String(options.offset));
  if (options.events) query.set('events', '1');
  const search = query.size > 0 ? `?${query}` : '';
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(addressOf(target, `/sessions/${id}/stream${search}`), {
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      perMessageDeflate: false,
    });
    const client = new StreamClient(socket, options);
    socket.once('open', () => {
      if (options.stalled) client.stall();
      resolve(client);
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += part.toString('utf8');
      });
      response.on('end', () => {
        request.destroy();
        reject(new UpgradeRefused(response.statusCode ?? 0, body));
      });
    });
  });
}
