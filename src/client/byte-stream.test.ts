import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeSocket } from '../../test/kit/fake-socket.ts';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import type { GapReason, SessionInfo } from '../contract/index.ts';
import { type ByteStreamListener, openByteStream } from './byte-stream.ts';
import { ServerUnreachable } from './errors.ts';
import type { StreamEnd } from './resuming-socket.ts';

const SESSION = 's1';

class ByteSocket extends FakeSocket {
  get offset(): number | undefined {
    const text = this.url.searchParams.get('offset');
    return text === null ? undefined : Number(text);
  }

  get controls(): unknown[] {
    return this.sent.flatMap((one) => (typeof one === 'string' ? [JSON.parse(one)] : []));
  }

  bytes(offset: number, bytes: Uint8Array): void {
    const data = new ArrayBuffer(8 + bytes.length);
    new DataView(data).setBigUint64(0, BigInt(offset), true);
    new Uint8Array(data, 8).set(bytes);
    this.raw(data);
  }
}

type Told =
  | { bytes: number[]; offset: number }
  | { snapshot: number }
  | { gap: [number, number, GapReason] }
  | { size: [number, number] }
  | { exit: number | undefined };

function sessionInfo(lifecycle: SessionInfo['lifecycle']): SessionInfo {
  return {
    session_id: SESSION,
    cwd: '/',
    worktree_path: null,
    worktree_branch: null,
    is_remote: false,
    lifecycle,
    created_at: 0,
    rows: 24,
    cols: 80,
  };
}

function open(options: { offset?: number; retries?: number } = {}) {
  const clock = new ManualClock();
  const sockets: ByteSocket[] = [];
  const told: Told[] = [];
  const ends: StreamEnd[] = [];
  const states: string[] = [];
  let answer: () => Promise<SessionInfo | undefined> = async () => sessionInfo('live');
  const listener: ByteStreamListener = {
    bytes: (offset, bytes) => told.push({ bytes: [...bytes], offset }),
    snapshot: (snapshot) => told.push({ snapshot: snapshot.offset }),
    gap: (gap) => told.push({ gap: [gap.from, gap.to, gap.reason] }),
    size: (size) => told.push({ size: [size.rows, size.cols] }),
    exit: (code) => told.push({ exit: code }),
    state: (state) => states.push(state.kind),
    ended: (end) => ends.push(end),
  };
  const stream = openByteStream(
    {
      openSocket: (path) => {
        const socket = new ByteSocket(path);
        sockets.push(socket);
        return socket;
      },
      lookUp: () => answer(),
      clock,
      random: () => 0.5,
    },
    SESSION,
    listener,
    options,
  );
  const current = (): ByteSocket => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  };
  return {
    clock,
    sockets,
    told,
    ends,
    states,
    stream,
    current,
    setAnswer: (next: typeof answer) => {
      answer = next;
    },
  };
}

const bytesOf = (...values: number[]) => Uint8Array.from(values);

describe('byte stream', () => {
  it('asks for a snapshot first and resumes behind the last byte after a break (W01, W02)', () => {
    const { clock, current, told, sockets, stream } = open();
    expect(current().url.pathname).toBe('/sessions/s1/stream');
    expect(current().url.searchParams.get('format')).toBe('bytes');
    expect(current().offset).toBeUndefined();
    current().open();
    current().frame({ type: 'snapshot', data: 'x', offset: 100, rows: 24, cols: 80 });
    current().bytes(100, bytesOf(1, 2, 3));
    current().break();
    expect(stream.state).toMatchObject({ kind: 'reconnecting', retryInMilliseconds: 100 });
    clock.advance(100);
    expect(sockets).toHaveLength(2);
    expect(current().offset).toBe(103);
    current().open();
    current().bytes(103, bytesOf(4));
    expect(stream.state.kind).toBe('live');
    expect(told).toEqual([{ snapshot: 100 }, { bytes: [1, 2, 3], offset: 100 }, { bytes: [4], offset: 103 }]);
  });

  it('cuts off what was there before, byte exact (W02)', () => {
    const { current, told } = open({ offset: 10 });
    current().open();
    current().bytes(10, bytesOf(1, 2, 3));
    current().bytes(10, bytesOf(1, 2));
    current().bytes(11, bytesOf(2, 3, 4));
    expect(told).toEqual([
      { bytes: [1, 2, 3], offset: 10 },
      { bytes: [4], offset: 13 },
    ]);
  });

  it('does not skip a hole that no gap named: asks again, then takes a snapshot and names the gap (P1)', () => {
    const { clock, current, told, sockets } = open({ offset: 10 });
    current().open();
    current().bytes(20, bytesOf(9));
    expect(told).toEqual([]);
    clock.advance(100);
    expect(current().offset).toBe(10);
    current().open();
    current().bytes(20, bytesOf(9));
    clock.advance(1_000);
    expect(sockets).toHaveLength(3);
    expect(current().offset).toBeUndefined();
    current().open();
    current().frame({ type: 'snapshot', data: '', offset: 25, rows: 1, cols: 1 });
    expect(told).toEqual([{ gap: [10, 25, 'evicted'] }, { snapshot: 25 }]);
  });

  it('asks for a snapshot when the connection broke between gap and snapshot (W02)', () => {
    const { clock, current, told } = open({ offset: 10 });
    current().open();
    current().frame({ type: 'gap', from: 10, to: 50, reason: 'slow viewer' });
    current().break();
    clock.advance(100);
    expect(current().offset).toBeUndefined();
    current().open();
    current().frame({ type: 'snapshot', data: '', offset: 48, rows: 1, cols: 1 });
    current().bytes(48, bytesOf(1));
    expect(told).toEqual([{ gap: [10, 50, 'slow viewer'] }, { snapshot: 48 }, { bytes: [1], offset: 48 }]);
  });

  it('acknowledges each 16 KiB once they are consumed, never beyond what arrived (T06)', () => {
    const { current, stream } = open({ offset: 0 });
    current().open();
    current().bytes(0, new Uint8Array(24_000));
    stream.consume(16_383);
    expect(current().controls).toEqual([]);
    stream.consume(16_384);
    stream.consume(20_000);
    stream.consume(10 ** 9);
    expect(current().controls).toEqual([{ type: 'ack', offset: 16_384 }]);
    current().bytes(24_000, new Uint8Array(40_000));
    stream.consume(64_000);
    expect(current().controls).toEqual([
      { type: 'ack', offset: 16_384 },
      { type: 'ack', offset: 64_000 },
    ]);
  });

  it('tells size and visibility again on each connection, before input (T13)', () => {
    const { clock, current, stream } = open({ offset: 0 });
    stream.setVisible(true);
    stream.resize(30, 100);
    expect(stream.send(bytesOf(65))).toBe(false);
    current().open();
    const wanted = [
      { type: 'visible', visible: true },
      { type: 'resize', rows: 30, cols: 100 },
    ];
    expect(current().controls).toEqual(wanted);
    current().break();
    expect(stream.send(bytesOf(65))).toBe(false);
    clock.advance(100);
    current().open();
    expect(current().controls).toEqual(wanted);
    expect(stream.send(bytesOf(65, 66))).toBe(true);
    expect(current().sent.at(-1)).toEqual(bytesOf(65, 66));
  });

  it('cuts long input into messages of 64 KiB in order', () => {
    const { current, stream } = open({ offset: 0 });
    current().open();
    const input = Uint8Array.from({ length: 150_000 }, (_, index) => index % 251);
    stream.send(input);
    const messages = current().sent.filter((one) => typeof one !== 'string');
    expect(messages.map((one) => one.length)).toEqual([65_536, 65_536, 18_928]);
    expect(Buffer.concat(messages).equals(input)).toBe(true);
  });

  it('a paste is announced, sent in one go and settled by the answer; a break tells what is known', async () => {
    const { stream, current } = open();
    expect(await stream.paste(new Uint8Array(3))).toEqual({ kind: 'not connected' });
    current().open();
    const written = stream.paste(new Uint8Array(100_000));
    const refused = stream.paste(new Uint8Array(1));
    expect(current().controls).toEqual([
      { type: 'paste', id: 1, bytes: 100_000 },
      { type: 'paste', id: 2, bytes: 1 },
    ]);
    expect(
      current()
        .sent.filter((one) => typeof one !== 'string')
        .map((one) => one.length),
    ).toEqual([65_536, 34_464, 1]);
    current().frame({ type: 'pasted', id: 1 });
    current().frame({ type: 'pasted', id: 2, code: 'write_queue_full', error: 'full' });
    expect(await written).toEqual({ kind: 'written' });
    expect(await refused).toEqual({ kind: 'refused', reason: 'full' });
    const unanswered = stream.paste(new Uint8Array(5));
    current().break();
    expect(await unanswered).toEqual({ kind: 'unknown' });
  });

  it('a paste of which a part never left was not written', async () => {
    const { stream, current } = open();
    current().open();
    const cut = stream.paste(new Uint8Array(5));
    current().bufferedAmount = 2;
    current().break();
    expect(await cut).toEqual({ kind: 'not connected' });
  });

  it('a fresh snapshot waits for the answer to a paste', async () => {
    const { stream, sockets, current } = open();
    current().open();
    const paste = stream.paste(new Uint8Array(5));
    stream.refresh();
    expect(sockets).toHaveLength(1);
    current().frame({ type: 'pasted', id: 1 });
    expect(await paste).toEqual({ kind: 'written' });
    expect(sockets).toHaveLength(2);
  });

  it('ends with the exit code and does not come back', () => {
    const { clock, current, ends, told, sockets, stream } = open({ offset: 0 });
    current().open();
    current().bytes(0, bytesOf(1));
    current().frame({ type: 'exit', session_id: SESSION, exit_code: 3 });
    current().frame({ type: 'closed', session_id: SESSION, reason: 'process_exit' });
    current().break(1000);
    clock.advance(60_000);
    expect(told).toEqual([{ bytes: [1], offset: 0 }, { exit: 3 }]);
    expect(ends).toEqual([{ kind: 'exit', exitCode: 3 }]);
    expect(sockets).toHaveLength(1);
    expect(stream.state.kind).toBe('ended');
  });

  it('takes an exit frame for the end also when the connection breaks behind it', () => {
    const { clock, current, ends, sockets } = open({ offset: 0 });
    current().open();
    current().frame({ type: 'exit', session_id: SESSION });
    current().break();
    clock.advance(60_000);
    expect(ends).toEqual([{ kind: 'exit', exitCode: undefined }]);
    expect(sockets).toHaveLength(1);
  });

  it('tells a lost host as such, without an exit code', () => {
    const { current, ends } = open({ offset: 0 });
    current().open();
    current().frame({ type: 'closed', session_id: SESSION, reason: 'host_lost' });
    expect(ends).toEqual([{ kind: 'closed', reason: 'host_lost' }]);
  });

  it('asks whether the session is there when the upgrade is refused', async () => {
    const { current, ends, setAnswer } = open({ offset: 5 });
    const session = { ...sessionInfo('exited'), exit_code: 7 };
    setAnswer(async () => session);
    current().break();
    await settle();
    expect(ends).toEqual([{ kind: 'missing', session }]);
  });

  it('goes on trying, ever slower up to 30 s, while the server does not answer', async () => {
    const { clock, current, setAnswer, sockets, stream } = open({ offset: 5, retries: Number.POSITIVE_INFINITY });
    setAnswer(async () => {
      throw new ServerUnreachable(undefined);
    });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      current().break();
      await settle();
      if (stream.state.kind === 'reconnecting') waits.push(stream.state.retryInMilliseconds);
      clock.advance(clock.nextTimer ?? 0);
    }
    expect(waits).toEqual([100, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(sockets).toHaveLength(10);
  });

  it('gives up after ten attempts unless it is told to go on', async () => {
    const { clock, current, ends, setAnswer } = open({ offset: 5 });
    setAnswer(async () => {
      throw new ServerUnreachable(undefined);
    });
    for (let attempt = 0; attempt < 11; attempt++) {
      current().break();
      await settle();
      clock.advance(clock.nextTimer ?? 0);
    }
    expect(ends).toEqual([{ kind: 'gave-up', attempts: 10 }]);
  });

  it('starts over with a quick attempt once a connection has held', () => {
    const { clock, current, stream } = open({ offset: 0 });
    for (let attempt = 0; attempt < 3; attempt++) {
      current().open();
      current().break();
      clock.advance(clock.nextTimer ?? 0);
    }
    current().open();
    clock.advance(5_000);
    current().break();
    expect(stream.state).toMatchObject({ kind: 'reconnecting', retryInMilliseconds: 100 });
  });

  it('gives up a connection that does not open within 10 s', async () => {
    const { clock, current, sockets } = open({ offset: 0 });
    const first = current();
    clock.advance(10_000);
    expect(first.isClosed).toBe(true);
    await settle();
    clock.advance(100);
    expect(sockets).toHaveLength(2);
    first.open();
    first.bytes(0, bytesOf(1));
  });

  it('never reads a socket it has let go of (W05)', () => {
    const { current, told, stream, sockets } = open({ offset: 0 });
    const dead = current();
    dead.open();
    dead.bytes(0, bytesOf(1));
    const late = dead.onmessage as ((event: { data: unknown }) => void) | null;
    stream.reconnect();
    expect(sockets).toHaveLength(2);
    expect(current().offset).toBe(1);
    late?.({ data: JSON.stringify({ type: 'gap', from: 1, to: 9, reason: 'evicted' }) });
    current().open();
    current().bytes(1, bytesOf(2));
    expect(told).toEqual([
      { bytes: [1], offset: 0 },
      { bytes: [2], offset: 1 },
    ]);
  });

  it('tries at once when asked while it waits', () => {
    const { clock, current, sockets, stream } = open({ offset: 0 });
    current().open();
    current().break();
    stream.retryNow();
    expect(sockets).toHaveLength(2);
    stream.retryNow();
    clock.advance(60);
    expect(sockets).toHaveLength(2);
  });

  it('takes a fresh snapshot over a second connection, and types over the first until then', () => {
    const { current, sockets, stream, told, states } = open({ offset: 0 });
    const [first] = sockets;
    stream.resize(30, 100);
    stream.refresh();
    expect(sockets).toHaveLength(1);
    current().open();
    current().bytes(0, bytesOf(1, 2));
    stream.refresh();
    stream.refresh();
    expect(sockets).toHaveLength(2);
    expect(current().offset).toBeUndefined();
    first?.bytes(2, bytesOf(3));
    expect(stream.send(bytesOf(65))).toBe(true);
    expect(first?.sent.at(-1)).toEqual(bytesOf(65));
    current().open();
    expect(first?.isClosed).toBe(true);
    expect(current().controls).toEqual([{ type: 'resize', rows: 30, cols: 100 }]);
    current().frame({ type: 'snapshot', data: '', offset: 3, rows: 30, cols: 100 });
    current().bytes(3, bytesOf(4));
    expect(told).toEqual([
      { bytes: [1, 2], offset: 0 },
      { bytes: [3], offset: 2 },
      { snapshot: 3 },
      { bytes: [4], offset: 3 },
    ]);
    expect(states).toEqual(['live']);
  });

  it('keeps the connection when a fresh snapshot cannot be had, and forgets the attempt when it breaks', () => {
    const { clock, current, sockets, stream, told } = open({ offset: 0 });
    const first = current();
    first.open();
    stream.refresh();
    current().break();
    first.bytes(0, bytesOf(1));
    expect(stream.state.kind).toBe('live');
    stream.refresh();
    const second = current();
    first.break();
    expect(second.isClosed).toBe(true);
    clock.advance(100);
    expect(sockets).toHaveLength(4);
    expect(current().offset).toBe(1);
    second.open();
    current().open();
    current().bytes(1, bytesOf(2));
    expect(told).toEqual([
      { bytes: [1], offset: 0 },
      { bytes: [2], offset: 1 },
    ]);
  });

  it('ignores frames it does not know and frames that are broken', () => {
    const { current, told, stream } = open({ offset: 0 });
    current().open();
    current().frame({ type: 'sparkle', data: 1 });
    current().frame([]);
    current().raw('no json');
    current().raw('null');
    current().raw(new ArrayBuffer(3));
    current().raw({});
    current().frame({ type: 'snapshot', data: 1, offset: 0, rows: 1, cols: 1 });
    current().frame({ type: 'size', offset: 0, rows: 0, cols: 5 });
    current().frame({ type: 'gap', from: -1, to: 4 });
    current().frame({ type: 'closed', reason: 'because' });
    expect(told).toEqual([]);
    expect(stream.state.kind).toBe('live');
  });

  it('lets go of socket and timers when disposed', () => {
    const { clock, current, ends, sockets, stream } = open({ offset: 0 });
    current().open();
    stream.dispose();
    stream.dispose();
    expect(current().closedWith).toBe(1000);
    expect(clock.pendingTimers).toBe(0);
    expect(ends).toEqual([]);
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

/** A server with a ring: byte n of the session has the value n mod 251, so that a receiver can check each one. */
class FakeServer {
  head = 0;
  tail = 0;

  attach(socket: ByteSocket): void {
    socket.open();
    const offset = socket.offset;
    if (offset === undefined) this.#snapshot(socket);
    else if (offset < this.tail) {
      socket.frame({ type: 'gap', from: offset, to: this.head, reason: 'evicted' });
      this.#snapshot(socket);
    } else this.#send(socket, offset);
  }

  #snapshot(socket: ByteSocket): void {
    const offset = Math.max(0, this.head - (this.head % 3));
    socket.frame({ type: 'snapshot', data: '', offset, rows: 1, cols: 1 });
    this.#send(socket, offset);
  }

  #send(socket: ByteSocket, from: number): void {
    if (from < this.head) socket.bytes(from, range(from, this.head));
  }

  write(socket: ByteSocket | undefined, length: number): void {
    const from = this.head;
    this.head += length;
    if (socket !== undefined && length > 0) socket.bytes(from, range(from, this.head));
  }

  skip(socket: ByteSocket | undefined, length: number): void {
    const from = this.head;
    this.head += length;
    socket?.frame({ type: 'gap', from, to: this.head, reason: 'slow viewer' });
    if (socket !== undefined) this.#snapshot(socket);
  }
}

function range(from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from }, (_, index) => (from + index) % 251);
}

const operation = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), amount: fc.nat(40) }),
  fc.record({ kind: fc.constant('skip' as const), amount: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('break' as const), amount: fc.nat(30) }),
  fc.record({ kind: fc.constant('break and evict' as const), amount: fc.nat(60) }),
  fc.record({ kind: fc.constant('repeat' as const), amount: fc.nat(30) }),
  fc.record({ kind: fc.constant('refresh' as const), amount: fc.nat(20) }),
  fc.record({ kind: fc.constant('hole' as const), amount: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('break in the gap' as const), amount: fc.integer({ min: 1, max: 9 }) }),
);

describe('byte stream, any order of writes, cuts, evictions, repeats and holes', () => {
  it('accounts for every byte once: delivered in order, or inside a told gap (P1, W02)', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), fc.boolean(), (operations, fromStart) => {
        const { clock, current, told, sockets, stream } = open({
          retries: Number.POSITIVE_INFINITY,
          ...(fromStart ? { offset: 0 } : {}),
        });
        const server = new FakeServer();
        let served: ByteSocket | undefined;
        const serve = () => {
          for (let turn = 0; turn < 4 && served !== current(); turn++) {
            served = current();
            server.attach(served);
            if (served.isClosed) clock.advance(clock.nextTimer ?? 0);
          }
        };
        serve();
        for (const { kind, amount } of operations) {
          const socket = current();
          switch (kind) {
            case 'write':
              server.write(socket, amount);
              break;
            case 'skip':
              server.skip(socket, amount);
              break;
            case 'repeat':
              socket.bytes(Math.max(0, server.head - amount), range(Math.max(0, server.head - amount), server.head));
              break;
            case 'refresh':
              stream.refresh();
              server.write(socket, amount);
              serve();
              break;
            case 'hole':
              server.head += amount;
              server.write(socket, 1);
              clock.advance(clock.nextTimer ?? 0);
              serve();
              break;
            case 'break in the gap':
              socket.frame({ type: 'gap', from: server.head, to: server.head + amount, reason: 'slow viewer' });
              server.head += amount;
              socket.break();
              clock.advance(clock.nextTimer ?? 0);
              serve();
              break;
            default:
              socket.break();
              server.write(undefined, amount);
              if (kind === 'break and evict') server.tail = server.head;
              clock.advance(clock.nextTimer ?? 0);
              serve();
          }
        }
        accountFor(told, server.head, fromStart ? 0 : undefined);
        expect(stream.position).toBe(server.head);
        expect(sockets.filter((socket) => !socket.isClosed)).toHaveLength(1);
        stream.dispose();
      }),
      { numRuns: process.env.TUIC_LONG === '1' ? 20_000 : 500 },
    );
  });
});

/** Walks what the listener was told and fails on a byte that is wrong, doubled, or missing without a gap. */
function accountFor(told: Told[], head: number, start: number | undefined): void {
  let position = start;
  let gapTo: number | undefined;
  for (const one of told) {
    if ('gap' in one) {
      expect(one.gap[0]).toBeLessThanOrEqual(position ?? one.gap[0]);
      gapTo = Math.max(one.gap[1], gapTo ?? 0);
    } else if ('snapshot' in one) {
      // A snapshot stands for everything before its offset on the screen; it may not jump past what was told.
      expect(one.snapshot).toBeLessThanOrEqual(Math.max(position ?? one.snapshot, gapTo ?? 0));
      position = one.snapshot;
      gapTo = undefined;
    } else if ('bytes' in one) {
      expect(one.offset).toBe(position);
      expect(one.bytes).toEqual([...range(one.offset, one.offset + one.bytes.length)]);
      position = one.offset + one.bytes.length;
    }
  }
  expect(position).toBe(head);
}
