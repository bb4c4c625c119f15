import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InputEvent, InputLineBuffer } from './input-line-buffer.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function feed(buffer: InputLineBuffer, ...writes: string[]): InputEvent[] {
  return writes.flatMap((write) => buffer.feed(bytes(write)));
}

function typed(...writes: string[]): string {
  const buffer = new InputLineBuffer();
  feed(buffer, ...writes);
  return buffer.content;
}

describe('BUF-1: what stands in the line', () => {
  const table: [what: string, writes: string[], content: string][] = [
    ['text', ['go on'], 'go on'],
    ['backspace, over a character of two units', ['a😀', '\x7f'], 'a'],
    ['backspace on nothing', ['\x7f\b'], ''],
    ['Ctrl-A, Ctrl-D', ['abc\x01\x04'], 'bc'],
    ['Ctrl-B, Ctrl-K', ['abc\x02\x0b'], 'ab'],
    ['Ctrl-A, Ctrl-F, Ctrl-K', ['abc\x01\x06\x0b'], 'a'],
    ['Ctrl-E', ['abc\x01\x05d'], 'abcd'],
    ['Ctrl-U only to the start of its line', ['one\ntwo\x15'], 'one\n'],
    ['Ctrl-U keeps what is behind', ['abc\x02\x15'], 'c'],
    ['Ctrl-W goes back to a blank', ['one two-three \x17'], 'one '],
    ['Ctrl-T', ['abc\x14'], 'acb'],
    ['Alt-backspace goes back by a word', ['one two-three\x1b\x7f'], 'one two-'],
    ['Alt-b, Alt-d', ['one two\x1bb\x1bd'], 'one '],
    ['Alt-f', ['one two\x01\x1bf!'], 'one! two'],
    ['arrows, in both modes', ['ac\x1b[Db\x1bOCd'], 'abcd'],
    ['Ctrl and Alt with arrows', ['one two\x1b[1;5D-\x1b[1;3D+'], '+one -two'],
    ['Home, End, Delete', ['abc\x1b[H\x1b[3~\x1b[Fd'], 'bcd'],
    ['Shift-Enter', ['a\x1b[13;2ub\x1b\rc\nd'], 'a\nb\nc\nd'],
    ['Up, Down, Tab', ['a\x1b[A\x1b[B\t'], 'a'],
    ['keys with their codes', ['a\x1b[98u\x1b[127u\x1b[99;1:3u'], 'a'],
    ['what a terminal answers', ['\x1b[?62;22c\x1bP>|name\x1b\\\x1b]11;rgb:0/0/0\x07\x1b[I\x1b[<0;1;1M\x1b[M !!'], ''],
    ['a paste with Enters', ['\x1b[200~one\r\ntwo\x1b[201~'], 'one\ntwo'],
    ['a paste in pieces', ['\x1b[20', '0~one\r', 'two\x1b', '[201', '~!'], 'one\ntwo!'],
    ['a sequence in pieces', ['a', '\x1b', '[', 'D', 'b'], 'ba'],
    ['an Escape and then text', ['a', '\x1b', 'x'], 'ax'],
  ];
  it.each(table)('%s', (_what, writes, content) => {
    expect(typed(...writes)).toBe(content);
  });

  it('a character may come in pieces', () => {
    const buffer = new InputLineBuffer();
    for (const byte of bytes('ä😀')) buffer.feed(Uint8Array.of(byte));
    expect(buffer.content).toBe('ä😀');
  });

  it('Enter submits, Ctrl-C interrupts, Escape is told', () => {
    const buffer = new InputLineBuffer();
    expect(feed(buffer, 'go on', '\r')).toEqual([{ type: 'submitted', text: 'go on' }]);
    expect(feed(buffer, 'x\x1b[13u')).toEqual([{ type: 'submitted', text: 'x' }]);
    expect(feed(buffer, 'half', '\x03')).toEqual([{ type: 'interrupt' }]);
    expect(buffer.content).toBe('');
    expect(feed(buffer, '\x1b')).toEqual([{ type: 'escape' }]);
    expect(feed(buffer, '\x1b[200~a\rb\x1b[201~')).toEqual([]);
    expect(feed(buffer, '\r')).toEqual([{ type: 'submitted', text: 'a\nb' }]);
  });

  it('what may still become a sequence counts as content', () => {
    expect(typed('\x1b', '[')).not.toBe('');
    expect(typed('\x1b', '[', 'A')).toBe('');
  });

  it('what was too much to keep counts until it is deleted', () => {
    const buffer = new InputLineBuffer();
    feed(buffer, 'x'.repeat(40_000));
    expect(buffer.content.length).toBeLessThan(20_000);
    feed(buffer, '\x15');
    expect(buffer.content).not.toBe('');
    feed(buffer, '\x03');
    expect(buffer.content).toBe('');
  });
});

describe('BUF-2: commands', () => {
  it('begin with a slash and end when they are sent or dismissed', () => {
    const buffer = new InputLineBuffer();
    feed(buffer, '/');
    expect(buffer.isSlashMode).toBe(true);
    feed(buffer, 'help\r');
    expect(buffer.isSlashMode).toBe(false);
    feed(buffer, '/he', '\x1b');
    expect(buffer.isSlashMode).toBe(false);
    feed(buffer, '\x03', 'a/b');
    expect(buffer.isSlashMode).toBe(false);
    feed(buffer, '\x03', '\x1b[200~/pasted\x1b[201~');
    expect(buffer.isSlashMode).toBe(true);
  });
});

it('BUF-1: never throws, whatever comes, and an Enter outside of a paste leaves nothing', () => {
  const piece = fc.constantFrom(
    '\x1b',
    '[',
    'O',
    '200~',
    '\x1b[201~',
    '\r',
    '\x7f',
    '\x17',
    '\x1bb',
    'ä',
    '😀',
    '1;5D',
    'P',
    '\x14',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 30 }), (writes) => {
      const buffer = new InputLineBuffer();
      feed(buffer, ...writes);
      feed(buffer, '\x1b[201~', '\x03', '\r');
      expect(buffer.content).toBe('');
    }),
    { numRuns: 200 },
  );
});

it('BUF-1: how the writes are cut does not matter', () => {
  const whole = 'one\x1b[D\x1b[200~two\r\x1b[201~ä\x1b[1;5D3\x7f😀';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), (cuts) => {
      const buffer = new InputLineBuffer();
      let rest = bytes(whole);
      for (const cut of cuts) {
        buffer.feed(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      buffer.feed(rest);
      expect(buffer.content).toBe(typed(whole));
    }),
    { numRuns: 100 },
  );
});
