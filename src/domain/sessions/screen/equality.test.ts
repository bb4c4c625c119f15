import { describe, expect, it } from 'vitest';
import { createScreen } from './index.ts';
import { engineLines, feed, PlainTerminal } from './testing/inspect.ts';
import { agentStream, ansiStream, plainStream, randomChunks, seededRandom, tortureStream } from './testing/streams.ts';

const STREAMS = {
  plain: (seed: number) => plainStream(seededRandom(seed), 1_500),
  ansi: (seed: number) => ansiStream(seededRandom(seed), 1_000),
  agent: (seed: number) => agentStream(seededRandom(seed), 600),
  torture: (seed: number) => tortureStream(seededRandom(seed), 4_000),
};

async function compare(text: string, seed: number, cols: number, rows: number): Promise<void> {
  const random = seededRandom(seed + 1_000);
  const plain = new PlainTerminal(cols, rows);
  const engine = createScreen({ cols, rows });
  const bytes = Buffer.from(text);
  try {
    // The library gets the stream in one piece, the engine in random ones: cut characters are its own affair.
    await plain.write(bytes);
    for (const chunk of randomChunks(random, bytes, 3_000)) {
      feed(engine, chunk);
      if (random.chance(10)) engine.log.read(random.below(engine.log.total + 1), 5);
    }
    expect(engineLines(engine)).toEqual(plain.logicalLines());
  } finally {
    engine.dispose();
    plain.terminal.dispose();
  }
}

describe('log and screen equal a plain 10,000-line terminal in logical lines and styles', () => {
  for (const [name, make] of Object.entries(STREAMS)) {
    for (const seed of [1, 2, 3]) {
      it(`${name}, seed ${seed}`, async () => {
        await compare(make(seed), seed, 40 + seed * 20, 10 + seed * 7);
      });
    }
  }
});
