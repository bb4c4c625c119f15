import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScreen, type ScreenSignal, type TerminalAnswer } from './index.ts';
import type { Query } from './queries.ts';
import { HOLD_MAX, SequenceFilter, SLICE_BYTES, SLICE_COST } from './sequence-filter.ts';
import { randomChunks, seededRandom, tortureStream } from './testing/streams.ts';

interface Seen {
  output: Buffer;
  events: string[];
  queries: Query[];
}

function filterAll(chunks: (string | Uint8Array)[]): Seen {
  const events: string[] = [];
  const queries: Query[] = [];
  const filter = new SequenceFilter(0, 80, 24, {
    bell: (offset) => events.push(`bell ${offset}`),
    control: ({ prefix, params, intermediates, final }, offset) =>
      events.push(`${prefix}${params.join(';')}${intermediates}${final} ${offset}`),
    reset: (offset) => events.push(`reset ${offset}`),
    command: (code, data, offset) => events.push(`command ${code} ${data} ${offset}`),
    query: (query) => queries.push(query),
  });
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const chunk of chunks) {
    const filtered = filter.push(new Uint8Array(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    expect(filtered.offset).toBe(end);
    end += filtered.bytes.length;
    parts.push(filtered.bytes.slice());
    expect(filter.heldBytes).toBeLessThanOrEqual(HOLD_MAX + 3);
    let at = filtered.offset;
    for (const slice of filtered.slices) {
      expect(slice.end).toBeGreaterThan(at);
      expect(slice.end - at).toBeLessThanOrEqual(SLICE_BYTES + HOLD_MAX);
      at = slice.end;
    }
    expect(at).toBe(end);
  }
  parts.push(filter.flush().bytes.slice());
  return { output: Buffer.concat(parts), events, queries };
}

const text = (chunks: (string | Uint8Array)[]): string => filterAll(chunks).output.toString('latin1');

describe('parameters are clamped in place', () => {
  const cases: [given: string, wanted: string][] = [
    ['a\x1b[50000000b', 'a\x1b[00009999b'],
    ['\x1b[2147483647S', '\x1b[0000000500S'],
    ['\x1b[99999;99999H', '\x1b[09999;09999H'],
    ['\x1b[999;999H', '\x1b[999;999H'],
    ['\x1b[501L\x1b[500M', '\x1b[500L\x1b[500M'],
    ['\x1b[1\n2345678b', '\x1b[0\n0009999b'],
    ['\x1b[38:2::70000:1:2m', '\x1b[38:2::09999:1:2m'],
    ['\x1b[\x1b[123456b', '\x1b[\x1b[009999b'],
    ['\u009b123456b', '\xc2\x9b009999b'],
    ['\x1b]0;x\u009b123456b', '\x1b]0;x\xc2\x9b009999b'],
    ['\x1b[?99999h', '\x1b[?09999h'],
  ];
  for (const [given, wanted] of cases) {
    it(JSON.stringify(given), () => expect(text([given])).toBe(wanted));
  }

  it('wherever the sequence is cut', () => {
    const whole = Buffer.from('x\x1b[2147483647;70000Tyz\u009b70000bz');
    for (let cut = 1; cut < whole.length; cut++) {
      for (let second = cut; second < whole.length; second++) {
        const output = text([whole.subarray(0, cut), whole.subarray(cut, second), whole.subarray(second)]);
        expect(output).toBe('x\x1b[0000000500;00500Tyz\xc2\x9b09999bz');
      }
    }
  });

  it('invalid UTF-8 inside a sequence does not hide it from the filter', () => {
    for (const junk of ['\xe2', '\xf0\x9f', '\xc3', '\x9b', '\xff', '\xe0\x80\x80', '\xef\xbb\xbf', '\xc0\xaf']) {
      const bytes = Buffer.from(`a\x1b[${junk}99999999b`, 'latin1');
      expect(text([bytes])).toBe(`a\x1b[${junk}00009999b`);
    }
  });

  it('a CSI that is too long to hold becomes NULs up to its end', () => {
    const output = text(['a\x1b[', '1;'.repeat(200), '9999999', '99b', 'c']);
    expect(output.replaceAll('\0', '')).toBe('ac');
    expect(output.length).toBe(1 + 2 + 400 + 7 + 3 + 1);
  });
});

describe('T03: what is handed on never ends inside a character or a sequence', () => {
  it('holds back and goes on', () => {
    const filter = new SequenceFilter(0, 80, 24, {
      bell: () => undefined,
      control: () => undefined,
      reset: () => undefined,
      command: () => undefined,
      query: () => undefined,
    });
    const released = [0xe2, 0x89, 0xa4, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xf0, 0x9f, 0x98, 0x80].map(
      (byte) => filter.push(new Uint8Array([byte])).bytes.length,
    );
    expect(released).toEqual([0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 4]);
  });

  it('T03: a character split over three reads is one character on the screen, also with a byte 0x80 inside', () => {
    for (const character of ['≤', '—', '\u2580', '─', '𐀀', '😀']) {
      const screen = createScreen({ cols: 20, rows: 2 });
      for (const byte of Buffer.from(`a${character}b`)) {
        screen.ingest(screen.ingestedOffset, new Uint8Array([byte]));
        screen.parseAll();
      }
      expect(screen.text()[0]).toBe(`a${character}b`);
    }
  });

  it('T03: a dangling tail at the end shows as exactly one U+FFFD', () => {
    for (const tail of ['\xe2\x89', '\xe2', '\xf0\x9f\x98', '\xc2']) {
      const screen = createScreen({ cols: 20, rows: 2 });
      screen.ingest(0, Buffer.from(`ab${tail}`, 'latin1'));
      const rest = screen.finish();
      expect(screen.text()[0]).toBe('ab\ufffd');
      expect(Buffer.from(rest.bytes).toString('latin1')).toBe(tail);
      expect(rest.offset + rest.bytes.length).toBe(screen.ingestedOffset);
      expect(screen.parsedOffset).toBe(screen.ingestedOffset);
    }
    const screen = createScreen({ cols: 20, rows: 2 });
    screen.ingest(0, Buffer.from('ab\x1b[3'));
    screen.finish();
    expect(screen.text()[0]).toBe('ab');
  });
});

describe('chunks do not matter', () => {
  it('the same output, events and queries however the stream is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const random = seededRandom(seed);
        const noise = Array.from({ length: 40 }, () => String.fromCharCode(random.below(256))).join('');
        const stream = `${tortureStream(random, 60)}\x1b[6n\x1b]11;?\x07\x1bP$qm\x1b\\`;
        const bytes = Buffer.concat([Buffer.from(noise, 'latin1'), Buffer.from(stream)]);
        const whole = filterAll([bytes]);
        const parts = filterAll(randomChunks(random, bytes, 30));
        expect(parts.output.equals(whole.output)).toBe(true);
        expect(parts.events).toEqual(whole.events);
        expect(parts.queries).toEqual(whole.queries);
      }),
      { numRuns: 150 },
    );
  });
});

describe('signals', () => {
  const signals = (output: string): ScreenSignal[] => {
    const seen: ScreenSignal[] = [];
    const screen = createScreen({ cols: 20, rows: 4 });
    screen.onSignal((signal) => seen.push(signal));
    screen.ingest(0, Buffer.from(output));
    return seen;
  };

  it('are told before anything is parsed', () => {
    expect(signals('a\x07\x1b]0;t é\x07\x1b]9;note\x1b\\\x1b[?2004h\x1b[?1049h\x1b[?2026h')).toEqual([
      { kind: 'bell', offset: 2 },
      { kind: 'title', offset: 11, title: 't é' },
      { kind: 'osc', offset: 21, code: 9, data: 'note' },
      { kind: 'mode', offset: 29, mode: 2004, on: true },
      { kind: 'mode', offset: 37, mode: 1049, on: true },
      { kind: 'mode', offset: 45, mode: 2026, on: true },
    ]);
  });

  it('STM-52: commands over 4096 bytes are dropped, the BEL that ends a string is no bell', () => {
    expect(signals(`\x1b]7501;${'x'.repeat(4_200)}\x07\x1b]133;A\x07`)).toEqual([
      { kind: 'osc', offset: 4_216, code: 133, data: 'A' },
    ]);
  });

  it('a title is put away and brought back', () => {
    expect(
      signals('\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t').map((signal) => 'title' in signal && signal.title),
    ).toEqual(['one', 'two', 'one']);
  });

  it('a full reset leaves paste mode and the alternate screen', () => {
    const screen = createScreen({ cols: 20, rows: 4 });
    screen.ingest(0, Buffer.from('\x1b[?2004h\x1b[?1049h'));
    expect([screen.bracketedPaste, screen.alternateScreen]).toEqual([true, true]);
    screen.ingest(screen.ingestedOffset, Buffer.from('\x1bc'));
    expect([screen.bracketedPaste, screen.alternateScreen]).toEqual([false, false]);
  });
});

describe('T12: terminal queries are answered once, at the query', () => {
  const ask = (output: string, answerAfter = 0): TerminalAnswer[] => {
    const answers: TerminalAnswer[] = [];
    const screen = createScreen({ cols: 80, rows: 24, version: '1.2.3', answerAfter });
    screen.onAnswer((answer) => answers.push(answer));
    screen.ingest(0, Buffer.from(output));
    screen.parseAll();
    expect(screen.hasPendingQuery).toBe(false);
    return answers;
  };
  const answersTo = (output: string): string[] => ask(output).map((answer) => answer.data);

  const cases: [query: string, answer: string][] = [
    ['\x1b[c', '\x1b[?62;22c'],
    ['\x1b[0c', '\x1b[?62;22c'],
    ['\x1b[>c', '\x1b[>0;276;0c'],
    ['\x1b[=c', '\x1bP!|00000000\x1b\\'],
    ['\x1b[5n', '\x1b[0n'],
    ['ab\x1b[6n', '\x1b[1;3R'],
    ['\x1b[3;9H\x1b[?6n', '\x1b[?3;9R'],
    [`${'x'.repeat(80)}\x1b[6n`, '\x1b[1;80R'],
    ['\x1b[5;9r\x1b[?6h\x1b[2;2H\x1b[6n', '\x1b[2;2R'],
    ['\x1b[?996n', '\x1b[?997;1n'],
    ['\x1b[>q', '\x1bP>|tuicommander(1.2.3)\x1b\\'],
    ['\x1b[?2004$p', '\x1b[?2004;2$y'],
    ['\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
    ['\x1b[4$p', '\x1b[4;2$y'],
    ['\x1b[1;38;2;1;2;3m\x1bP$qm\x1b\\', '\x1bP1$r0;1;38;2;1;2;3m\x1b\\'],
    ['\x1b[3;7r\x1bP$qr\x1b\\', '\x1bP1$r3;7r\x1b\\'],
    ['\x1bP+q544e\x1b\\', '\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\'],
    ['\x1bP+q6b31;436f\x1b\\', '\x1bP0+r6b31\x1b\\\x1bP1+r436f=323536\x1b\\'],
    ['\x1b[18t', '\x1b[8;24;80t'],
    ['\x1b[19t', '\x1b[9;24;80t'],
    ['\x1b]10;?\x1b\\', '\x1b]10;rgb:d4d4/d4d4/d4d4\x1b\\'],
    ['\x1b]11;?\x07', '\x1b]11;rgb:1e1e/1e1e/1e1e\x07'],
    ['\x1b]10;?;?\x07', '\x1b]10;rgb:d4d4/d4d4/d4d4\x07\x1b]11;rgb:1e1e/1e1e/1e1e\x07'],
    ['\x1b]11;#fff\x07\x1b]11;?\x07', '\x1b]11;rgb:ffff/ffff/ffff\x07'],
    ['\x1b]4;1;?;16;?\x07', '\x1b]4;1;rgb:cdcd/3131/3131\x07\x1b]4;16;rgb:0000/0000/0000\x07'],
    ['\x1b]4;1;rgb:1/2/3\x07\x1b]4;1;?\x07', '\x1b]4;1;rgb:1111/2222/3333\x07'],
    ['\x1b]7501;?\x1b\\', '\x1b]7501;?\x1b\\'],
    ['\x1b]7501;?\x07', '\x1b]7501;?\x07'],
    ['\u009bc', '\x1b[?62;22c'],
  ];
  for (const [query, answer] of cases) {
    it(JSON.stringify(query), () => expect(answersTo(query)).toEqual([answer]));
  }

  it('what is left unanswered on purpose', () => {
    for (const query of [
      '\x1b[?u',
      '\x1b[14t',
      '\x1b[16t',
      '\x1b[21t',
      '\x1b]52;c;?\x07',
      '\x1b[?4m',
      '\x1b[x',
      '\x1b[?15n',
    ]) {
      expect(answersTo(query)).toEqual([]);
    }
  });

  it('each answer carries the offset just past its query, and the state at it', () => {
    expect(ask('a\x1b[6nbc\x1b[6n\r\n')).toEqual([
      { queryOffset: 5, data: '\x1b[1;2R' },
      { queryOffset: 11, data: '\x1b[1;4R' },
    ]);
  });

  it('nothing up to answerAfter is answered', () => {
    expect(ask('\x1b[6n\x1b[6n\x1b[5n', 8)).toEqual([{ queryOffset: 12, data: '\x1b[0n' }]);
  });

  it('STM-53: the program status answer goes before that to primary attributes, in either order', () => {
    expect(
      ask('\x1b]7501;?\x1b\\\x1b[c')
        .map(({ data }) => data)
        .join(''),
    ).toBe('\x1b]7501;?\x1b\\\x1b[?62;22c');
    expect(ask('\x1b[5n\x1b[c\x1b[6n\x1b]7501;?\x1b\\\x1b[5n')).toEqual([
      { queryOffset: 4, data: '\x1b[0n' },
      { queryOffset: 21, data: '\x1b]7501;?\x1b\\\x1b[?62;22c\x1b[1;1R' },
      { queryOffset: 25, data: '\x1b[0n' },
    ]);
  });

  it('the library answers nothing that the table does not know', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    const answers: TerminalAnswer[] = [];
    screen.onAnswer((answer) => answers.push(answer));
    const finals = Array.from({ length: 0x7f - 0x40 }, (_, index) => String.fromCharCode(0x40 + index));
    let queries = 0;
    for (const prefix of ['', '?', '>', '=', '<']) {
      for (const intermediate of ['', ' ', '!', '"', '$', "'", '*', '&', '+']) {
        for (const final of finals) {
          for (const parameter of ['', '0', '1', '5', '6', '18', '996']) {
            const before = answers.length;
            screen.ingest(screen.ingestedOffset, Buffer.from(`\x1b[${prefix}${parameter}${intermediate}${final}`));
            if (screen.hasPendingQuery) queries++;
            screen.parseAll();
            expect(answers.length - before).toBeLessThanOrEqual(1);
          }
        }
      }
    }
    expect(queries).toBe(answers.length);
  });
});

describe('T11: a replay carries no queries', () => {
  it('blanks them in place and leaves the rest', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    const replay = `a${'\x1b[6n'.repeat(20)}b\x1b[c\x1b]11;?\x07\x1bP+q544e\x1b\\\x1b[?u\x1b[14t\x1b]52;c;?\x07\x1b_Ga=q,i=1;\x1b\\c\x1b[31md\x1b[99999b`;
    const clean = Buffer.from(screen.cleanReplay(Buffer.from(replay)));
    expect(clean.length).toBe(replay.length);
    expect(clean.toString('latin1').replaceAll('\0', '')).toBe('abc\x1b[31md\x1b[09999b');
    const viewer = createScreen({ cols: 80, rows: 24 });
    viewer.ingest(0, clean);
    expect(viewer.lastQueryOffset).toBe(0);
  });

  it('does not touch the bytes it was given', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    const given = Buffer.from('\x1b[6n\x1b[99999b');
    screen.cleanReplay(given);
    expect(given.toString()).toBe('\x1b[6n\x1b[99999b');
  });
});

describe('slices', () => {
  it('end where the work adds up', () => {
    const filter = new SequenceFilter(0, 120, 40, {
      bell: () => undefined,
      control: () => undefined,
      reset: () => undefined,
      command: () => undefined,
      query: () => undefined,
    });
    const { slices } = filter.push(Buffer.from(`a${'\x1b[9999b'.repeat(2_000)}`));
    expect(slices.length).toBeGreaterThanOrEqual(Math.floor((2_000 * 9_999) / (SLICE_COST + 9_999)));
  });
});
