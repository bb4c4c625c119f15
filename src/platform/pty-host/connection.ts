/**
 * The pty host over its socket, with the same interface as in process (contract: PtyHost).
 *
 * Owns the slots of this connection and the sinks behind them. Ordering rules: a session's slot is bound before its first
 * frame; a sink hears nothing before the turn in which its attach resolved has ended, then everything in order.
 */
import { type Clock, type Disposable, Emitter, systemClock } from '../../base/index.ts';
import {
  AppError,
  type Attached,
  type ExitStatus,
  FRAME,
  type Frame,
  type Hello,
  type HostFailure,
  type HostSession,
  LIMITS,
  type PtyHost,
  type PtySink,
  WRITE_IS_ANSWER,
  writeOffset,
} from '../../contract/index.ts';
import { type CloseCause, connectionLost, decodeJson, HostChannel, toError } from './channel.ts';

export interface ConnectOptions {
  /** Configuration directory of the host. */
  directory: string;
  /** Told to the host, for its log. */
  build: string;
  clock?: Clock;
}

export interface HostConnection extends PtyHost {
  /** Why the connection ended; undefined while it stands. */
  readonly closeCause: CloseCause | undefined;
  /** Ends the connection; the host and its sessions live on. */
  close(): void;
}

interface Stream {
  readonly sink: PtySink;
  /** Frames that came before the sink may hear them; undefined once it may. */
  held: Frame[] | undefined;
  acknowledged: number;
}

/** Smaller steps are not told: the host needs to know in time, not at once. */
const ACKNOWLEDGE_STEP = 65_536;
const MAX_SLOT = 0xffff;
const ANSWER_OFFSET = 8;
const encoder = new TextEncoder();

export async function connectPtyHost(options: ConnectOptions): Promise<HostConnection> {
  const slots = new Map<string, number>();
  const streams = new Map<number, Stream>();
  const freeSlots: number[] = [];
  const writes = new Map<number, { resolve: () => void; reject: (error: unknown) => void }>();
  const disconnected = new Emitter<void>();
  let nextSlot = 0;
  let nextWrite = 1;
  let closeCause: CloseCause | undefined;

  function deliver(slot: number, { sink }: Stream, frame: Frame): void {
    switch (frame.type) {
      case FRAME.output:
        sink.output(frame.offset, frame.payload);
        return;
      case FRAME.resized: {
        const { cols, rows } = decodeJson<{ cols: number; rows: number }>(frame.payload);
        sink.resized(frame.offset, cols, rows);
        return;
      }
      case FRAME.gap:
        sink.gap(frame.offset, decodeJson<{ to: number }>(frame.payload).to);
        return;
      case FRAME.exit:
        sink.exit(frame.offset, decodeJson<ExitStatus>(frame.payload));
        return;
      case FRAME.end:
        sink.end(frame.offset);
        streams.delete(slot);
        return;
      default:
    }
  }

  function onFrame(frame: Frame): void {
    if (frame.type === FRAME.written) {
      const write = writes.get(frame.offset);
      writes.delete(frame.offset);
      if (frame.payload.length === 0) write?.resolve();
      else write?.reject(toError(decodeJson<HostFailure>(frame.payload)));
      return;
    }
    const stream = streams.get(frame.slot);
    if (stream === undefined) return;
    if (stream.held === undefined) deliver(frame.slot, stream, frame);
    else stream.held.push(frame);
  }

  const channel = await HostChannel.open({
    directory: options.directory,
    build: options.build,
    clock: options.clock ?? systemClock,
    onFrame,
    onClose: (cause) => {
      closeCause = cause;
      for (const write of writes.values()) write.reject(connectionLost());
      writes.clear();
      streams.clear();
      disconnected.emit();
    },
  });

  /** The session's number on this connection; given and told to the host at first use. */
  function slotOf(id: string): number {
    const known = slots.get(id);
    if (known !== undefined) return known;
    const slot = freeSlots.pop() ?? nextSlot++;
    if (slot > MAX_SLOT) throw new AppError('internal');
    slots.set(id, slot);
    channel.send(FRAME.request, encoder.encode(JSON.stringify({ op: 'bind', slot, session: id })));
    return slot;
  }

  async function ask<T>(operation: Parameters<HostChannel['request']>[0]): Promise<T> {
    return (await channel.request(operation)).result as T;
  }

  async function attach(id: string, since: number, sink: PtySink): Promise<Attached> {
    const slot = slotOf(id);
    const stream: Stream = { sink, held: [], acknowledged: since };
    const { result, body } = await channel.request({ op: 'attach', session: id, slot, since }, () =>
      // In the turn of the response: what comes behind it in the same chunk is this stream's, what came before is not.
      streams.set(slot, stream),
    );
    const attached = result as Attached;
    stream.acknowledged = attached.start;
    setImmediate(() => {
      const held = stream.held ?? [];
      stream.held = undefined;
      for (const frame of held) if (streams.get(slot) === stream) deliver(slot, stream, frame);
    });
    return body === undefined ? attached : { ...attached, checkpoint: { offset: body.offset, blob: body.bytes } };
  }

  const hello: Hello = channel.hello;
  return {
    hello,
    get closeCause() {
      return closeCause;
    },
    close: () => channel.close(),
    list: () => ask<HostSession[]>({ op: 'list' }),
    spawn: (request) => ask<HostSession>({ op: 'spawn', request }),
    async checkpoint(id) {
      const { body } = await channel.request({ op: 'checkpoint', session: id });
      return body === undefined ? undefined : { offset: body.offset, blob: body.bytes };
    },
    attach,
    async detach(id) {
      const slot = slots.get(id);
      if (slot !== undefined) streams.delete(slot);
      await ask({ op: 'detach', session: id });
    },
    acknowledge(id, offset) {
      const slot = slots.get(id);
      const stream = slot === undefined ? undefined : streams.get(slot);
      if (slot === undefined || stream === undefined || offset - stream.acknowledged < ACKNOWLEDGE_STEP) return;
      stream.acknowledged = offset;
      channel.send(FRAME.ack, undefined, { slot, offset });
    },
    storeCheckpoint(id, offset, blob) {
      if (blob.length > LIMITS.hostFrame)
        throw new AppError('invalid_input', { detail: 'the checkpoint is too large' });
      channel.send(FRAME.checkpoint, blob, { slot: slotOf(id), offset });
    },
    async read(id, from, to) {
      const { body } = await channel.request({ op: 'read', session: id, from, to });
      return body ?? { offset: from, bytes: new Uint8Array(0) };
    },
    write(id, bytes) {
      if (channel.isClosed) return Promise.reject(connectionLost());
      if (bytes.length > LIMITS.writeQueue) return Promise.reject(new AppError('write_queue_full'));
      const number = nextWrite++;
      return new Promise((resolve, reject) => {
        writes.set(number, { resolve, reject });
        channel.send(FRAME.write, bytes, { slot: slotOf(id), offset: number });
      });
    },
    answer(id, queryOffset, bytes) {
      const payload = new Uint8Array(ANSWER_OFFSET + bytes.length);
      writeOffset(new DataView(payload.buffer), 0, queryOffset);
      payload.set(bytes, ANSWER_OFFSET);
      channel.send(FRAME.write, payload, { slot: slotOf(id), flags: WRITE_IS_ANSWER });
    },
    resize: (id, cols, rows) => ask({ op: 'resize', session: id, cols, rows }),
    pause: (id) => ask({ op: 'pause', session: id }),
    resume: (id) => ask({ op: 'resume', session: id }),
    kill: (id, mode) => ask({ op: 'kill', session: id, mode }),
    async forget(id) {
      await ask({ op: 'forget', session: id });
      const slot = slots.get(id);
      if (slot === undefined) return;
      slots.delete(id);
      streams.delete(slot);
      freeSlots.push(slot);
    },
    shutdown: () => ask({ op: 'shutdown' }),
    onDisconnect: (listener): Disposable => disconnected.on(listener),
  };
}
