/**
 * One connection to the host. Nothing is done for it before its hello has shown the token. A frame of unknown type is
 * skipped; a malformed one ends the connection, never the host.
 *
 * Ordering rules: frames are answered in the order in which their work ends; the response to an attach is sent before the
 * first frame of its stream (the stream opens a turn later). Bytes waiting in the socket are bounded: above
 * LIMITS.hostBacklog sessions keep theirs in their rings and no further request is read.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.ts';
import {
  AppError,
  type BindMessage,
  encodeFrame,
  encodeHeader,
  FRAME,
  type Frame,
  FrameParser,
  type HelloMessage,
  type HostFailure,
  type HostStatus,
  LIMITS,
  type NoticeMessage,
  OversizedFrameError,
  type RequestMessage,
  type ResponseMessage,
  readOffset,
  WRITE_IS_ANSWER,
} from '../../contract/index.ts';
import type { LocalHost } from '../host.ts';
import type { HostSink } from '../output-stream.ts';
import { MessageError, parseHello, parseRequest } from './parse-message.ts';

export interface ConnectionOwner {
  readonly host: LocalHost;
  readonly clock: Clock;
  /** Checks the token, answers with a welcome; undefined ends the connection. */
  welcome(hello: HelloMessage, connection: Connection): { protocol: number } | undefined;
  status(): Promise<HostStatus>;
  log(message: string): void;
}

const encoder = new TextEncoder();
/** Smaller frames are copied into one buffer; larger ones are sent as header and payload. */
const COPIED = 4_096;
const END_PATIENCE = 1_000;

export class Connection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #parser: FrameParser;
  readonly #sessions = new Map<number, string>();
  readonly #sinks = new Map<string, HostSink>();
  #hello: HelloMessage | undefined;
  #isClosed = false;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parser = new FrameParser(LIMITS.hostHello, (frame) => this.#receive(frame));
    socket.on('data', (chunk: Uint8Array) => this.#push(chunk));
    socket.on('drain', () => this.#onDrain());
    // 'close' follows; a peer that vanishes (EPIPE, ECONNRESET) is no fault of ours.
    socket.on('error', () => {});
    socket.on('close', () => this.#release());
  }

  get isServer(): boolean {
    return this.#hello?.role === 'server';
  }

  get isAuthenticated(): boolean {
    return this.#hello !== undefined;
  }

  sendJson(type: number, message: object): void {
    this.#send(encodeFrame(type, encoder.encode(JSON.stringify(message))));
  }

  /** Ends the connection by the host's will; what was sent before still arrives. */
  end(notice?: NoticeMessage): void {
    if (this.#isClosed) return;
    if (notice !== undefined) this.sendJson(FRAME.notice, notice);
    this.#release();
    this.#socket.end();
    // A peer that does not read would keep the socket for ever.
    const timer = this.#owner.clock.after(END_PATIENCE, () => this.#socket.destroy());
    this.#socket.once('close', () => timer.dispose());
  }

  destroy(): void {
    this.#release();
    this.#socket.destroy();
  }

  #push(chunk: Uint8Array): void {
    try {
      this.#parser.push(chunk);
    } catch (error) {
      if (!(error instanceof MessageError || error instanceof OversizedFrameError)) throw error;
      this.#owner.log(`connection closed: ${error.message}`);
      this.destroy();
    }
  }

  #receive(frame: Frame): void {
    if (this.#hello === undefined) {
      if (frame.type !== FRAME.hello) throw new MessageError('the first frame is no hello');
      const hello = parseHello(frame.payload);
      const accepted = this.#owner.welcome(hello, this);
      if (accepted === undefined) {
        this.end();
        return;
      }
      this.#hello = hello;
      this.#parser.limit = LIMITS.hostFrame;
      return;
    }
    switch (frame.type) {
      case FRAME.request:
        this.#request(frame);
        return;
      case FRAME.write:
        this.#write(frame);
        return;
      case FRAME.ack:
        this.#withSession(frame, (id) => this.#owner.host.acknowledge(id, frame.offset));
        return;
      case FRAME.checkpoint:
        // The payload may be a view of a larger chunk, and is kept.
        this.#withSession(frame, (id) => this.#owner.host.storeCheckpoint(id, frame.offset, frame.payload.slice()));
        return;
      default:
    }
  }

  #withSession(frame: Frame, act: (id: string) => void): void {
    if (!this.isServer) throw new MessageError('an observer sent a frame of a server');
    const id = this.#sessions.get(frame.slot);
    if (id === undefined) throw new MessageError(`slot ${frame.slot} is not bound`);
    act(id);
  }

  #write(frame: Frame): void {
    this.#withSession(frame, (id) => {
      const { host } = this.#owner;
      if ((frame.flags & WRITE_IS_ANSWER) !== 0) {
        if (frame.payload.length < 8) throw new MessageError('an answer without its offset');
        const view = new DataView(frame.payload.buffer, frame.payload.byteOffset, 8);
        host.answer(id, readOffset(view, 0), frame.payload.slice(8));
        return;
      }
      const reply = (failure?: HostFailure) =>
        this.#send(
          encodeFrame(FRAME.written, failure === undefined ? undefined : encoder.encode(JSON.stringify(failure)), {
            slot: frame.slot,
            offset: frame.offset,
          }),
        );
      host.write(id, frame.payload.slice()).then(
        () => reply(),
        (error: unknown) => reply(this.#describeFailure(error)),
      );
    });
  }

  #request(frame: Frame): void {
    const message = parseRequest(frame.payload);
    if ('refused' in message) {
      this.#respond({ id: message.id, error: { code: 'invalid_input', data: { detail: message.refused } } });
      return;
    }
    if (message.op === 'bind') {
      this.#bind(message);
      return;
    }
    if (!this.isServer && message.op !== 'list' && message.op !== 'status' && message.op !== 'shutdown') {
      throw new MessageError(`an observer asked for ${message.op}`);
    }
    const { id } = message;
    this.#perform(message).then(
      ({ result, body }) => this.#respond({ id, result, ...(body === undefined ? {} : { body: true }) }, body),
      (error: unknown) => this.#respond({ id, error: this.#describeFailure(error) }),
    );
  }

  #bind({ slot, session }: BindMessage): void {
    if (slot > 0xffff) throw new MessageError(`slot ${slot} is out of range`);
    this.#sessions.set(slot, session);
  }

  async #perform(message: RequestMessage): Promise<{ result?: unknown; body?: { offset: number; bytes: Uint8Array } }> {
    const { host } = this.#owner;
    switch (message.op) {
      case 'list':
        return { result: await host.list() };
      case 'status':
        return { result: await this.#owner.status() };
      case 'spawn':
        return { result: await host.spawn(message.request, () => !this.#isClosed) };
      case 'checkpoint': {
        const checkpoint = await host.checkpoint(message.session);
        if (checkpoint === undefined) return {};
        return { body: { offset: checkpoint.offset, bytes: checkpoint.blob } };
      }
      case 'attach': {
        this.#bind({ op: 'bind', slot: message.slot, session: message.session });
        const sink = this.#createSink(message.slot);
        const { checkpoint, ...result } = await host.attach(message.session, message.since, sink);
        // The connection may have ended meanwhile: nobody would take the sink away any more.
        if (this.#isClosed) host.detachSink(message.session, sink);
        else this.#sinks.set(message.session, sink);
        if (checkpoint === undefined) return { result };
        return { result, body: { offset: checkpoint.offset, bytes: checkpoint.blob } };
      }
      case 'detach': {
        const sink = this.#sinks.get(message.session);
        this.#sinks.delete(message.session);
        if (sink !== undefined) host.detachSink(message.session, sink);
        return {};
      }
      case 'read':
        return { body: await host.read(message.session, message.from, message.to) };
      case 'resize':
        await host.resize(message.session, message.cols, message.rows);
        return {};
      case 'pause':
        await host.pause(message.session);
        return {};
      case 'resume':
        await host.resume(message.session);
        return {};
      case 'kill':
        await host.kill(message.session, message.mode);
        return {};
      case 'forget':
        await host.forget(message.session);
        this.#sinks.delete(message.session);
        return {};
      case 'shutdown':
        await host.shutdown();
        return {};
    }
  }

  #createSink(slot: number): HostSink {
    const send = (type: number, offset: number, payload?: Uint8Array) =>
      this.#send(encodeFrame(type, payload, { slot, offset }));
    const json = (value: object) => encoder.encode(JSON.stringify(value));
    return {
      output: (offset, bytes) => this.#sendLarge(FRAME.output, slot, offset, bytes),
      resized: (offset, cols, rows) => send(FRAME.resized, offset, json({ cols, rows })),
      gap: (from, to) => send(FRAME.gap, from, json({ to })),
      exit: (offset, status) => send(FRAME.exit, offset, json(status)),
      end: (offset) => send(FRAME.end, offset),
      takesViews: true,
      isCongested: () => this.#isClosed || this.#socket.writableLength >= LIMITS.hostBacklog,
    };
  }

  #respond(response: ResponseMessage, body?: { offset: number; bytes: Uint8Array }): void {
    this.sendJson(FRAME.response, response);
    if (body !== undefined) this.#sendLarge(FRAME.data, 0, body.offset, body.bytes);
    if (this.#socket.writableLength >= LIMITS.hostBacklog) this.#socket.pause();
  }

  #send(frame: Uint8Array): void {
    if (!this.#isClosed) this.#socket.write(frame);
  }

  #sendLarge(type: number, slot: number, offset: number, payload: Uint8Array): void {
    if (this.#isClosed) return;
    if (payload.length <= COPIED) {
      this.#socket.write(encodeFrame(type, payload, { slot, offset }));
      return;
    }
    this.#socket.cork();
    this.#socket.write(encodeHeader(type, 0, slot, offset, payload.length));
    this.#socket.write(payload);
    this.#socket.uncork();
  }

  #onDrain(): void {
    if (this.#isClosed) return;
    this.#socket.resume();
    for (const id of this.#sinks.keys()) this.#owner.host.pump(id);
  }

  #describeFailure(error: unknown): HostFailure {
    if (error instanceof AppError) return { code: error.code, data: { ...error.data } };
    this.#owner.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { code: 'internal', data: {} };
  }

  #release(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parser.stop();
    for (const [id, sink] of this.#sinks) this.#owner.host.detachSink(id, sink);
    this.#sinks.clear();
  }
}
