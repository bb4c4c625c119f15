/** Lines that run through the screen within one piece of output: the log and the screen are as if each had stood on it. */
import { describe, expect, it } from 'vitest';
import { createScreen } from './index.ts';
import { LoggedTerminal } from './logged-terminal.ts';
import { engineLines, feed, inspectEngine, PlainTerminal } from './testing/inspect.ts';
import { type Random, randomChunks, seededRandom } from './testing/streams.ts';

const LETTERS = 'the quick brown fox jumps over the lazy dog ';

/** Plain lines, of which some are empty, just as wide as the terminal, or several rows long. */
function plainRun(random: Random, cols: number, lines: number): string {
  let text = '';
  for (let line = 0; line < lines; line++) {
    const length = random.pick([
      0,
      1,
      cols - 1,
      cols,
      cols + 1,
      2 * cols,
      random.below(3 * cols + 1),
      random.below(20),
    ]);
    text += `${LETTERS.repeat(Math.ceil(length / LETTERS.length)).slice(0, length)}\r\n`;
  }
  return text;
}

const BETWEEN = [
  '\x1b[31m',
  '\x1b[41m',
  '\x1b[0m',
  '\x1b[0m\x1b[r\x1b[?1049l\x1b(B\x1b[?7h\x1b[99;1H',
  '\x1b7',
  '\x1b8',
  '\x1b[2;3r',
  '\x1b[r\x1b[99;1H',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[2J\x1b[H',
  '\x1b[A',
  '\x1b[99;9Hstays',
  '\x1b[20h',
  '\x1b[20l',
  '\x1b(0',
  '\x1b(B',
  '\x1b[?7l',
  '\x1b[?7h',
  '\x1b[6n',
  'no line end',
  'over\rwritten\r\n',
  'only a line feed\n',
  '中文',
  '中\x1b[D',
  'e\u0301',
  '\t',
  '\x1b]0;title\x07',
  '\x07',
];

function stream(random: Random, cols: number, between: readonly string[]): string {
  let text = '';
  while (text.length < 100_000) {
    text += plainRun(random, cols, random.pick([3, 40, 300, 2_000]));
    for (let count = random.below(4); count > 0; count--) text += random.pick(between);
    if (random.chance(50)) text += '\x1b[0m\x1b[r\x1b[?7h\x1b[99;1H\r\n';
  }
  return text;
}

describe('P1: lines that run through the screen', () => {
  for (const [cols, rows] of [
    [80, 24],
    [20, 5],
    [7, 2],
  ] as const) {
    it(`equal a plain terminal of ${cols} by ${rows}, and one that gets its output in small pieces`, async () => {
      for (const seed of [1, 2]) {
        const random = seededRandom(seed * 31 + cols);
        // What the program clears the library forgets, and where a region cuts wrapped rows it tells them in another way.
        const isLikePlain = rows > 2;
        const bytes = Buffer.from(stream(random, cols, isLikePlain ? BETWEEN : [...BETWEEN, '\x1b[3J']));
        const plain = new PlainTerminal(cols, rows, 400_000);
        const whole = createScreen({ cols, rows, logLines: 400_000 });
        const small = createScreen({ cols, rows, logLines: 400_000 });
        await plain.write(bytes);
        for (const chunk of randomChunks(random, bytes, 65_536)) feed(whole, chunk);
        for (let at = 0; at < bytes.length; at += 4_096) feed(small, bytes.subarray(at, at + 4_096));
        expect(engineLines(whole), `seed ${seed}`).toEqual(engineLines(small));
        expect(whole.log.read(0, 400_000), `seed ${seed}`).toEqual(small.log.read(0, 400_000));
        expect(inspectEngine(whole, true), `seed ${seed}`).toEqual(inspectEngine(small, true));
        if (isLikePlain) expect(engineLines(whole), `seed ${seed}`).toEqual(plain.logicalLines());
        whole.dispose();
        small.dispose();
        plain.terminal.dispose();
      }
    });
  }

  it('are not put into cells: what a full screen shows at the end is all that was written to it', () => {
    const logged = new LoggedTerminal(20, 5, 10_000);
    const lines = (from: number, to: number) =>
      Buffer.from(Array.from({ length: to - from }, (_, index) => `line ${from + index}\r\n`).join(''));
    expect(logged.terminal.passLines(lines(0, 2_000)), 'a screen with room takes them as ever').toBe(0);
    logged.terminal.write(lines(0, 200));
    const bytes = lines(200, 2_000);
    expect(logged.terminal.passLines(bytes)).toBe(bytes.length);
    expect(logged.total).toBe(1_996);
    const texts = logged.log.read(0, 1_996).map((line) => line.spans.map((span) => span.text).join(''));
    expect(texts).toEqual(Array.from({ length: 1_996 }, (_, index) => `line ${index}`));
  });

  it('in colours, in a region and on the other screen take the long way', () => {
    for (const start of ['\x1b[31m', '\x1b[2;4r\x1b[4;1H', '\x1b[?1049h', '\x1b[5;3Hx\r', '\x1b(0', '\x1b[4h']) {
      const logged = new LoggedTerminal(20, 5, 10_000);
      logged.terminal.write(Buffer.from(`${'x\r\n'.repeat(200)}${start}`));
      expect(logged.terminal.passLines(Buffer.from('y\r\n'.repeat(5_000))), JSON.stringify(start)).toBe(0);
    }
  });

  it('begin behind the rest of a line, unless that cuts a wide character', () => {
    const passedBehind = (text: string) => {
      const logged = new LoggedTerminal(20, 5, 10_000);
      logged.terminal.write(Buffer.from(`${'x\r\n'.repeat(200)}${text}`));
      return logged.terminal.passLines(Buffer.from(`rest\r\n${'y\r\n'.repeat(5_000)}`));
    };
    expect(passedBehind('begun ')).toBe(15_006);
    expect(passedBehind('中\x1b[D')).toBe(0);
  });
});
