/** The small parts of a stream: letters, replies, shells, sizes, the log's windows, the parser's turns. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLogWindow } from './log-window.ts';
import { OutputTail } from './output-tail.ts';
import { createParseScheduler } from './parse-scheduler.ts';
import { withoutReplies } from './reply-filter.ts';
import type { LogReader } from './screen/model.ts';
import { isShell, shellFamilyOf } from './shell.ts';
import { continuationLength, danglingLength, decodeUtf8 } from './utf8.ts';

describe('utf8', () => {
  it('T03: any text, cut anywhere, comes whole when dangling bytes wait for the next piece', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(40)), (text, cuts) => {
        const whole = new Uint8Array(Buffer.from(text));
        const expected = Buffer.from(whole).toString();
        let carried = new Uint8Array(0);
        let result = '';
        let at = 0;
        for (const cut of [...cuts, whole.length]) {
          const piece = Buffer.concat([carried, whole.subarray(at, at + cut)]);
          at = Math.min(whole.length, at + cut);
          const dangling = danglingLength(piece);
          result += decodeUtf8(piece.subarray(0, piece.length - dangling));
          carried = new Uint8Array(piece.subarray(piece.length - dangling));
        }
        expect(carried.length).toBe(0);
        expect(result).toBe(expected);
      }),
    );
  });

  it('does not wait for what no rest can mend', () => {
    expect(danglingLength(Uint8Array.of(0x80, 0xbf))).toBe(0);
    expect(danglingLength(Uint8Array.of(0xff))).toBe(0);
    expect(danglingLength(Uint8Array.of(0xc0))).toBe(0);
    expect(danglingLength(Uint8Array.of(0xf0, 0x9f, 0x98))).toBe(3);
    expect(continuationLength(Uint8Array.of(0x89, 0xa4, 0x41))).toBe(2);
    expect(continuationLength(Uint8Array.of(0x80, 0x80, 0x80, 0x80))).toBe(3);
  });
});

describe('replies (D10)', () => {
  const kept = (text: string) => Buffer.from(withoutReplies(Buffer.from(text, 'latin1'))).toString('latin1');

  it.each([
    '\x1b[?1;2c',
    '\x1b[>0;276;0c',
    '\x1b[12;40R',
    '\x1b[?12;40R',
    '\x1b[0n',
    '\x1b[?2026;2$y',
    '\x1b[?0u',
    '\x1b[8;24;80t',
    '\x1bP>|xterm(390)\x1b\\',
    '\x1bP1$r0m\x1b\\',
    '\x1b]10;rgb:ffff/ffff/ffff\x1b\\',
    '\x1b]11;rgb:0000/0000/0000\x07',
    '\x1b]4;1;rgb:cd/00/00\x07',
  ])('%j is a reply', (reply) => {
    expect(kept(reply)).toBe('');
    expect(kept(`a${reply}b`)).toBe('ab');
  });

  it.each([
    '\x1b[A',
    '\x1bOP',
    '\x1b[1;5C',
    '\x1b[3~',
    '\x1b[200~text\x1b[201~',
    '\x1b[M !!',
    '\x1b[<0;5;5M',
    'ls\r',
    '\x03',
    '\x1b',
  ])('%j is none', (keys) => {
    expect(kept(keys)).toBe(keys);
  });
});

describe('shells', () => {
  it('families go by the base name, whatever the case and the ending', () => {
    expect(shellFamilyOf('/usr/bin/Bash')).toBe('posix');
    expect(shellFamilyOf('C:\\Windows\\System32\\CMD.EXE')).toBe('windows-native');
    expect(shellFamilyOf('pwsh')).toBe('windows-native');
    expect(shellFamilyOf('/usr/bin/htop')).toBe('unknown');
    expect([isShell('fish'), isShell('vim')]).toEqual([true, false]);
  });
});

describe('readLogWindow', () => {
  const reader = (total: number, oldest = 0, clearedAt = 0, length = 10): LogReader => ({
    total,
    oldest,
    clearedAt,
    read: (offset, limit) => {
      const start = Math.max(offset, oldest);
      const count = Math.max(0, Math.min(limit, total - start));
      const lines = Array.from({ length: count }, (_, index) => ({
        spans: [{ text: `${start + index}`.padEnd(length) }],
      }));
      return { offset: start, lines };
    },
  });
  const first = (result: { lines: { spans: { text: string }[] }[] }) => Number(result.lines[0]?.spans[0]?.text);

  it('gives the newest lines, or those from a cursor on', () => {
    const newest = readLogWindow(reader(1_000), { offset: undefined, limit: 100, most: 1e6 });
    expect([newest.offset, newest.lines.length, first(newest)]).toEqual([900, 100, 900]);
    const from = readLogWindow(reader(1_000), { offset: 250, limit: 100, most: 1e6 });
    expect([from.offset, from.lines.length, first(from)]).toEqual([250, 100, 250]);
    expect(readLogWindow(reader(5), { offset: 99, limit: 9, most: 1e6 })).toEqual({ offset: 5, lines: [] });
  });

  it('T07: the bound on bytes comes before the bound on lines, at the right end', () => {
    const newest = readLogWindow(reader(1_000, 0, 0, 998), { offset: undefined, limit: 1_000, most: 10_000 });
    expect([newest.offset, newest.lines.length, first(newest)]).toEqual([990, 10, 990]);
    const from = readLogWindow(reader(1_000, 0, 0, 998), { offset: 3, limit: 1_000, most: 10_000 });
    expect([from.offset, from.lines.length]).toEqual([3, 10]);
    const huge = readLogWindow(reader(3, 0, 0, 5_000_000), { offset: 1, limit: 10, most: 1_000 });
    expect([huge.offset, huge.lines.length]).toEqual([1, 1]);
  });

  it('says what a cursor missed, and why', () => {
    expect(readLogWindow(reader(100, 40), { offset: 10, limit: 5, most: 1e6 }).gap).toEqual({
      from: 10,
      to: 40,
      reason: 'evicted',
    });
    expect(readLogWindow(reader(100, 40, 60), { offset: 10, limit: 5, most: 1e6 }).gap).toEqual({
      from: 10,
      to: 60,
      reason: 'cleared by program',
    });
    expect(readLogWindow(reader(100, 40, 60), { offset: undefined, limit: 99, most: 1e6 }).offset).toBe(60);
    expect(readLogWindow(reader(100, 40), { offset: 40, limit: 5, most: 1e6 }).gap).toBeUndefined();
  });
});

describe('OutputTail', () => {
  it('keeps nothing while nobody watches, and at most 1 MiB after', () => {
    const tail = new OutputTail(5, { rows: 24, cols: 80 });
    tail.append(Buffer.alloc(10));
    expect([tail.start, tail.shown]).toEqual([15, 15]);
    tail.open();
    tail.append(Buffer.from('abc'));
    expect(Buffer.from(tail.slice(15, 18)).toString()).toBe('abc');
    expect(() => tail.slice(14, 18)).toThrow();
    tail.append(Buffer.alloc(2 ** 20));
    expect(tail.start).toBe(18);
    tail.close();
    expect(tail.start).toBe(tail.shown);
  });

  it('knows the size at every offset', () => {
    const tail = new OutputTail(0, { rows: 24, cols: 80 });
    tail.markSize({ offset: 10, rows: 30, cols: 100 });
    tail.markSize({ offset: 10, rows: 31, cols: 101 });
    expect(tail.sizeAt(9).cols).toBe(80);
    expect(tail.sizeAt(10).cols).toBe(101);
    expect(tail.sizeAfter(tail.sizeAt(0))?.cols).toBe(100);
    for (let mark = 0; mark < 1_000; mark++) tail.markSize({ offset: 20 + mark, rows: 1, cols: 1 + (mark % 500) });
    expect(tail.sizeAt(0).offset).toBeGreaterThan(20);
  });
});

describe('parse scheduler (P7)', () => {
  it('shares turns of 2 ms: one with endless work delays nobody', () => {
    let now = 0;
    const turns: (() => void)[] = [];
    const scheduler = createParseScheduler(
      () => now,
      (turn) => {
        turns.push(turn);
      },
    );
    const order: string[] = [];
    const endless = (name: string) => ({
      parseTurn: (milliseconds: number) => {
        order.push(name);
        now += milliseconds;
        return true;
      },
    });
    const short = (name: string) => ({
      parseTurn: () => {
        order.push(name);
        now += 0.1;
        return false;
      },
    });
    const gone = short('gone');
    for (const job of [endless('flood'), short('a'), endless('second'), gone, short('b')]) scheduler.request(job);
    scheduler.cancel(gone);
    const turn = () => {
      const before = now;
      turns.shift()?.();
      expect(now - before).toBeLessThanOrEqual(2.5);
    };
    for (let count = 0; count < 5; count++) turn();
    expect(order.slice(0, 5)).toEqual(['flood', 'a', 'second', 'b', 'flood']);
    expect(order).not.toContain('gone');
    expect(turns).toHaveLength(1);
  });

  it('goes on after a job that failed', () => {
    const turns: (() => void)[] = [];
    const scheduler = createParseScheduler(
      () => 0,
      (turn) => {
        turns.push(turn);
      },
    );
    let ran = 0;
    scheduler.request({
      parseTurn: () => {
        throw new Error('broken');
      },
    });
    scheduler.request({
      parseTurn: () => {
        ran++;
        return false;
      },
    });
    expect(() => turns.shift()?.()).toThrow('broken');
    turns.shift()?.();
    expect(ran).toBe(1);
    expect(turns).toEqual([]);
  });
});
