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

describe('plain ASCII is put into its cells as the library would, beside all that it meets there', () => {
  const CASES = {
    'over the first half of a wide character': '中文\x1b[1;1Hab\x1b[1;4Hc',
    'over its second half': '中文\x1b[1;2Hab',
    'right after one, and up to one': '中x中\x1b[1;3Hy\x1b[1;1Hz',
    'into the last column and around it': `${'a'.repeat(20)}b\r\n${'c'.repeat(41)}\x1b[3;20Hde`,
    'around the margin of a scroll region': `\x1b[2;3r\x1b[3;18Habcdef\r\n\x1b[4;18Hghijk`,
    'at the last row below a region': `\x1b[1;2r\x1b[5;18Habcdefgh`,
    'with marks after it': 'e\u0301\r\u0301a\n\u0301b',
    'with a mark over the margin': `${'a'.repeat(20)}\u0301b`,
    'without wrapping': '\x1b[?7labcdefghijklmnopqrstuvwxyz\x1b[?7hzz',
    'in insert mode': 'abc\x1b[1;1H\x1b[4hxy\x1b[4lz',
    'in another character set': '\x1b(0lqqk\x1b(Bx\x1b)0\x0eqq\x0fq',
    'with an underline of its own colour': '\x1b[4:3;58;5;9mab\x1b[0mcd',
    'in colours, over the margin of a full screen': `\x1b[41;1m${'abcdefg'.repeat(30)}\x1b[0m\r\nend`,
    'with line feeds that return': '\x1b[20habc\ndef\x1b[20l\nghi',
    'cut inside a sequence': 'ab\x1b[3',
    'at a pending wrap': `${'a'.repeat(20)}\n${'b'.repeat(20)}\rc\x1b[20G\x1b[Kd`,
    'on the other screen': '\x1b[?1049habc\r\ndef\x1b[?1049lghi',
  };
  for (const [name, text] of Object.entries(CASES)) {
    it(name, async () => {
      for (const seed of [1, 2, 3]) await compare(text, seed, 20, 5);
    });
  }
});
