import { describe, expect, it } from 'vitest';
import type { LogLine, LogOutput } from '../../src/contract/index.ts';
import { type LogSource, readLogPages } from './log-pages.ts';

const line = (text: string): LogLine => ({ spans: [{ text }] });

/** A log that gives at most `most` lines an answer, keeps the lines from `oldest` on and grows by `growth` with each. */
function fakeLog(total: number, { most, oldest = 0, growth = 0 }: { most: number; oldest?: number; growth?: number }) {
  let size = total;
  const asked: number[] = [];
  const source: LogSource = {
    sessions: {
      logOutput: async (_id, { offset = 0, limit = 1 } = {}): Promise<LogOutput> => {
        asked.push(offset);
        const from = Math.max(offset, oldest);
        const count = Math.max(0, Math.min(limit, most, size - from));
        const answer = {
          lines: Array.from({ length: count }, (_, index) => line(String(from + index))),
          total_lines: size,
          offset: from,
          screen: [line(`screen at ${size}`)],
        };
        size += growth;
        return answer;
      },
    },
  };
  return { source, asked };
}

const texts = (lines: readonly LogLine[]) => lines.map(({ spans }) => Number(spans[0]?.text));

describe('T07: a log in several answers', () => {
  it('goes on where an answer stopped, with the screen of the last', async () => {
    const { source, asked } = fakeLog(250, { most: 100 });
    const { lines, screen } = await readLogPages(source, 'a', { from: 0 });
    expect(texts(lines)).toEqual(Array.from({ length: 250 }, (_, index) => index));
    expect(asked).toEqual([0, 100, 200]);
    expect(screen).toEqual([line('screen at 250')]);
  });

  it('ends where it was told to, and skips what is gone', async () => {
    const { source } = fakeLog(250, { most: 40, oldest: 50 });
    expect(texts((await readLogPages(source, 'a', { from: 10, end: 130 })).lines)).toEqual(
      Array.from({ length: 80 }, (_, index) => 50 + index),
    );
    expect((await readLogPages(source, 'a', { from: 0, end: 0 })).lines).toEqual([]);
  });

  it('follows a log that grows while it is read, and ends', async () => {
    const { source } = fakeLog(100, { most: 50, growth: 10 });
    const { lines, screen } = await readLogPages(source, 'a', { from: 0 });
    expect(texts(lines)).toEqual(Array.from({ length: lines.length }, (_, index) => index));
    expect(screen).toEqual([line(`screen at ${lines.length}`)]);
  });
});
