/** Output for agents over the real screen engine, 80 by 24 (SES-6). */
import { describe, expect, it } from 'vitest';
import { createTerminalRig } from '../../../test/kit/terminal-rig.ts';
import type { LogOutput } from '../../contract/index.ts';
import { readOutput } from './output.ts';
import { readPlainOutput } from './plain-output.ts';
import { createScreen } from './screen/index.ts';

async function open(text: string) {
  const rig = await createTerminalRig({ createScreen });
  rig.program.print(Buffer.from(text));
  await rig.turns();
  await rig.terminal.parsed();
  const print = async (more: string) => {
    rig.program.print(Buffer.from(more));
    await rig.turns();
    await rig.terminal.parsed();
  };
  const read = (query: Partial<Parameters<typeof readPlainOutput>[1]> = {}) =>
    readPlainOutput(rig.terminal, { limit: 8_192, ...query });
  return { ...rig, print, read };
}

/** A line that fills `rows` rows, each with a letter of its own. */
const wrapped = (rows: number) =>
  Array.from({ length: rows }, (_, row) => String.fromCharCode(97 + row).repeat(80)).join('');
const below = (rows: number) => '\r\n'.repeat(rows);

describe('a wrapped line of which the first rows have scrolled off (P1)', () => {
  it('is given from its start, once, with and without a cursor', async () => {
    const { read, print, terminal, dispose } = await open(`first\r\n${wrapped(4)}${below(22)}prompt`);
    // Two rows of it are off the screen, two are on it.
    const { data, cursor } = read();
    expect(data.replaceAll('\n', '')).toBe(`first${wrapped(4)}prompt`);
    expect(cursor).toBe(1);
    const log = (await readOutput(terminal, { format: 'log' })) as LogOutput;
    const text = [...log.lines, ...log.screen].flatMap(({ spans }) => spans.map((span) => span.text));
    expect(text.join('')).toBe(`first${wrapped(4)}prompt`);
    await print(below(10));
    expect(read().data.replaceAll('\n', '')).toBe(`first${wrapped(4)}prompt`);
    expect(read({ since_cursor: cursor }).data.split('\n')[0]).toBe(wrapped(4));
    dispose();
  });

  it('also when it is longer than the whole screen, and within the limit', async () => {
    const { read, terminal, dispose } = await open(`${'x'.repeat(80 * 30)}\r\n`);
    expect(read().data.replaceAll('\n', '')).toBe('x'.repeat(80 * 30));
    const few = read({ limit: 400 });
    expect(few.data_length).toBeLessThanOrEqual(400);
    expect(terminal.engine.text().filter((row) => row !== '')).toHaveLength(23);
    dispose();
  });

  it('not while another screen lies over it', async () => {
    const { read, dispose } = await open(`first\r\n${wrapped(4)}${below(22)}\x1b[?1049h\x1b[Heditor`);
    expect(read().data).toBe('first\neditor');
    dispose();
  });
});
