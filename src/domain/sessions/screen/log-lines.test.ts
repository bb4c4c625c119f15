import { describe, expect, it } from 'vitest';
import { createScreen } from './index.ts';
import { feed } from './testing/inspect.ts';

describe('lines of styled text', () => {
  it('the same from the screen and from the log', () => {
    const engine = createScreen({ cols: 60, rows: 3 });
    const output = [
      'plain \x1b[1;31mbold red\x1b[0m end',
      '\x1b[3;4;38;5;200;48;2;1;2;3mall\x1b[0m',
      '\x1b[7minverse\x1b[0m \x1b[7;32mgreen\x1b[0m',
      '\x1b[4:3mwavy\x1b[0m \x1b]8;;https://example.com\x07link\x1b]8;;\x07',
      'a\x1b[10Gb中c\u0301 é',
      '\x1b[44m  blue  \x1b[0m',
      '',
      '\x1b[41m\x1b[Kx\x1b[0m',
    ];
    const expected = [
      [{ text: 'plain ' }, { text: 'bold red', fg: { idx: 1 }, bold: true }, { text: ' end' }],
      [{ text: 'all', fg: { idx: 200 }, bg: { rgb: [1, 2, 3] }, italic: true, underline: true }],
      [
        { text: 'inverse', fg: { idx: 0 }, bg: { idx: 7 } },
        { text: ' ' },
        { text: 'green', fg: { idx: 0 }, bg: { idx: 2 } },
      ],
      [{ text: 'wavy', underline: true }, { text: ' link' }],
      [{ text: 'a        b中c\u0301 é' }],
      [{ text: '  blue  ', bg: { idx: 4 } }],
      [],
      [{ text: `x${' '.repeat(59)}`, bg: { idx: 1 } }],
    ];
    const onScreen = output.map((line) => {
      const single = createScreen({ cols: 60, rows: 3 });
      feed(single, line);
      return single.screenLines()[0]?.spans;
    });
    expect(onScreen).toEqual(expected);
    feed(engine, `${output.join('\r\n')}\r\n\r\n\r\n`);
    expect(engine.log.read(0, 100).lines.map((line) => line.spans)).toEqual(expected);
  });

  it('wrapped rows are one line, with wide characters that did not fit', () => {
    const engine = createScreen({ cols: 5, rows: 2 });
    feed(engine, 'abcd中efgh\r\nx\r\n\r\n');
    expect(engine.log.read(0, 9).lines).toEqual([{ spans: [{ text: 'abcd中efgh' }] }, { spans: [{ text: 'x' }] }]);
  });

  it('P1: the oldest line that is told is the oldest that can be read, also before the newest were copied', () => {
    const engine = createScreen({ cols: 20, rows: 3, logLines: 100 });
    for (let number = 0; number < 180; number++) {
      feed(engine, `line ${number}\r\n`);
      // Each time asked anew: a question for the total would copy what left the screen.
      const { oldest } = engine.log;
      const [first] = engine.log.read(oldest, 1).lines;
      if (engine.log.total > 0) expect(first?.spans, `after line ${number}`).toEqual([{ text: `line ${oldest}` }]);
    }
    expect(engine.log.oldest).toBe(78);
  });

  it('text() and cursor()', () => {
    const engine = createScreen({ cols: 10, rows: 3 });
    feed(engine, 'one  \r\n\r\n中x');
    expect(engine.text()).toEqual(['one', '', '中x']);
    expect(engine.cursor()).toEqual({ row: 2, col: 3 });
  });
});
