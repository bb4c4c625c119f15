import { afterEach, describe, expect, it } from 'vitest';
import type { RecordingViewer } from '../../../../test/kit/session-harness.ts';
import { createTerminalRig, type RigOptions, type TerminalRig } from '../../../../test/kit/terminal-rig.ts';
import { DEADLINES, LIMITS } from '../../../contract/index.ts';

const rigs: TerminalRig[] = [];
async function start(options?: RigOptions): Promise<TerminalRig> {
  const rig = await createTerminalRig(options);
  rigs.push(rig);
  return rig;
}
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.dispose();
});

const block = (length: number, letter = 'x') => Buffer.alloc(length, letter);

/** Consumes everything as a quick client does. */
function consume(sink: RecordingViewer, viewer: { acknowledge(offset: number): void; drained(): void }): void {
  for (let seen = -1; seen !== sink.calls.length; ) {
    seen = sink.calls.length;
    const last = sink.calls.findLast((call) => call.kind === 'bytes');
    sink.waiting = 0;
    if (last?.kind === 'bytes') viewer.acknowledge(last.offset + last.bytes.length);
    viewer.drained();
  }
}

describe('bytes', () => {
  it('without offset: a snapshot, then live from where it stands', async () => {
    const rig = await start();
    rig.program.print('before');
    await rig.turns();
    const { sink } = rig.open({ format: 'bytes' });
    await rig.turns();
    rig.program.print('after');
    await rig.turns();
    expect(sink.kinds).toEqual(['snapshot', 'bytes']);
    expect(sink.frames('snapshot')[0]).toMatchObject({ offset: 6, rows: 24, cols: 80 });
    expect(sink.text).toBe('after');
  });

  it('W02: with an offset in the ring exactly the missing part comes, first from the host, then from the tail', async () => {
    const rig = await start();
    rig.program.print('0123456789');
    await rig.turns();
    const first = rig.open({ format: 'bytes', offset: 4 });
    rig.program.print('abc');
    await rig.turns(8);
    expect(first.sink.text).toBe('456789abc');
    const second = rig.open({ format: 'bytes', offset: 11 });
    await rig.turns(8);
    expect(second.sink.text).toBe('bc');
    expect(second.sink.kinds).toEqual(['size', 'bytes']);
  });

  it('W02: with an offset that is gone: gap, snapshot, live', async () => {
    const rig = await start();
    await rig.flood(block(3 * LIMITS.ring));
    await rig.turns(20);
    const { sink } = rig.open({ format: 'bytes', offset: 1_000 });
    await rig.turns(20);
    expect(sink.kinds).toEqual(['size', 'gap', 'snapshot']);
    const [gap] = sink.frames('gap');
    expect(gap).toEqual({ type: 'gap', from: 1_000, to: 3 * LIMITS.ring, reason: 'evicted' });
    rig.clock.advance(10);
    rig.program.print('now');
    await rig.turns();
    expect(sink.text).toBe('now');
  });

  it('T11: replayed output carries no queries, also when a query lies across two pieces', async () => {
    const rig = await start();
    rig.program.print(
      Buffer.concat([block(LIMITS.replayChunk - 2), Buffer.from('\x1b[6n'), block(100), Buffer.from('\x1b[6n')]),
    );
    rig.clock.advance(5);
    await rig.turns();
    for (const format of ['bytes', 'raw'] as const) {
      const { sink, viewer } = rig.open({ format, offset: 0 });
      for (let turn = 0; turn < 6; turn++) {
        await rig.turns();
        consume(sink, viewer);
      }
      const text = format === 'bytes' ? sink.text : sink.output;
      expect(text).toHaveLength(LIMITS.replayChunk + 106);
      expect(text).not.toContain('\x1b[6n');
      viewer.dispose();
    }
    expect(rig.program.answers.map((answer) => answer.queryOffset)).toEqual([
      LIMITS.replayChunk + 2,
      LIMITS.replayChunk + 106,
    ]);
  });

  it('an unfinished sequence is shown when it is finished, or at the end', async () => {
    const rig = await start();
    const { sink } = rig.open({ format: 'bytes' });
    rig.program.print('a\x1b[3');
    await rig.turns();
    expect(sink.text).toBe('a');
    rig.program.print('1mb\x1b[');
    await rig.turns();
    expect(sink.text).toBe('a\x1b[31mb');
    rig.program.end(0);
    await rig.turns(8);
    expect(sink.text).toBe('a\x1b[31mb\x1b[');
    expect(sink.kinds.slice(-2)).toEqual(['exit', 'closed']);
  });

  it('sizes come in the order of the bytes, also to a viewer that is behind', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    sink.isStalled = true;
    sink.waiting = LIMITS.viewerNetwork;
    rig.program.print('one');
    rig.program.stream.resized(120, 40);
    rig.program.print('two');
    await rig.turns();
    expect(sink.kinds).toEqual(['snapshot']);
    sink.isStalled = false;
    consume(sink, viewer);
    expect(sink.kinds).toEqual(['snapshot', 'bytes', 'size', 'bytes']);
    expect(sink.frames('size')).toEqual([{ type: 'size', offset: 3, rows: 40, cols: 120 }]);
    expect(sink.text).toBe('onetwo');
  });

  it('the window follows how quickly the viewer consumes', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    const flying = () => Buffer.byteLength(sink.text) - taken;
    let taken = 0;
    await rig.flood(block(LIMITS.viewerWindowStart * 2));
    expect(flying()).toBe(LIMITS.viewerWindowStart);
    while (taken < LIMITS.viewerWindowStart * 2 - LIMITS.viewerWindowMin) {
      rig.clock.advance(DEADLINES.viewerLate + 1);
      taken += LIMITS.viewerAckEvery;
      viewer.acknowledge(taken);
      expect(flying()).toBeLessThanOrEqual(LIMITS.viewerWindowStart);
    }
    expect(flying()).toBe(LIMITS.viewerWindowMin);
    for (let round = 0; round < 20; round++) {
      rig.clock.advance(1);
      taken = Buffer.byteLength(sink.text);
      viewer.acknowledge(taken);
      await rig.flood(block(LIMITS.viewerWindowMin));
    }
    await rig.flood(block(LIMITS.viewerWindowMax * 2));
    expect(flying()).toBe(LIMITS.viewerWindowMax);
  });

  it('a viewer that acknowledges each 64 KiB keeps a window of that size, however late it is', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    for (let taken = 0; taken < LIMITS.viewerAckMost * 8; taken += LIMITS.viewerAckMost) {
      await rig.flood(block(LIMITS.viewerAckMost));
      rig.clock.advance(DEADLINES.viewerLate + 1);
      viewer.acknowledge(taken + LIMITS.viewerAckMost);
      expect(Buffer.byteLength(sink.text)).toBe(taken + LIMITS.viewerAckMost);
    }
  });

  it('P7: an interrupt shows a late viewer the newest screen, with a gap told, and takes nothing from a quick one', async () => {
    const rig = await start();
    const late = rig.open({ format: 'bytes' });
    const quick = rig.open({ format: 'bytes' });
    await rig.turns();
    await rig.flood(block(LIMITS.viewerWindowStart * 3));
    consume(quick.sink, quick.viewer);
    rig.clock.advance(DEADLINES.viewerLate + 1);
    await late.viewer.input(Uint8Array.of(3));
    rig.program.print('prompt');
    await rig.turns(4);
    late.viewer.acknowledge(LIMITS.viewerWindowStart);
    await rig.turns(4);
    consume(quick.sink, quick.viewer);
    expect(late.sink.text).toHaveLength(LIMITS.viewerWindowStart);
    expect(late.sink.kinds.slice(-2)).toEqual(['gap', 'snapshot']);
    expect(late.sink.frames('gap')[0]).toMatchObject({ from: LIMITS.viewerWindowStart, reason: 'slow viewer' });
    expect(quick.sink.text).toHaveLength(LIMITS.viewerWindowStart * 3 + 'prompt'.length);
    expect(quick.sink.frames('gap')).toEqual([]);
  });

  it('an acknowledgement of what was never sent is no licence to be flooded', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    sink.isStalled = true;
    for (let round = 0; round < 30; round++) {
      await rig.flood(block(LIMITS.ringChunk));
      viewer.acknowledge(Number.MAX_SAFE_INTEGER);
      const last = sink.calls.findLast((call) => call.kind === 'bytes');
      if (last?.kind === 'bytes') viewer.acknowledge(last.offset + last.bytes.length);
    }
    expect(sink.waiting).toBeLessThanOrEqual(LIMITS.viewerNetwork + LIMITS.replayChunk);
  });
});

describe('slow viewers', () => {
  it('T06: one that never reads holds the session for 250 ms once, costs its window, and others get every byte', async () => {
    const rig = await start();
    const stuck = rig.open({ format: 'bytes' });
    const good = rig.open({ format: 'bytes' });
    await rig.turns();
    const total = 8 * LIMITS.ring;
    let printed = 0;
    let waited = 0;
    while (printed < total) {
      const piece = block(Math.min(LIMITS.ringChunk * 4, total - printed));
      const taken = await rig.flood(piece);
      printed += taken;
      consume(good.sink, good.viewer);
      if (taken < piece.length) {
        waited++;
        rig.clock.advance(10);
        await rig.turns();
        consume(good.sink, good.viewer);
      }
    }
    await rig.turns(10);
    consume(good.sink, good.viewer);
    expect(good.sink.text).toHaveLength(total);
    expect(good.sink.kinds).not.toContain('gap');
    expect(Buffer.byteLength(stuck.sink.text)).toBeLessThanOrEqual(LIMITS.viewerWindowMax);
    expect(stuck.sink.kinds).not.toContain('gap');
    expect(waited).toBeLessThan(30);
    // It wakes: what it missed is named, the screen is drawn from the present.
    const had = Buffer.byteLength(stuck.sink.text);
    consume(stuck.sink, stuck.viewer);
    await rig.turns(10);
    consume(stuck.sink, stuck.viewer);
    expect(stuck.sink.frames('gap')).toEqual([{ type: 'gap', from: had, to: total, reason: 'slow viewer' }]);
    expect(stuck.sink.frames('snapshot').at(-1)?.offset).toBe(total);
  });

  it('one that catches up while it is waited for loses nothing', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    const total = 6 * LIMITS.ring;
    let printed = 0;
    while (printed < total) {
      printed += await rig.flood(block(Math.min(LIMITS.ring, total - printed)));
      // Far behind now; it reads before its 250 ms are over.
      rig.clock.advance(20);
      consume(sink, viewer);
      await rig.turns(8);
      consume(sink, viewer);
    }
    await rig.turns(8);
    consume(sink, viewer);
    expect(sink.text).toHaveLength(total);
    expect(sink.kinds).not.toContain('gap');
  });

  it('each slow episode halves the patience, and five good seconds restore it', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    const episode = async (): Promise<number> => {
      consume(sink, viewer);
      await rig.turns(6);
      const before = sink.frames('gap').length;
      for (let left = 3 * LIMITS.ring; left > 0; ) {
        const taken = await rig.flood(block(Math.min(left, LIMITS.ring)));
        left -= taken;
        if (taken === 0) break;
      }
      // The viewer is waited for: the program stands still until the allowance is over.
      let patience = 0;
      while (!rig.program.hasRoom(LIMITS.ringChunk) && patience < 400) {
        rig.clock.advance(1);
        patience++;
        await rig.turns(6);
      }
      await rig.flood(block(LIMITS.ring));
      consume(sink, viewer);
      await rig.turns(6);
      consume(sink, viewer);
      await rig.turns(6);
      expect(sink.frames('gap').length).toBe(before + 1);
      return patience;
    };
    const patience = [];
    for (let round = 0; round < 6; round++) patience.push(await episode());
    const [first = 0, second = 0, third = 0] = patience;
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
    expect(patience.at(-1)).toBe(0);
    rig.clock.advance(DEADLINES.viewerRestore);
    expect(await episode()).toBeGreaterThan(second);
  });

  it('T05: of a viewer that takes 100 KB/s little is under way when the flood stops, and the prompt follows at once', async () => {
    const rig = await start();
    const { sink, viewer } = rig.open({ format: 'bytes' });
    await rig.turns();
    let consumed = 0;
    let acknowledged = 0;
    /** Milliseconds pass; the client consumes 100 bytes in each and acknowledges as ours does. */
    const pass = async (milliseconds: number) => {
      for (let step = 0; step < milliseconds; step += 10) {
        rig.clock.advance(10);
        const bytes = sink.calls.reduce((sum, call) => sum + (call.kind === 'bytes' ? call.bytes.length : 0), 0);
        consumed = Math.min(bytes, consumed + 1_000);
        const { end, base } = positionAfter(sink, consumed);
        acknowledged = Math.max(acknowledged, base);
        if (end - acknowledged >= LIMITS.viewerAckEvery) {
          acknowledged = end;
          viewer.acknowledge(end);
        }
        await rig.turns(2);
      }
    };
    for (let round = 0; round < 60; round++) {
      await rig.flood(block(LIMITS.ringChunk * 4, 'y'));
      await pass(100);
    }
    rig.program.print('^C\r\n$ ');
    let milliseconds = 0;
    while (!sees(sink, consumed, rig.terminal.tail.shown) && milliseconds < 5_000) {
      await pass(50);
      milliseconds += 50;
    }
    expect(milliseconds).toBeLessThanOrEqual(1_000);
  });
});

/** Where a client stands that has consumed `count` bytes, and the newest snapshot it has come to. */
function positionAfter(sink: RecordingViewer, count: number): { end: number; base: number } {
  let left = count;
  let end = 0;
  let base = 0;
  for (const call of sink.calls) {
    if (call.kind === 'frame') {
      if (call.frame.type === 'snapshot') base = end = call.frame.offset;
      continue;
    }
    if (left === 0) break;
    const taken = Math.min(left, call.bytes.length);
    left -= taken;
    end = call.offset + taken;
  }
  return { end, base };
}

/** True when a client that has consumed `count` bytes, in order, shows the stream up to `offset`. */
function sees(sink: RecordingViewer, count: number, offset: number): boolean {
  let left = count;
  for (const call of sink.calls) {
    if (call.kind === 'frame') {
      if (call.frame.type === 'snapshot' && call.frame.offset >= offset) return true;
      continue;
    }
    if (call.bytes.length > left) return false;
    left -= call.bytes.length;
    if (call.offset + call.bytes.length >= offset) return true;
  }
  return false;
}

describe('raw', () => {
  it('sends the ring in pieces of at most 64 KiB with their offsets, then live output without', async () => {
    const rig = await start();
    await rig.flood(block(150_000));
    await rig.turns(10);
    const { sink, viewer } = rig.open({ format: 'raw' });
    for (let turn = 0; turn < 5; turn++) {
      await rig.turns();
      consume(sink, viewer);
    }
    rig.clock.advance(10);
    rig.program.print('live');
    await rig.turns();
    const frames = sink.frames('output');
    expect(frames.map((frame) => frame.total_written)).toEqual([65_536, 131_072, 150_000, undefined]);
    expect(frames.at(-1)?.data).toBe('live');
    expect(sink.kinds).not.toContain('size');
  });

  it('starts at the oldest byte that is left, without a gap, when nobody asked for an offset', async () => {
    const rig = await start();
    await rig.flood(block(3 * LIMITS.ring));
    await rig.turns(20);
    const { sink, viewer } = rig.open({ format: 'raw' });
    for (let turn = 0; turn < 40; turn++) {
      await rig.turns();
      consume(sink, viewer);
    }
    expect(sink.kinds).not.toContain('gap');
    expect(sink.output.length).toBe(LIMITS.ring);
    expect(sink.frames('output').at(-1)?.total_written).toBe(3 * LIMITS.ring);
  });

  it('T03: letters are never cut between frames, the offsets told are those of whole letters, a dangling end is one U+FFFD', async () => {
    const rig = await start();
    rig.program.print(Uint8Array.of(0x41, 0xe2, 0x89));
    await rig.turns();
    const { sink } = rig.open({ format: 'raw', offset: 0 });
    await rig.turns(8);
    expect(sink.frames('output')).toEqual([{ type: 'output', data: 'A', total_written: 1 }]);
    rig.program.print(Uint8Array.of(0xa4, 0xe2));
    await rig.turns();
    expect(sink.output).toBe('A≤');
    rig.program.print(Uint8Array.of(0x89));
    await rig.turns();
    rig.program.end(0);
    await rig.turns(8);
    expect(sink.output).toBe('A≤\ufffd');
    expect(sink.kinds.slice(-2)).toEqual(['exit', 'closed']);
  });
});

describe('input of viewers (D10, T11)', () => {
  it('drops what looks like a reply while a query is open, and nothing else ever', async () => {
    const rig = await start();
    const { viewer } = rig.open({ format: 'bytes' });
    await viewer.input(Buffer.from('\x1b[1;5R'));
    expect(rig.program.written).toEqual(['\x1b[1;5R']);
    rig.program.print('\x1b[6n');
    await rig.turns();
    await viewer.input(Buffer.from('\x1b[12;40R'));
    await viewer.input(Buffer.from('a\x1b[12;40Rb\x1b[A'));
    expect(rig.program.written.slice(1)).toEqual(['ab\x1b[A']);
    rig.clock.advance(DEADLINES.queryOpen);
    await viewer.input(Buffer.from('\x1b[1;5R'));
    expect(rig.program.written.at(-1)).toBe('\x1b[1;5R');
  });

  it('T12: a query is answered once, with no viewer and with two', async () => {
    const rig = await start();
    rig.program.print('\x1b[6n');
    await rig.turns();
    expect(rig.program.answers).toHaveLength(1);
    rig.open({ format: 'bytes' });
    rig.open({ format: 'bytes' });
    rig.program.print('\x1b[6n');
    await rig.turns();
    expect(rig.program.answers).toHaveLength(2);
  });
});

describe('T13: the size with several viewers', () => {
  it('the last active viewer decides, and its leaving gives the size back', async () => {
    const rig = await start();
    const size = () => rig.program.stream.size;
    const desk = rig.open({ format: 'bytes' });
    desk.viewer.resize(50, 200);
    await rig.turns();
    expect(size()).toEqual({ cols: 200, rows: 50 });
    const phone = rig.open({ format: 'bytes' });
    phone.viewer.resize(80, 40);
    await rig.turns();
    expect(size()).toEqual({ cols: 40, rows: 80 });
    desk.viewer.resize(51, 201);
    await rig.turns();
    expect(size()).toEqual({ cols: 40, rows: 80 });
    await desk.viewer.input(Buffer.from('x'));
    expect(size()).toEqual({ cols: 201, rows: 51 });
    phone.viewer.visible(true);
    expect(size()).toEqual({ cols: 40, rows: 80 });
    phone.viewer.dispose();
    expect(size()).toEqual({ cols: 201, rows: 51 });
    desk.viewer.dispose();
    expect(size()).toEqual({ cols: 201, rows: 51 });
    await rig.turns();
    expect(rig.terminal.engine).toMatchObject({ cols: 201, rows: 51 });
  });
});
