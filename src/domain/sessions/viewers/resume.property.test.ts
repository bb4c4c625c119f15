import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordingViewer } from '../../../../test/kit/session-harness.ts';
import { createTerminalRig, type TerminalRig } from '../../../../test/kit/terminal-rig.ts';
import { DEADLINES, LIMITS, type StreamFrame } from '../../../contract/index.ts';
import type { Viewer } from '../model.ts';

/** What a viewer does, and what the program does meanwhile. */
type Step =
  | { kind: 'print'; bytes: number }
  | { kind: 'read'; bytes: number }
  | { kind: 'time'; milliseconds: number }
  | { kind: 'cut' }
  | { kind: 'resume' }
  | { kind: 'restart' }
  | { kind: 'resize'; cols: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('print' as const),
      bytes: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1_500_000 })),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      bytes: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 2_000_000 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), milliseconds: fc.integer({ min: 1, max: 6_000 }) }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'cut' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'resume' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resize' as const), cols: fc.integer({ min: 2, max: 300 }) }) },
);

/** Three-byte letters and line ends, so that every cut of a letter happens. */
const PATTERN = Buffer.from('─≤abc€\r\n');
function textAt(from: number, to: number): Buffer {
  const repeated = Buffer.alloc(Math.ceil((to - from) / PATTERN.length + 2) * PATTERN.length, PATTERN);
  const shift = from % PATTERN.length;
  return repeated.subarray(shift, shift + to - from);
}

/** A client of our kind: reads from its socket at its own pace, acknowledges, and checks what it gets. */
class Client {
  sink = new RecordingViewer();
  viewer: Viewer | undefined;
  /** All before it is accounted for. */
  position = 0;
  acknowledged = 0;
  isFresh = true;
  cols = 80;
  #read = 0;

  open(rig: TerminalRig): void {
    if (this.viewer !== undefined) return;
    this.sink = new RecordingViewer();
    this.sink.isStalled = true;
    this.#read = 0;
    this.acknowledged = this.position;
    this.viewer = rig.terminal.openViewer(
      this.isFresh ? { format: 'bytes' } : { format: 'bytes', offset: this.position },
      this.sink,
    );
  }

  cut(): void {
    this.viewer?.dispose();
    this.viewer = undefined;
  }

  /** Takes whole frames while `budget` lasts, at least one. */
  read(budget: number): void {
    let left = budget;
    while (left > 0) {
      const call = this.sink.calls[this.#read];
      if (call === undefined) break;
      this.#read++;
      if (call.kind === 'bytes') {
        expect(call.offset).toBe(this.position);
        const end = call.offset + call.bytes.length;
        expect(Buffer.compare(Buffer.from(call.bytes), textAt(call.offset, end))).toBe(0);
        this.position = end;
        left -= call.bytes.length;
        this.sink.waiting -= call.bytes.length + 8;
      } else {
        this.take(call.frame);
        left -= 100;
        this.sink.waiting -= JSON.stringify(call.frame).length;
      }
    }
    if (this.position - this.acknowledged >= LIMITS.viewerAckEvery) {
      this.acknowledged = this.position;
      this.viewer?.acknowledge(this.position);
    }
    this.viewer?.drained();
  }

  take(frame: StreamFrame): void {
    if (frame.type === 'gap') {
      expect(frame.from).toBe(this.position);
      expect(frame.to).toBeGreaterThan(this.position);
      this.position = frame.to;
    } else if (frame.type === 'snapshot') {
      if (!this.isFresh) expect(frame.offset).toBe(this.position);
      this.isFresh = false;
      this.position = frame.offset;
      this.acknowledged = this.position;
      this.cols = frame.cols;
    } else if (frame.type === 'size') {
      expect(frame.offset).toBe(this.position);
      this.cols = frame.cols;
    }
  }
}

async function play(steps: readonly Step[]): Promise<void> {
  const rig = await createTerminalRig();
  try {
    const quick = new Client();
    const client = new Client();
    quick.open(rig);
    await rig.turns();
    client.open(rig);
    let printed = 0;
    const print = async (bytes: number) => {
      let idle = 0;
      for (let left = bytes; left > 0 && idle < DEADLINES.viewerHold + 50; ) {
        const length = Math.min(left, 65_536);
        if (!rig.program.hasRoom(length)) {
          // Somebody is waited for, or the parser is busy.
          idle++;
          rig.clock.advance(1);
          await rig.turns(2);
        } else {
          rig.program.print(textAt(printed, printed + length));
          printed += length;
          left -= length;
          idle = 0;
          rig.clock.advance(2);
          await rig.turns(1);
        }
        quick.read(Number.POSITIVE_INFINITY);
      }
      // Nobody is waited for longer than that.
      expect(idle).toBeLessThan(DEADLINES.viewerHold + 50);
    };
    /** The quick one reads all the time. */
    const pass = async (milliseconds: number) => {
      for (let left = milliseconds; left > 0; left -= 50) {
        quick.read(Number.POSITIVE_INFINITY);
        await rig.turns(2);
        quick.read(Number.POSITIVE_INFINITY);
        rig.clock.advance(Math.min(left, 50));
      }
    };
    for (const action of steps) {
      if (action.kind === 'print') await print(action.bytes);
      else if (action.kind === 'read') client.read(action.bytes);
      else if (action.kind === 'time') await pass(action.milliseconds);
      else if (action.kind === 'cut') client.cut();
      else if (action.kind === 'resume') client.open(rig);
      else if (action.kind === 'resize') rig.program.stream.resized(action.cols, 24);
      else {
        rig.terminal.detach();
        rig.program.stream.detach();
        await rig.terminal.attach(rig.host);
      }
      await rig.turns(2);
      expect(client.sink.waiting).toBeLessThan(2 * LIMITS.ring);
    }
    // In the end everybody reads everything.
    client.open(rig);
    for (let round = 0; round < 60; round++) {
      await pass(round < 10 ? 2 : DEADLINES.viewerHold);
      client.read(Number.POSITIVE_INFINITY);
      quick.read(Number.POSITIVE_INFINITY);
    }
    rig.program.end(0);
    await rig.turns(8);
    for (const reader of [client, quick]) {
      reader.read(Number.POSITIVE_INFINITY);
      await rig.turns(4);
      reader.read(Number.POSITIVE_INFINITY);
      expect(reader.position).toBe(printed);
      expect(reader.sink.kinds.slice(-2)).toEqual(['exit', 'closed']);
      expect(reader.cols).toBe(rig.program.stream.size.cols);
    }
    expect(quick.sink.kinds.filter((kind) => kind === 'gap')).toEqual([]);
    expect(rig.logged).toEqual([]);
  } finally {
    rig.dispose();
  }
}

describe('resuming viewers', () => {
  it(
    'W02: whatever is cut, slow or evicted, bytes and gaps account for every byte exactly once',
    async () => {
      const numRuns = process.env.TUIC_LONG === '1' ? 400 : 30;
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), play), { numRuns });
    },
    process.env.TUIC_LONG === '1' ? 600_000 : 120_000,
  );
});
