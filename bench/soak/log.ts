/** The log of a session as it is kept: its first line's number, its lines, and the screen behind them. */
import type { LogLine } from '../../src/contract/index.ts';
import type { Soak } from './soak.ts';

export interface KeptLog {
  first: number;
  lines: string[];
  screen: string[];
}

const PAGE = 4_000;

function textOf(line: LogLine): string {
  return line.spans.map((span) => span.text).join('');
}

export async function readLog(soak: Soak, id: string): Promise<KeptLog> {
  const lines: string[] = [];
  let first: number | undefined;
  for (let offset = 0; ; ) {
    const page = await soak.lives.ask(() => soak.api.logOutput(id, { offset, limit: PAGE }));
    first ??= page.offset;
    if (page.lines.length === 0) return { first, lines, screen: page.screen.map(textOf) };
    if (page.offset !== first + lines.length) throw new Error(`the log of ${id} jumps to line ${page.offset}`);
    for (const line of page.lines) lines.push(textOf(line));
    offset = first + lines.length;
  }
}
