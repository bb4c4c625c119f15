import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/kit/manual-clock.ts';
import { RecordingSink } from '../../test/kit/recording-sink.ts';
import { LIMITS } from '../contract/index.ts';
import { OutputStream } from './output-stream.ts';

function bytesFrom(offset: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => ((offset + at) * 31 + ((offset + at) >> 8)) & 0xff);
}

function newStream(clock = new ManualClock()) {
  const quiet: [number, number][] = [];
  const stream = new OutputStream({ clock, cols: 80, rows: 24, onQuietOutput: (from, to) => quiet.push([from, to]) });
  const append = (length: number) => stream.append(bytesFrom(stream.ring.end, length));
  return { clock, stream, append, quiet };
}

async function attached() {
  const set = newStream();
  const sink = new RecordingSink();
  set.stream.attach(0, sink);
  await settle();
  const lengths = () => sink.events.map((event) => (event.kind === 'output' ? event.bytes.length : event.kind));
  return { ...set, sink, lengths };
}

describe('coalescing', () => {
  it('sends at once while less than 32 KiB came within 5 ms', async () => {
    const { clock, append, lengths } = await attached();
    append(10);
    append(20_000);
    expect(lengths()).toEqual([10, 20_000]);
    clock.advance(10);
    append(20_000);
    expect(lengths()).toEqual([10, 20_000, 20_000]);
  });

  it('W09: looks at the terminal’s owner only for little output with an escape in it', async () => {
    const { clock, stream, append, quiet } = await attached();
    stream.append(Buffer.from('plain'));
    stream.append(Buffer.from('\x1b[c'));
    expect(quiet).toEqual([[5, 8]]);
    append(8_192);
    stream.append(Buffer.from('\x1b[c'));
    expect(quiet).toHaveLength(1);
    clock.advance(10);
    stream.append(Buffer.from('\x1b[c'));
    expect(quiet).toHaveLength(2);
  });

  it('in a flood it sends blocks of 64 KiB, or after 2 ms what there is', async () => {
    const { clock, append, lengths } = await attached();
    for (let part = 0; part < 40; part++) append(4_000);
    expect(lengths()).toEqual([...Array(8).fill(4_000), 65_536]);
    clock.advance(1);
    expect(lengths()).toHaveLength(9);
    clock.advance(1);
    expect(lengths().slice(9)).toEqual([160_000 - 32_000 - 65_536]);
    expect(clock.pendingTimers).toBe(0);
    // The flood goes on across the windows of 5 ms: nothing is sent piece by piece.
    clock.advance(4);
    for (let part = 0; part < 8; part++) append(4_000);
    expect(lengths()).toHaveLength(10);
  });
});

describe('credit', () => {
  it('lets at most the credit be unacknowledged, then goes on where it stopped', async () => {
    const { clock, stream, append, sink } = await attached();
    for (let part = 0; part < 20; part++) append(50_000);
    clock.advance(2);
    expect(sink.byteCount).toBe(LIMITS.hostCredit);
    stream.acknowledge(100_000);
    expect(sink.byteCount).toBe(LIMITS.hostCredit + 100_000);
    stream.acknowledge(50_000);
    stream.acknowledge(10_000_000);
    expect(sink.byteCount).toBe(1_000_000);
    expect(sink.text).toBe(Buffer.from(bytesFrom(0, 1_000_000)).toString('latin1'));
  });

  it('waits while the sink’s socket is full', async () => {
    const { stream, append } = newStream();
    let isFull = false;
    const sink = Object.assign(new RecordingSink(), { isCongested: () => isFull });
    stream.attach(0, sink);
    await settle();
    isFull = true;
    append(10);
    stream.resized(90, 30);
    expect(sink.events).toEqual([]);
    isFull = false;
    stream.pump();
    expect(sink.events.map((event) => event.kind)).toEqual(['output', 'resized']);
  });
});

describe('records', () => {
  it('gives exit and end after the last byte, also to who attaches later', async () => {
    const { stream, append, sink } = await attached();
    append(600_000);
    stream.exited({ code: 3, signal: null });
    append(10);
    stream.ended();
    expect(sink.events.every((event) => event.kind === 'output')).toBe(true);
    stream.acknowledge(600_000);
    expect(sink.events.slice(-3)).toMatchObject([
      { kind: 'exit', offset: 600_000 },
      { kind: 'output', offset: 600_000 },
      { kind: 'end', offset: 600_010 },
    ]);
    const late = new RecordingSink();
    stream.attach(600_010, late);
    await settle();
    expect(late.events.map((event) => event.kind)).toEqual(['exit', 'end']);
  });

  it('of several sizes at one offset only the last is kept', async () => {
    const { stream, append, sink } = await attached();
    append(5);
    stream.resized(90, 30);
    for (let cols = 1; cols <= 500; cols++) stream.resized(cols, 30);
    append(5);
    expect(sink.events.filter((event) => event.kind === 'resized').at(-1)).toMatchObject({ offset: 5, cols: 500 });
    const late = new RecordingSink();
    stream.attach(0, late);
    await settle();
    expect(late.events.map((event) => event.kind)).toEqual(['output', 'resized', 'output']);
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), length: fc.integer({ min: 1, max: 200_000 }) }),
  fc.record({ kind: fc.constant('resize' as const), cols: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ kind: fc.constant('ack' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('advance' as const), milliseconds: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ kind: fc.constant('attach' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('detach' as const) }),
);

describe('any history', () => {
  it('P1: every receiver gets bytes, sizes and gaps in order, without double or hole', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, stream, append } = newStream();
        const sizes: { offset: number; cols: number }[] = [{ offset: 0, cols: 80 }];
        let current: { sink: RecordingSink; since: number; start: number; cols: number } | undefined;
        const sizeAt = (offset: number) => sizes.findLast((size) => size.offset <= offset)?.cols;
        const check = (isComplete: boolean) => {
          if (current === undefined) return;
          let at = current.since;
          let cols = current.cols;
          let unacknowledged = 0;
          for (const event of current.sink.events) {
            if (event.kind === 'output') {
              expect(event.offset).toBe(at);
              expect(Buffer.compare(event.bytes, bytesFrom(at, event.bytes.length))).toBe(0);
              // A size that was changed again before the next byte may come more than once; the last one counts.
              expect(cols).toBe(sizeAt(at));
              at += event.bytes.length;
              unacknowledged += event.bytes.length;
            } else if (event.kind === 'gap') {
              expect([event.from, event.to]).toEqual([at, current.start]);
              at = event.to;
            } else if (event.kind === 'resized') {
              expect(event.offset).toBe(at);
              cols = event.cols;
            }
          }
          if (!isComplete) return;
          expect(at).toBe(stream.ring.end);
          expect(cols).toBe(sizeAt(at));
          expect(unacknowledged).toBeLessThanOrEqual(stream.ring.end);
        };
        for (const action of steps) {
          if (action.kind === 'append') {
            // The session's rule: what the receiver has not got is never overwritten.
            const room = stream.ring.capacity - (stream.ring.end - stream.cursor);
            if (stream.isAttached && action.length > room) continue;
            append(action.length);
          } else if (action.kind === 'resize') {
            stream.resized(action.cols, 24);
            sizes.push({ offset: stream.ring.end, cols: action.cols });
          } else if (action.kind === 'ack') {
            stream.acknowledge(Math.floor(action.part * stream.cursor));
          } else if (action.kind === 'advance') {
            clock.advance(action.milliseconds);
          } else if (action.kind === 'detach') {
            check(false);
            stream.detach();
            current = undefined;
          } else {
            check(false);
            const since = Math.floor(action.part * stream.ring.end);
            const sink = new RecordingSink();
            const { start, cols } = stream.attach(since, sink);
            expect(start).toBe(Math.max(since, stream.ring.start));
            expect(cols).toBe(sizeAt(start));
            current = { sink, since, start, cols };
            await settle();
          }
        }
        for (let turn = 0; turn < 6; turn++) stream.acknowledge(stream.cursor);
        clock.advance(10);
        check(true);
      }),
      { numRuns: process.env.TUIC_LONG === '1' ? 1_000 : 100 },
    );
  });
});
