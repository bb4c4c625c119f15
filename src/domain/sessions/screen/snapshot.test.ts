import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../contract/index.ts';
import { createScreen, type ScreenEngine } from './index.ts';
import { feed, hasHiddenState, inspectEngine } from './testing/inspect.ts';
import { ansiStream, plainStream, seededRandom, tortureStep, tortureStream } from './testing/streams.ts';

const SEEDS = process.env.TUIC_LONG === '1' ? 300 : 30;

/** A fresh engine that got the snapshot and the output after it. */
function redraw(engine: ScreenEngine, later: Uint8Array = new Uint8Array(0)): ScreenEngine {
  const snapshot = engine.snapshot();
  const copy = createScreen({ cols: snapshot.cols, rows: snapshot.rows });
  feed(copy, snapshot.data);
  if (later.length > 0) feed(copy, later);
  return copy;
}

/**
 * Steps whose effect in the library depends on what no output can tell: how much scrollback there is, leftovers of a style that
 * restoring a cursor leaves behind, the saved cursor of the buffer that is not shown.
 */
const UNTOLD = new Set(['\x1b[3J', '\x1b8', '\x1b[?1049l', '\x1b[?1049h', '\x1b[?47h', '\x1b[?47l']);

describe('T09: a snapshot on a fresh terminal gives the same screen', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    it(`random output, seed ${seed}`, () => {
      const random = seededRandom(seed);
      const engine = createScreen({ cols: 20 + random.below(80), rows: 5 + random.below(30) });
      feed(engine, tortureStream(random, 50 + random.below(300)));
      expect(inspectEngine(redraw(engine), false)).toEqual(inspectEngine(engine, false));
      // And it goes on alike.
      if (hasHiddenState(engine)) return;
      const later = Array.from({ length: 30 }, () => tortureStep(random))
        .filter((step) => !UNTOLD.has(step))
        .join('');
      const copy = redraw(engine);
      feed(copy, later);
      feed(engine, later);
      expect(inspectEngine(copy, false)).toEqual(inspectEngine(engine, false));
    });
  }
});

describe('T09: single traits', () => {
  const cases: Record<string, string> = {
    'pending wrap': 'x'.repeat(20),
    'pending wrap in another style': `\x1b[31m${'x'.repeat(20)}\x1b[1;32m`,
    'pending wrap of a wide character': `${'x'.repeat(18)}中`,
    'wide character wrapped at the margin': `${'x'.repeat(19)}中文`,
    'alternate screen over text': 'below\r\n\x1b[31mred\x1b7\x1b[?1049h\x1b[2;3Halt',
    'alternate screen entered without saving': 'below\x1b[?47h\x1b[5;5Halt\x1b7',
    'paste, mouse, focus, keys': '\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?1h\x1b=',
    'hidden bar cursor': '\x1b[?25l\x1b[5 q',
    'region and origin': 'a\x1b[2;4r\x1b[?6h\x1b[2;3Hb',
    'line drawing': '\x1b(0qqq',
    'shifted charset': '\x1b)0\x0eqq',
    'tab stops': '\x1b[3g\x1b[1;5H\x1bH\x1b[1;9H\x1bH',
    'coloured ground': '\x1b[44m\x1b[2J\x1b[3;3Hx\x1b[K',
    'curly coloured underline': '\x1b[4:3;58:2::10:20:30mwavy\x1b[0m',
    link: '\x1b]8;id=a;https://example.com/a\x07text\x1b]8;;\x07 plain',
    'open link': '\x1b]8;;https://example.com/b\x07text',
    'protected cells': '\x1b[1"qkeep\x1b[0"qgo',
    'bold after dim': '\x1b[2mdim\x1b[22;1mbold',
    'combining marks': 'e\u0301\u0323 n\u0303',
    'wrap off': `\x1b[?7l${'y'.repeat(30)}`,
    'insert mode': 'abc\x1b[4h\x1b[1;2H',
    'newline mode': 'abc\x1b[20h',
    'saved cursor': '\x1b[3;4H\x1b[35m\x1b7\x1b[H\x1b[0m',
    keyboard: '\x1b[>1u\x1b[>5u\x1b[>4;2m',
    title: '\x1b]2;a title\x07\x1b]7;file:///tmp\x07',
    colours: '\x1b]4;1;rgb:aa/bb/cc\x07\x1b]11;#000000\x07',
    'empty wrapped row': `${'z'.repeat(25)}\x1b[2;1H\x1b[5X`,
  };
  for (const [name, output] of Object.entries(cases)) {
    it(name, () => {
      const engine = createScreen({ cols: 20, rows: 6 });
      feed(engine, output);
      expect(inspectEngine(redraw(engine), false)).toEqual(inspectEngine(engine, false));
    });
  }

  it('T09: leaving the alternate screen after a snapshot brings the normal one back', () => {
    const engine = createScreen({ cols: 20, rows: 6 });
    feed(engine, 'first\r\nsecond\x1b[?1049h\x1b[Hinside');
    const copy = redraw(engine, Buffer.from('\x1b[?1049l!'));
    feed(engine, '\x1b[?1049l!');
    expect(copy.text()).toEqual(['first', 'second!', '', '', '', '']);
    expect(inspectEngine(copy, false)).toEqual(inspectEngine(engine, false));
  });

  it('a combining mark after a snapshot joins the last character', () => {
    const engine = createScreen({ cols: 20, rows: 6 });
    feed(engine, '\x1b[1mcafe');
    const copy = redraw(engine, Buffer.from('\u0301s'));
    expect(copy.text()[0]).toBe('cafe\u0301s');
  });

  it('the offset is the start of a sequence that is not finished', () => {
    const engine = createScreen({ cols: 20, rows: 6 });
    feed(engine, 'ab\x1b]2;half a ti');
    expect(engine.parsedOffset).toBe(15);
    expect(engine.snapshot().offset).toBe(2);
    const copy = redraw(engine, Buffer.from('\x1b]2;half a title\x07c'));
    expect([copy.title, copy.text()[0]]).toEqual(['half a title', 'abc']);
  });

  it('inside a very long string the snapshot says so and swallows the rest', () => {
    for (const [opening, closing] of [
      ['\x1b]1337;File=:', '\x07'],
      ['\x1bPq', '\x1b\\'],
      ['\x1b_G', '\x1b\\'],
    ]) {
      const engine = createScreen({ cols: 20, rows: 6 });
      feed(engine, `ab${opening}${'A'.repeat(20_000)}`);
      const snapshot = engine.snapshot();
      expect(snapshot.offset).toBe(engine.parsedOffset);
      const copy = redraw(engine, Buffer.from(`${'A'.repeat(500)}${closing}c`));
      expect(copy.text()[0]).toBe('abc');
    }
  });
});

describe('a snapshot has at most 64 KiB and no queries', () => {
  const full = (cols: number, rows: number, cell: (row: number, column: number) => string): ScreenEngine => {
    const engine = createScreen({ cols, rows });
    for (let row = 0; row < rows; row++) {
      let line = `\x1b[${row + 1};1H`;
      for (let column = 0; column < cols; column++) line += cell(row, column);
      feed(engine, line);
    }
    return engine;
  };
  const rgb = (row: number, column: number): string =>
    `\x1b[38;2;${row % 256};${column % 256};9;48;2;3;${row % 256};1m`;

  it('200x60 in true colour keeps the text', () => {
    const engine = full(200, 60, (row, column) => `${rgb(row, column)}${'abcdef'[(row + column) % 6]}`);
    const { data } = engine.snapshot();
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(LIMITS.snapshot);
    const copy = redraw(engine);
    expect(copy.text()).toEqual(engine.text());
    expect(copy.cursor()).toEqual(engine.cursor());
  });

  it('500x500 of dense text in true colour keeps the rows around the cursor', () => {
    const engine = full(
      500,
      500,
      (row, column) => `${column % 5 === 0 ? rgb(row, column) : ''}${'abcdef'[(row * 7 + column * 3) % 6]}`,
    );
    feed(engine, '\x1b[400;1H\x1b[0m');
    const started = engine.snapshot();
    expect(Buffer.byteLength(started.data)).toBeLessThanOrEqual(LIMITS.snapshot);
    const copy = redraw(engine);
    // Read once: half a million cells each time.
    const rows = engine.text();
    expect(copy.text().slice(370, 430)).toEqual(rows.slice(370, 430));
    for (const [row, text] of copy.text().entries()) expect([rows[row], '']).toContain(text);
    expect(copy.cursor()).toEqual(engine.cursor());
  }, 60_000);

  it('both buffers full of wide characters', () => {
    const engine = full(160, 90, () => '漢');
    feed(engine, '\x1b[?1049h');
    for (let row = 0; row < 90; row++) feed(engine, `\x1b[${row + 1};1H${'字'.repeat(80)}`);
    expect(Buffer.byteLength(engine.snapshot().data)).toBeLessThanOrEqual(LIMITS.snapshot);
    expect(redraw(engine).text()).toEqual(engine.text());
  });

  it('whatever the size and the output', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seededRandom(seed);
      const engine = createScreen({ cols: 2 + random.below(498), rows: 1 + random.below(499) });
      feed(engine, seed % 2 === 0 ? ansiStream(random, 800) : plainStream(random, 800));
      expect(Buffer.byteLength(engine.snapshot().data)).toBeLessThanOrEqual(LIMITS.snapshot);
      const replies: string[] = [];
      const copy = createScreen({ cols: engine.cols, rows: engine.rows });
      copy.onAnswer((answer) => replies.push(answer.data));
      feed(copy, engine.snapshot().data);
      expect(replies).toEqual([]);
      expect(copy.lastQueryOffset).toBe(0);
    }
  });
});
