import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { BG_EXTENDED, COMBINED, EMPTY_CONTENT, FG_BOLD } from './cells.ts';
import { XTERM_VERSION, XtermAdapter } from './xterm-adapter.ts';

const require = createRequire(import.meta.url);

it('pin: the inside of the library is known for this version only', () => {
  const own = require('../../../../package.json') as { dependencies: Record<string, string> };
  expect(own.dependencies['@xterm/headless']).toBe(XTERM_VERSION);
  expect((require('@xterm/headless/package.json') as { version: string }).version).toBe(XTERM_VERSION);
});

it('pin: every member that the adapter uses behaves as it expects', () => {
  let scrolled = 0;
  let trimmed = 0;
  let clearing = 0;
  const adapter = new XtermAdapter(10, 3, 2, {
    scrolled: (trims) => {
      scrolled++;
      if (trims) trimmed++;
    },
    clearing: () => clearing++,
    passing: () => false,
  });
  const write = (text: string): void => adapter.write(Buffer.from(text));
  write('\x1b[1;31mA\x1b[0mn\u0303\x1b[4:3mw\x1b[0m中\r\n\r\n\r\n');
  const row = adapter.rowAt('normal', 0);
  expect([...row.words.subarray(0, 3)]).toEqual([(1 << 22) | 65, (FG_BOLD | 0x1000001) >>> 0, 0]);
  expect((row.words[3] ?? 0) & COMBINED).toBe(COMBINED);
  expect(row.combined(1)).toBe('n\u0303');
  expect((row.words[8] ?? 0) & BG_EXTENDED).toBe(BG_EXTENDED);
  expect(row.extended(2)).toBe(3 << 26);
  expect([...[9, 12, 15].map((at) => row.words[at])]).toEqual([((2 << 22) | 0x4e2d) >>> 0, 0, EMPTY_CONTENT]);
  expect([scrolled, trimmed, adapter.scrollbackRows, adapter.isFull]).toEqual([1, 0, 1, false]);
  write('\r\n\r\n');
  expect([scrolled, trimmed, adapter.scrollbackRows, adapter.isFull]).toEqual([3, 1, 2, true]);
  write('\x1b[3J');
  expect([clearing, adapter.scrollbackRows]).toEqual([1, 0]);
  write('\x1bc\x1b[6n');
  expect(clearing).toBe(2);
  expect(adapter.takeReply()).toBe('\x1b[1;1R');
  write('\x1b(0\x1b)A\x0e\x1b[?1049h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b[5 q\x1b[4h\x1b[2;3r\x1b[?6h\x1b7');
  const state = adapter.state();
  expect(state).toMatchObject({
    alternate: true,
    charsets: ['0', 'A', 'B', 'B'],
    glevel: 1,
    charset: 'A',
    mouseProtocol: 'DRAG',
    mouseEncoding: 'SGR',
    cursorHidden: true,
    insert: true,
  });
  expect(state.modes).toMatchObject({ origin: true, cursorStyle: 'bar', cursorBlink: true, wraparound: true });
  expect(state.buffers.alternate).toMatchObject({
    x: 0,
    y: 1,
    top: 1,
    bottom: 2,
    savedY: 1,
    savedCharset: 'A',
    tabs: [0, 8],
  });
  adapter.resize(12, 4, 50);
  expect(adapter.trimTop(2)).toBe(0);
  expect([adapter.cols, adapter.rows, adapter.measure(0x4e2d), adapter.measure(0x301)]).toEqual([12, 4, 2, 0]);
  adapter.dispose();
});
