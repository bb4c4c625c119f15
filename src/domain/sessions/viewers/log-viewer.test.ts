import { afterEach, describe, expect, it } from 'vitest';
import { createTerminalRig, type RigOptions, type TerminalRig } from '../../../../test/kit/terminal-rig.ts';
import { DEADLINES, LIMITS } from '../../../contract/index.ts';

const rigs: TerminalRig[] = [];
async function start(options: RigOptions = {}): Promise<TerminalRig> {
  const rig = await createTerminalRig({ logLines: 10_000, ...options });
  rigs.push(rig);
  return rig;
}
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.dispose();
});

async function poll(rig: TerminalRig): Promise<void> {
  await rig.turns();
  rig.clock.advance(DEADLINES.logPoll);
  await rig.turns();
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

describe('log', () => {
  it('on connect the lines after the offset and the screen, then the state; later only what changed', async () => {
    const rig = await start();
    rig.program.print(numbers(0, 30));
    await rig.turns();
    await rig.terminal.parsed();
    const { sink } = rig.open({ format: 'log', offset: 10 });
    expect(sink.kinds).toEqual(['log', 'state']);
    const [first] = sink.frames('log');
    expect(first).toMatchObject({ offset: 10, total_lines: 30 });
    expect(first?.lines).toHaveLength(20);
    expect(first?.screen?.at(-1)?.spans[0]?.text).toBe('line 29');
    await poll(rig);
    await poll(rig);
    expect(sink.kinds).toHaveLength(2);
    rig.program.print('half');
    await poll(rig);
    expect(sink.frames('log').at(-1)).toMatchObject({ offset: 30, total_lines: 30 });
    expect(sink.frames('log').at(-1)).not.toHaveProperty('lines');
    rig.program.print(' a line\n');
    await poll(rig);
    expect(sink.frames('log').at(-1)).toMatchObject({ offset: 30, total_lines: 31 });
    expect(sink.frames('log').at(-1)?.lines?.[0]?.spans[0]?.text).toBe('half a line');
  });

  it('without an offset from the first line; what is gone is told', async () => {
    const rig = await start({ logLines: 20 });
    rig.program.print(numbers(0, 50));
    await rig.turns();
    await rig.terminal.parsed();
    const { sink } = rig.open({ format: 'text' });
    expect(sink.kinds).toEqual(['gap', 'log', 'state']);
    expect(sink.frames('gap')[0]).toEqual({ type: 'gap', from: 0, to: 30, reason: 'evicted' });
    expect(sink.frames('log')[0]?.lines).toHaveLength(20);
  });

  it('CSI 3 J is told as a gap, also to a viewer that has every line', async () => {
    const rig = await start();
    rig.program.print(numbers(0, 5));
    await rig.turns();
    await rig.terminal.parsed();
    const { sink } = rig.open({ format: 'log' });
    rig.program.print('\x1b[3Jx\ny\n');
    await poll(rig);
    expect(sink.kinds).toEqual(['log', 'state', 'gap', 'log']);
    expect(sink.frames('gap')[0]).toEqual({ type: 'gap', from: 5, to: 5, reason: 'cleared by program' });
    expect(sink.frames('log').at(-1)).toMatchObject({ offset: 5, total_lines: 7 });
    const late = rig.open({ format: 'log', offset: 2 });
    expect(late.sink.frames('gap')[0]).toEqual({ type: 'gap', from: 2, to: 5, reason: 'cleared by program' });
  });

  it('T06: a viewer that does not read gets no more than its socket may hold, then a gap', async () => {
    const rig = await start({ logLines: 1_000 });
    const { sink, viewer } = rig.open({ format: 'log' });
    sink.isStalled = true;
    for (let round = 0; round < 40; round++) {
      rig.program.print(`${'x'.repeat(900)}\n`.repeat(30));
      await poll(rig);
      await poll(rig);
    }
    expect(sink.waiting).toBeLessThan(3 * LIMITS.viewerNetwork);
    const had = sink.frames('log').at(-1)?.total_lines ?? 0;
    expect(had).toBeLessThan(1_200);
    sink.isStalled = false;
    sink.waiting = 0;
    viewer.drained();
    if (had < 200) expect(sink.frames('gap').at(-1)).toMatchObject({ from: had, to: 200, reason: 'slow viewer' });
    expect(sink.frames('log').at(-1)?.total_lines).toBe(1_200);
  });

  it('a long log comes in frames of at most 1,000 lines, the screen with the first', async () => {
    const rig = await start();
    rig.program.print(numbers(0, 2_500));
    rig.clock.advance(5);
    await rig.turns();
    await rig.terminal.parsed();
    const { sink } = rig.open({ format: 'log', offset: 0 });
    const frames = sink.frames('log');
    expect(frames.map((frame) => [frame.offset, frame.total_lines])).toEqual([
      [0, 1_000],
      [1_000, 2_000],
      [2_000, 2_500],
    ]);
    expect(frames.map((frame) => frame.screen !== undefined)).toEqual([true, false, false]);
    expect(sink.kinds).toEqual(['log', 'state', 'log', 'log']);
  });

  it('the modes that keys and pasted text depend on come with the state, again when they change', async () => {
    const rig = await start();
    const { sink } = rig.open({ format: 'log' });
    expect(sink.frames('state')[0]?.state).not.toHaveProperty('bracketed_paste');
    rig.program.print('x');
    await poll(rig);
    expect(sink.frames('state').at(-1)?.state, 'output makes it busy').toMatchObject({ shell_state: 'busy' });
    rig.program.print('y');
    await poll(rig);
    expect(sink.frames('state'), 'more output is no news').toHaveLength(2);
    const modes = rig.terminal.engine as { bracketedPaste: boolean };
    modes.bracketedPaste = true;
    await poll(rig);
    expect(sink.frames('state').at(-1)?.state).toMatchObject({ bracketed_paste: true });
    modes.bracketedPaste = false;
    await poll(rig);
    expect(sink.frames('state').at(-1)?.state).not.toHaveProperty('bracketed_paste');
  });

  it('the end: last lines, exit, closed; the poll stops', async () => {
    const rig = await start();
    const { sink } = rig.open({ format: 'log' });
    rig.program.print('last\n');
    rig.program.end(4);
    await rig.turns(8);
    expect(sink.kinds.slice(-4)).toEqual(['log', 'state', 'exit', 'closed']);
    expect(sink.frames('log').at(-1)?.lines?.[0]?.spans[0]?.text).toBe('last');
    expect(sink.frames('exit')[0]?.exit_code).toBe(4);
    expect(sink.ended).toBe('process_exit');
    await rig.clock.advanceAsync(60_000);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
