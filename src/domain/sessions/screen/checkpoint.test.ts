import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScreen, type ScreenEngine, type TerminalAnswer } from './index.ts';
import { feed, inspectEngine } from './testing/inspect.ts';
import { agentStream, ansiStream, plainStream, randomChunks, seededRandom, tortureStream } from './testing/streams.ts';

const RUNS = process.env.TUIC_LONG === '1' ? 400 : 40;

/** An engine as a new process would make it: from the blob and copies of the chunks. */
function revive(engine: ScreenEngine, ahead: string): ScreenEngine {
  const checkpoint = engine.checkpoint();
  if (ahead !== '') {
    // The store may have got more of the log than the checkpoint knows.
    engine.ingest(engine.ingestedOffset, Buffer.from(ahead));
    engine.parseAll();
  }
  const chunks = engine.logChunks().chunks.map(({ number, bytes }) => ({ number, bytes: bytes.slice() }));
  return createScreen({ cols: engine.cols, rows: engine.rows, checkpoint, chunks });
}

describe('P2: a restored engine equals the one that never stopped', () => {
  it('random output, cuts, resizes and restarts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 3 }), (seed, kind) => {
        const random = seededRandom(seed);
        const text = [
          () => tortureStream(random, 400),
          () => plainStream(random, 250),
          () => ansiStream(random, 250),
          () => agentStream(random, 150),
        ][kind]?.();
        const bytes = Buffer.from(text ?? '');
        const size = { cols: 20 + random.below(100), rows: 4 + random.below(30) };
        const steady = createScreen(size);
        let mortal = createScreen(size);
        let fed = 0;
        const chunks = randomChunks(random, bytes, 2_000);
        for (const chunk of chunks) {
          if (random.chance(8)) {
            const resized = { cols: 10 + random.below(120), rows: 3 + random.below(40) };
            for (const engine of [steady, mortal])
              engine.ingestResize(engine.ingestedOffset, resized.cols, resized.rows);
          }
          steady.ingest(fed, Buffer.from(chunk));
          mortal.ingest(fed, Buffer.from(chunk));
          fed += chunk.length;
          if (random.chance(60)) steady.parseAll();
          if (random.chance(60)) mortal.parse(0);
          if (random.chance(6)) {
            mortal.parseAll();
            const next = revive(mortal, random.chance(30) ? 'lost\r\n'.repeat(40) : '');
            mortal = next;
            mortal.ingest(mortal.ingestedOffset, bytes.slice(mortal.ingestedOffset, fed));
          }
        }
        steady.parseAll();
        mortal.parseAll();
        expect(inspectEngine(mortal, true)).toEqual(inspectEngine(steady, true));
        const total = steady.log.total;
        expect(mortal.log.read(0, total)).toEqual(steady.log.read(0, total));
      }),
      { numRuns: RUNS },
    );
  }, 240_000);

  it('in the middle of a title, a character, a CSI and a long string', () => {
    const output = 'ab\x1b]2;new title\x07c€d\x1b[1;31me\x1bPq';
    const bytes = Buffer.from(`${output}${'A'.repeat(9_000)}\x1b\\end`);
    const whole = createScreen({ cols: 20, rows: 4 });
    feed(whole, bytes);
    for (let cut = 1; cut < bytes.length; cut += cut < 40 || cut > 9_020 ? 1 : 1_111) {
      const engine = createScreen({ cols: 20, rows: 4 });
      feed(engine, bytes.subarray(0, cut));
      const next = revive(engine, '');
      expect(next.ingestedOffset).toBeLessThanOrEqual(cut);
      feed(next, bytes.subarray(next.ingestedOffset));
      expect(inspectEngine(next, true)).toEqual(inspectEngine(whole, true));
    }
  });

  it('a query before the answered offset is not answered again, one after it is', () => {
    const engine = createScreen({ cols: 20, rows: 4 });
    feed(engine, 'ab');
    const checkpoint = engine.checkpoint();
    const answers: TerminalAnswer[] = [];
    const next = createScreen({ cols: 20, rows: 4, checkpoint, answerAfter: 6 });
    next.onAnswer((answer) => answers.push(answer));
    feed(next, '\x1b[6n\x1b[5n');
    expect(answers).toEqual([{ queryOffset: 10, data: '\x1b[0n' }]);
  });

  it('a chunk that the store has lost drops itself and what is older, and says so', () => {
    const engine = createScreen({ cols: 80, rows: 5 });
    feed(engine, plainStream(seededRandom(5), 3_000));
    const checkpoint = engine.checkpoint();
    const { chunks } = engine.logChunks();
    expect(chunks.length).toBeGreaterThan(3);
    const kept = chunks.filter((_, index) => index !== 1);
    const next = createScreen({ cols: 80, rows: 5, checkpoint, chunks: kept });
    expect(next.log.total).toBe(engine.log.total);
    expect(next.log.oldest).toBeGreaterThan(0);
    const { oldest, total } = next.log;
    expect(next.log.read(0, total).offset).toBe(oldest);
    expect(next.log.read(oldest, total)).toEqual(engine.log.read(oldest, total));
    const cut = chunks.map((chunk, index) => (index === 2 ? { ...chunk, bytes: chunk.bytes.subarray(0, 99) } : chunk));
    const again = createScreen({ cols: 80, rows: 5, checkpoint, chunks: cut });
    expect(again.log.read(again.log.oldest, total)).toEqual(engine.log.read(again.log.oldest, total));
    const without = createScreen({ cols: 80, rows: 5, checkpoint });
    expect(without.log.oldest).toBe(without.log.total);
    for (const each of [without, engine]) feed(each, 'more\r\n'.repeat(20));
    // The line that was open ends with what is lost of it; what follows is whole.
    const newest = (each: ScreenEngine): unknown => each.log.read(each.log.total - 15, 15).lines;
    expect(newest(without)).toEqual(newest(engine));
  });

  it('P2: reads a checkpoint from before colours belonged to the terminal', () => {
    const engine = createScreen({ cols: 20, rows: 4 });
    feed(engine, '\x1b]4;1;rgb:aa/bb/cc\x07\x1b]11;#000000\x07\x1b[31mtext');
    const { offset, blob } = engine.checkpoint();
    const bytes = Buffer.from(blob);
    const end = 8 + bytes.readUInt32LE(4);
    const { terminal, tracked, ...rest } = JSON.parse(bytes.toString('utf8', 8, end));
    const { colors, ...others } = terminal;
    expect(colors).toHaveLength(2);
    const json = Buffer.from(JSON.stringify({ ...rest, terminal: others, tracked: { ...tracked, colors } }));
    const head = Buffer.from(bytes.subarray(0, 8));
    head.writeUInt32LE(json.length, 4);
    const earlier = { offset, blob: Buffer.concat([head, json, bytes.subarray(end)]) };
    const next = createScreen({ cols: 20, rows: 4, checkpoint: earlier });
    expect(inspectEngine(next, true)).toEqual(inspectEngine(engine, true));
  });

  it('refuses a blob of another format', () => {
    const blob = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(() => createScreen({ cols: 20, rows: 4, checkpoint: { offset: 0, blob } })).toThrow(RangeError);
    const good = createScreen({ cols: 20, rows: 4 }).checkpoint();
    const cut = { offset: 0, blob: good.blob.subarray(0, good.blob.length - 2) };
    expect(() => createScreen({ cols: 20, rows: 4, checkpoint: cut })).toThrow(RangeError);
  });
});
