import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../src/contract/index.ts';
import { composeScreen, renderLine } from './history.ts';

function play(cols: number, rows: number, ...texts: string[]) {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 1_000, allowProposedApi: true });
  return new Promise<typeof terminal>((resolve) => {
    for (const text of texts) terminal.write(text);
    terminal.write('', () => resolve(terminal));
  });
}

function rowsOf(terminal: Awaited<ReturnType<typeof play>>): string[] {
  const { normal } = terminal.buffer;
  return Array.from({ length: normal.length }, (_, index) => normal.getLine(index)?.translateToString(true) ?? '');
}

const plain = (text: string): LogLine => ({ spans: [{ text }] });

describe('log lines as terminal text', () => {
  it('keeps colours and styles, and ends them', () => {
    const line: LogLine = {
      spans: [
        { text: 'a' },
        { text: 'b', fg: { idx: 1 }, bold: true },
        { text: 'c', bg: { rgb: [1, 2, 3] }, italic: true, underline: true },
        { text: 'd' },
        { text: 'e', fg: { rgb: [9, 8, 7] }, bg: { idx: 200 } },
      ],
    };
    expect(renderLine(line)).toBe(
      'a\x1b[0;1;38;5;1mb\x1b[0;3;4;48;2;1;2;3mc\x1b[0md\x1b[0;38;2;9;8;7;48;5;200me\x1b[0m',
    );
  });

  it('lets no control character of the log act', () => {
    expect(renderLine(plain('a\x1b]52;c;eA==\x07b\x9b31mc\r\nd'))).toBe('a]52;c;eA==b31mcd');
  });
});

describe('history above a screen', () => {
  it('replaces what was there, and the screen begins behind the last history line', async () => {
    const terminal = await play(
      20,
      4,
      'old\r\n\x1b[31mold\x1b[?1049hold',
      composeScreen([plain('one'), plain('two')], '\x1b[2;3Hscreen', 4),
    );
    expect(rowsOf(terminal)).toEqual(['one', 'two', '', '  screen', '', '']);
    expect(terminal.buffer.normal.baseY).toBe(2);
    expect(terminal.buffer.active.type).toBe('normal');
  });

  it('without history only resets', async () => {
    const terminal = await play(20, 3, 'old', composeScreen([], 'new', 3));
    expect(rowsOf(terminal)).toEqual(['new', '', '']);
  });

  it('puts any number of lines of any length above the screen, none twice, none missing', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '漢', ' '), maxLength: 30 }).map((raw) => `${raw}|`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 2, max: 12 }),
        async (lines, rows, cols) => {
          const terminal = await play(cols, rows, 'x', composeScreen(lines.map(plain), '\x1b[HS', rows));
          const { normal } = terminal.buffer;
          const logical: string[] = [];
          for (let index = 0; index < normal.baseY; index++) {
            const row = normal.getLine(index);
            if (row === undefined) throw new Error('a row is missing');
            // A wide letter that does not fit leaves a blank cell at the margin.
            const part = row.translateToString(true);
            if (row.isWrapped) logical.push(`${logical.pop() ?? ''}${part}`);
            else logical.push(part);
          }
          const squeeze = (line: string) => line.replaceAll(' ', '');
          expect(logical.map(squeeze)).toEqual(lines.map(squeeze));
          expect(normal.getLine(normal.baseY)?.translateToString(true)).toBe('S');
        },
      ),
      { numRuns: 100 },
    );
  });
});
