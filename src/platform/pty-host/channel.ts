/**
 * An authenticated connection to the pty host: hello and welcome, then frames.
 *
 * Promises: a request is answered once, or rejected when the connection ends; `onClose` is called once, whatever ended it.
 */
import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../../base/index.ts';
import {
  AppError,
  DEADLINES,
  ERRORS,
  type ErrorCode,
  encodeFrame,
  encodeHeader,
  FRAME,
  type Frame,
  FrameParser,
  type Hello,
  type HelloMessage,
  type HostFailure,
  type HostOperation,
  LIMITS,
  type NoticeMessage,
  OversizedFrameError,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  type ResponseMessage,
  type WelcomeMessage,
} from '../../contract/index.ts';
import { locateHost, NoHostError, systemCode } from './locate.ts';

export type CloseCause = 'broken' | NoticeMessage['reason'];

export interface ChannelOptions {
  directory: string;
  build: string;
  clock: Clock;
  /** Frames of sessions; everything else is dealt with here. */
  onFrame: (frame: Frame) => void;
  onClose: (cause: CloseCause) => void;
}

export interface Answer {
  result: unknown;
  body: { offset: number; bytes: Uint8Array } | undefined;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  onSuccess: (() => void) | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const COPIED = 4_096;

/** The host is of the same user and house; its messages are believed in form, not in size. */
export function decodeJson<T>(payload: Uint8Array): T {
  return JSON.parse(decoder.decode(payload)) as T;
}

export function toError(failure: HostFailure): AppError {
  // A host of another build may know a code that this one does not.
  const code: ErrorCode = failure.code in ERRORS ? failure.code : 'internal';
  return new AppError(code, failure.data);
}

export class HostChannel {
  readonly hello: Hello;
  readonly #socket: Socket;
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** The response whose bytes come with the next frame. */
  #bodyOf: { waiting: Waiting; result: unknown } | undefined;
  #nextId = 1;
  #cause: CloseCause = 'broken';
  #isClosed = false;

  private constructor(socket: Socket, hello: Hello, options: ChannelOptions) {
    this.#socket = socket;
    this.hello = hello;
    this.#options = options;
    socket.on('close', () => this.#close());
  }

  /** Rejects with NoHostError when nothing listens, else with AppError host_unavailable or forbidden. */
  static async open(options: ChannelOptions): Promise<HostChannel> {
    const location = await locateHost(options.directory);
    const socket = createConnection(location.socket);
    // 'close' follows each error and says all there is to say.
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    return new Promise((resolve, reject) => {
      let channel: HostChannel | undefined;
      const timer = options.clock.after(DEADLINES.hostConnect, () => {
        refuse(new AppError('host_unavailable', { detail: 'it does not answer its socket' }));
      });
      const refuse = (error: Error) => {
        timer.dispose();
        socket.destroy();
        reject(error);
      };
      const parser = new FrameParser(LIMITS.hostFrame, (frame) => {
        if (channel !== undefined) {
          channel.#receive(frame);
          return;
        }
        if (frame.type !== FRAME.welcome) return;
        const welcome = decodeJson<WelcomeMessage>(frame.payload);
        if (welcome.error !== undefined) {
          refuse(toError(welcome.error));
          return;
        }
        timer.dispose();
        const { protoMin, protoMax, build, bootId, pid } = welcome;
        channel = new HostChannel(socket, { protoMin, protoMax, build, bootId, pid }, options);
        resolve(channel);
      });
      socket.on('data', (chunk: Uint8Array) => {
        try {
          parser.push(chunk);
        } catch (error) {
          if (!(error instanceof OversizedFrameError || error instanceof SyntaxError)) throw error;
          socket.destroy();
        }
      });
      socket.once('connect', () => {
        const { build } = options;
        const hello: HelloMessage = {
          protoMin: PROTOCOL_MIN,
          protoMax: PROTOCOL_MAX,
          build,
          bootId: '',
          pid: process.pid,
          token: location.token,
          role: 'server',
        };
        socket.write(encodeFrame(FRAME.hello, encoder.encode(JSON.stringify(hello))));
      });
      socket.once('close', () => {
        if (channel !== undefined) return;
        const code = systemCode(failure);
        if (code === 'ENOENT' || code === 'ECONNREFUSED') refuse(new NoHostError({ cause: failure }));
        else refuse(new AppError('host_unavailable', { detail: failure?.message ?? 'it closed the connection' }));
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** `onSuccess` runs before any later frame is looked at; the promise resolves after that. */
  request(operation: HostOperation, onSuccess?: () => void): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(connectionLost());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onSuccess });
      this.send(FRAME.request, encoder.encode(JSON.stringify({ id, ...operation })));
    });
  }

  send(type: number, payload?: Uint8Array, more: { flags?: number; slot?: number; offset?: number } = {}): void {
    if (this.#isClosed) return;
    if (payload === undefined || payload.length <= COPIED) {
      this.#socket.write(encodeFrame(type, payload, more));
      return;
    }
    this.#socket.cork();
    this.#socket.write(encodeHeader(type, more.flags ?? 0, more.slot ?? 0, more.offset ?? 0, payload.length));
    this.#socket.write(payload);
    this.#socket.uncork();
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(frame: Frame): void {
    switch (frame.type) {
      case FRAME.response: {
        const response = decodeJson<ResponseMessage>(frame.payload);
        const waiting = this.#waiting.get(response.id);
        if (waiting === undefined) return;
        this.#waiting.delete(response.id);
        if (response.error !== undefined) {
          waiting.reject(toError(response.error));
          return;
        }
        waiting.onSuccess?.();
        if (response.body === true) this.#bodyOf = { waiting, result: response.result };
        else waiting.resolve({ result: response.result, body: undefined });
        return;
      }
      case FRAME.data: {
        const owner = this.#bodyOf;
        this.#bodyOf = undefined;
        owner?.waiting.resolve({ result: owner.result, body: { offset: frame.offset, bytes: frame.payload } });
        return;
      }
      case FRAME.notice:
        this.#cause = decodeJson<NoticeMessage>(frame.payload).reason;
        return;
      default:
        this.#options.onFrame(frame);
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const lost = connectionLost();
    this.#bodyOf?.waiting.reject(lost);
    for (const waiting of this.#waiting.values()) waiting.reject(lost);
    this.#waiting.clear();
    this.#options.onClose(this.#cause);
  }
}

export function connectionLost(): AppError {
  return new AppError('host_unavailable', { detail: 'the connection broke; whether it was done is not known' });
}
