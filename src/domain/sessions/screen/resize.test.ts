import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../../contract/index.ts';
import { createScreen, type ScreenEngine } from './index.ts';
import { engineLines, feed, PlainTerminal } from './testing/inspect.ts';
import { plainLines, seededRandom } from './testing/streams.ts';

const textOf = (line: LogLine): string => line.spans.map((span) => span.text).join('');

/** Log, then the logical lines of the screen. */
function allLines(engine: ScreenEngine): string[] {
  const { total, oldest } = engine.log;
  return [...engine.log.read(oldest, total).lines.map(textOf), ...engine.text()];
}

/** How many source lines are not there, in order. Lines still on the screen may be cut into rows. */
function missing(source: string[], have: string): number {
  let at = 0;
  let lost = 0;
  for (const line of source) {
    const found = have.indexOf(line, at);
    if (found < 0) lost++;
    else at = found + line.length;
  }
  return lost;
}

function resize(engine: ScreenEngine, cols: number, rows: number): void {
  engine.ingestResize(engine.ingestedOffset, cols, rows);
  engine.parseAll();
}

describe('resizes', () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`no source line is lost more often than by a plain terminal, seed ${seed}`, async () => {
      const random = seededRandom(seed);
      const source = plainLines(random, 1_500);
      const engine = createScreen({ cols: 120, rows: 40 });
      const plain = new PlainTerminal(120, 40);
      for (let line = 0; line < source.length; line += 50) {
        const bytes = Buffer.from(`${source.slice(line, line + 50).join('\r\n')}\r\n`);
        feed(engine, bytes);
        await plain.write(bytes);
        const cols = 61 + random.below(140);
        const rows = 24 + random.below(37);
        resize(engine, cols, rows);
        plain.terminal.resize(cols, rows);
      }
      const join = (lines: string[][]): string =>
        lines.map((cells) => cells.map((cell) => cell.split('|')[0] || ' ').join('')).join('\n');
      const lostByPlain = missing(source, join(plain.logicalLines()));
      expect(missing(source, join(engineLines(engine)))).toBeLessThanOrEqual(lostByPlain);
      plain.terminal.dispose();
    });
  }

  it('lines that come back to the screen and leave unchanged are logged once', () => {
    const engine = createScreen({ cols: 40, rows: 10 });
    const source = Array.from({ length: 60 }, (_, line) => `line ${line}`);
    feed(engine, `${source.slice(0, 40).join('\r\n')}\r\n`);
    const before = engine.log.total;
    resize(engine, 40, 30);
    expect(engine.text()[0]).toBe('line 11');
    expect(engine.log.total).toBe(before);
    resize(engine, 40, 8);
    resize(engine, 60, 25);
    resize(engine, 33, 9);
    feed(engine, `${source.slice(40).join('\r\n')}\r\n`);
    expect(allLines(engine).filter((line) => line !== '')).toEqual(source);
  });

  it('a line that came back and was changed is logged again, not lost', () => {
    const engine = createScreen({ cols: 40, rows: 5 });
    feed(engine, Array.from({ length: 20 }, (_, line) => `line ${line}\r\n`).join(''));
    resize(engine, 40, 15);
    feed(engine, '\x1b[2J\x1b[H');
    const fresh = Array.from({ length: 30 }, (_, line) => `fresh ${line}`);
    feed(engine, `${fresh.join('\r\n')}\r\n`);
    const lines = allLines(engine);
    expect(missing(fresh, lines.join('\n'))).toBe(0);
    expect(lines.filter((line) => line.startsWith('fresh 3')).length).toBe(1);
  });

  it('a wrapped line that is half on the screen stays one line in any width', () => {
    const long = Array.from({ length: 60 }, (_, word) => `word${word}`).join(' ');
    for (const widths of [[60], [25], [90, 20, 45], [200, 31]]) {
      const engine = createScreen({ cols: 40, rows: 6 });
      feed(engine, `start\r\n${long}\r\nend`);
      for (const cols of widths) resize(engine, cols, 6);
      feed(engine, `\r\n${'end\r\n'.repeat(20)}`);
      const lines = engine.log.read(0, engine.log.total).lines.map(textOf);
      expect(lines.slice(0, 4)).toEqual(['start', long, 'end', 'end']);
    }
  });

  it('the line of the cursor is not rewrapped, and what left the screen of it stays in the log', () => {
    const long = Array.from({ length: 60 }, (_, word) => `word${word}`).join(' ');
    for (const widths of [[60], [90, 70, 120]]) {
      const engine = createScreen({ cols: 40, rows: 6 });
      feed(engine, `start\r\n${long}`);
      for (const cols of widths) resize(engine, cols, 6);
      feed(engine, `\r\n${'end\r\n'.repeat(20)}`);
      const lines = engine.log.read(0, engine.log.total).lines.map(textOf);
      expect(lines.slice(0, 3)).toEqual(['start', long, 'end']);
    }
    // Narrower, the terminal cuts what it still shows of that line, as the program is expected to draw it again.
    const engine = createScreen({ cols: 40, rows: 6 });
    feed(engine, `start\r\n${long}`);
    resize(engine, 20, 6);
    feed(engine, `\r\n${'end\r\n'.repeat(20)}`);
    expect(engine.log.read(1, 1).lines.map(textOf)[0]?.startsWith(long.slice(0, 120))).toBe(true);
  });

  it('total never goes back', () => {
    const random = seededRandom(9);
    const engine = createScreen({ cols: 80, rows: 24 });
    let total = 0;
    for (let step = 0; step < 300; step++) {
      feed(
        engine,
        random.chance(50) ? 'some text that may wrap '.repeat(random.below(12)) : '\r\n'.repeat(random.below(9)),
      );
      if (random.chance(30)) resize(engine, 10 + random.below(150), 3 + random.below(60));
      if (random.chance(3)) feed(engine, '\x1b[3J');
      expect(engine.log.total).toBeGreaterThanOrEqual(total);
      total = engine.log.total;
    }
  });
});

describe('clearing', () => {
  it('CSI 3 J and a reset empty the log, numbers go on', () => {
    const engine = createScreen({ cols: 40, rows: 4 });
    for (const clear of ['\x1b[3J', '\x1bc']) {
      feed(engine, 'line\r\n'.repeat(30));
      const before = engine.log.total;
      feed(engine, clear);
      expect(engine.log.total).toBeGreaterThanOrEqual(before);
      expect(engine.log.clearedAt).toBe(engine.log.total);
      expect(engine.log.oldest).toBe(engine.log.total);
      expect(engine.log.read(0, 100).lines).toEqual([]);
      feed(engine, 'after\r\n'.repeat(20));
      expect(engine.log.total).toBeGreaterThan(engine.log.clearedAt);
    }
  });

  it('CSI 3 J on the alternate screen leaves the log alone', () => {
    const engine = createScreen({ cols: 40, rows: 4 });
    feed(engine, `${'line\r\n'.repeat(30)}\x1b[?1049h\x1b[3J`);
    expect(engine.log.clearedAt).toBe(0);
    expect(engine.log.read(0, 100).lines.length).toBe(27);
  });

  it('a gap resets the parser and keeps the screen', () => {
    const engine = createScreen({ cols: 40, rows: 4 });
    feed(engine, 'ab\x1b]0;never ended');
    engine.ingestGap(5_000);
    expect(engine.ingestedOffset).toBe(5_000);
    feed(engine, 'cd');
    expect(engine.text()[0]).toBe('abcd');
    expect(engine.parsedOffset).toBe(5_002);
  });
});
