import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../base/index.ts';
import { LOG_BYTES } from './compact-log.ts';
import { createScreen } from './index.ts';
import { SLICE_BYTES } from './sequence-filter.ts';
import { feed, openEngine } from './testing/inspect.ts';
import { randomChunks, seededRandom, tortureStream } from './testing/streams.ts';

/** Each look at the clock takes a millisecond: parse(1) does exactly one slice. */
function tickingClock(): Clock {
  let now = 0;
  const unused = (): never => {
    throw new Error('not used');
  };
  return { now: () => now, monotonic: () => now++, after: unused, every: unused };
}

describe('one turn of parse() is bounded whatever the output', () => {
  const floods: Record<string, string> = {
    repeat: 'a\x1b[9999b',
    'repeat after the limit': 'a\x1b[2147483647b',
    'insert lines': '\x1b[9999L',
    'delete lines': '\x1b[9999M',
    'scroll up': '\x1b[9999S',
    'scroll down': '\x1b[9999T',
    tabs: '\x1b[9999I',
    'back tabs': '\x1b[9999Z',
    clear: '\x1b[2J',
    buffers: '\x1b[?1049h\x1b[?1049l',
    reset: '\x1bc',
    pattern: '\x1b#8',
    'scroll right': '\x1b[5 A',
  };
  for (const [name, sequence] of Object.entries(floods)) {
    it(name, () => {
      const screen = createScreen({ cols: 120, rows: 40, clock: tickingClock() });
      screen.ingest(0, Buffer.from(sequence.repeat(2_000)));
      let turns = 0;
      let longest = 0;
      let before = screen.parsedOffset;
      for (let more = true; more && turns < 60; turns++) {
        more = screen.parse(1);
        longest = Math.max(longest, screen.parsedOffset - before);
        before = screen.parsedOffset;
      }
      // At 120x40 a slice has room for about seven sequences that touch the whole screen, or for three full repeats.
      expect(longest).toBeLessThanOrEqual(SLICE_BYTES + 16);
      expect(longest / sequence.length).toBeLessThanOrEqual(name === 'tabs' || name === 'back tabs' ? 10 : 8);
    });
  }

  it('inserted text goes in small slices', () => {
    const screen = createScreen({ cols: 500, rows: 40, clock: tickingClock() });
    screen.ingest(0, Buffer.from(`\x1b[4h${'x'.repeat(10_000)}`));
    screen.parse(1);
    expect(screen.parsedOffset).toBeLessThan(4_096 + 8);
    const before = screen.parsedOffset;
    screen.parse(1);
    expect(screen.parsedOffset - before).toBeLessThan(600);
  });

  it('plain text goes in slices of 4 KiB', () => {
    const screen = createScreen({ cols: 120, rows: 40, clock: tickingClock() });
    screen.ingest(0, Buffer.from('x'.repeat(100_000)));
    screen.parse(1);
    expect(screen.parsedOffset).toBeGreaterThan(SLICE_BYTES - 8);
    expect(screen.parsedOffset).toBeLessThan(SLICE_BYTES + 8);
    expect(screen.pendingBytes).toBe(100_000 - screen.parsedOffset);
  });
});

describe('memory is bounded whatever the output', () => {
  it('T07: five megabytes without a newline', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    for (let part = 0; part < 80; part++) feed(screen, 'x'.repeat(65_536));
    const { chunks } = screen.logChunks();
    expect(chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)).toBeLessThanOrEqual(LOG_BYTES);
    const { total, oldest } = screen.log;
    expect(total).toBeGreaterThan(100);
    for (const line of screen.log.read(oldest, 3).lines) {
      expect(line.spans[0]?.text.length).toBeGreaterThanOrEqual(32_768);
      expect(line.spans[0]?.text.length).toBeLessThan(33_000);
    }
    expect(oldest).toBeGreaterThan(0);
  });

  it('combining marks without end on one cell', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    feed(screen, 'a');
    for (let part = 0; part < 40; part++) feed(screen, '\u0301'.repeat(8_192));
    expect(screen.text()[0]?.length).toBeLessThan(10_000);
    feed(screen, 'b\x1b[9999b');
    expect(Buffer.byteLength(screen.snapshot().data)).toBeLessThan(65_536);
    // Repeating such a cell is refused instead of being tried.
    feed(screen, `\r\nc${'\u0301'.repeat(3_000)}\x1b[9999b`);
    feed(screen, '\r\n'.repeat(60));
    expect(screen.log.read(0, 1).lines[0]?.spans[0]?.text.startsWith('a\u0301')).toBe(true);
  });

  it('links without end', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    for (let link = 0; link < 20_000; link++) feed(screen, `\x1b]8;;https://example.com/${link}\x07x\x1b]8;;\x07\r`);
    expect(openEngine(screen).state.terminal.links.length).toBeLessThanOrEqual(2_048);
    feed(screen, '\x1b]8;;https://example.com/last\x07y\x1b]8;;\x07');
    expect(screen.snapshot().data).toContain('https://example.com/last');
  });

  it('titles, colours, tab stops without end leave room for the screen in a snapshot', () => {
    const screen = createScreen({ cols: 500, rows: 30 });
    let flood = '\x1b[?1049h';
    for (let index = 0; index < 260; index++) flood += `\x1b]4;${index};rgb:1111/2222/3333\x07`;
    for (let column = 1; column < 500; column++) flood += `\x1b[1;${column}H\x1bH`;
    for (let title = 0; title < 30; title++) flood += `\x1b]2;${'漢'.repeat(1_300)}${title}\x07\x1b[22;2t`;
    feed(screen, `${flood}\x1b]7;${'f'.repeat(4_000)}\x07\x1b[2;1H${'visible text '.repeat(2_000)}`);
    const { data } = screen.snapshot();
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(65_536);
    const copy = createScreen({ cols: 500, rows: 30 });
    feed(copy, data);
    expect(copy.text()).toEqual(screen.text());
    expect(screen.title.length).toBeLessThanOrEqual(512);
  });

  it('strings without end', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    for (const opening of ['\x1b]0;', '\x1bPq', '\x1b_', '\x1b]8;;']) {
      feed(screen, opening);
      for (let part = 0; part < 20; part++) feed(screen, 'A'.repeat(65_536));
      feed(screen, '\x1b\\ok');
    }
    expect(screen.title).toBe('');
    expect(screen.text()[0]).toBe('okokokok');
  });

  it('the log keeps 10,000 lines and at most 4 MiB', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    for (let line = 0; line < 12_000; line++) feed(screen, `${line}\r\n`);
    expect(screen.log.total).toBe(12_000 - 23);
    expect(screen.log.total - screen.log.oldest).toBeLessThanOrEqual(10_000);
    expect(screen.log.total - screen.log.oldest).toBeGreaterThanOrEqual(9_999);
    const window = screen.log.read(0, 2);
    expect(window.offset).toBe(screen.log.oldest);
    expect(window.lines[0]?.spans[0]?.text).toBe(String(screen.log.oldest));
    const wide = createScreen({ cols: 400, rows: 24 });
    for (let line = 0; line < 12_000; line++) feed(wide, `\x1b[3${line % 8}m${'漢'.repeat(199)}\r\n`);
    expect(wide.logChunks().chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)).toBeLessThanOrEqual(LOG_BYTES);
    expect(wide.log.oldest).toBeGreaterThan(1_000);
    expect(wide.log.read(wide.log.oldest, 1).lines[0]?.spans[0]?.text).toBe('漢'.repeat(199));
  });
});

describe('nothing makes the parser throw', () => {
  it('erasing above in the last column of the last row', () => {
    const screen = createScreen({ cols: 10, rows: 3 });
    feed(screen, 'a\r\nb\r\nc\x1b[3;10H\x1b[1Jz');
    expect(screen.text()).toEqual(['', '', '         z']);
  });

  it('random bytes, random sequences, random sizes', () => {
    for (let seed = 1; seed <= (process.env.TUIC_LONG === '1' ? 400 : 40); seed++) {
      const random = seededRandom(seed);
      const screen = createScreen({ cols: 2 + random.below(200), rows: 1 + random.below(60) });
      const alphabet =
        '\x1b[]?;:0123456789hlmJKHrSTLMbABCDPX@qc\\\x07\n\r\t\b(0)Bé中😀\u0301\u009b\u009d\u0090\u009c x';
      const noise = Array.from({ length: 3_000 }, () => alphabet[random.below(alphabet.length)] ?? '').join('');
      const bytes = Buffer.concat([
        Buffer.from(tortureStream(random, 150)),
        Buffer.from(Array.from({ length: 2_000 }, () => random.below(256))),
        Buffer.from(noise),
      ]);
      for (const chunk of randomChunks(random, bytes, 200)) {
        if (random.chance(2)) screen.ingestResize(screen.ingestedOffset, 2 + random.below(200), 1 + random.below(60));
        feed(screen, chunk);
      }
      screen.snapshot();
      screen.checkpoint();
      screen.finish();
    }
  }, 120_000);
});
