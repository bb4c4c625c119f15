import { afterEach, describe, expect, it } from 'vitest';
import { createTerminalRig, type RigOptions, type TerminalRig } from '../../../test/kit/terminal-rig.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';

const rigs: TerminalRig[] = [];
async function start(options: RigOptions = {}): Promise<TerminalRig & { steps: string[] }> {
  const steps: string[] = [];
  const note = (step: string) => async () => {
    steps.push(step);
  };
  const rig = await createTerminalRig({
    ...options,
    files: {
      appendLog: note('log'),
      writeScreen: note('screen'),
      dropLogBefore: note('drop'),
      ...options.files,
    },
  });
  rigs.push(rig);
  const store = rig.host.storeCheckpoint.bind(rig.host);
  rig.host.storeCheckpoint = (id, offset, blob) => {
    steps.push(`host ${offset}`);
    store(id, offset, blob);
  };
  return Object.assign(rig, { steps });
}
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.dispose();
});

const full = new AppError('storage_failed', { detail: 'the disk is full' });

describe('checkpoints', () => {
  it('when a session went quiet: the log first, then the host; the disk’s screen follows within ten seconds', async () => {
    const rig = await start();
    rig.program.print('hello');
    await rig.turns();
    await rig.clock.advanceAsync(DEADLINES.checkpointQuiet - 1);
    expect(rig.steps).toEqual([]);
    await rig.clock.advanceAsync(1);
    expect(rig.steps).toEqual(['log', 'host 5']);
    await rig.clock.advanceAsync(DEADLINES.checkpointActive);
    expect(rig.steps).toEqual(['log', 'host 5', 'log', 'host 5', 'screen', 'drop']);
    await rig.clock.advanceAsync(60_000);
    expect(rig.steps).toHaveLength(6);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('each 512 KiB of output, so that the host can forget and the program goes on', async () => {
    const rig = await start();
    expect(await rig.flood(Buffer.alloc(6 * LIMITS.ring))).toBe(6 * LIMITS.ring);
    const offsets = rig.steps.filter((step) => step.startsWith('host')).map((step) => Number(step.slice(5)));
    expect(offsets.length).toBeGreaterThanOrEqual(10);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  });

  it('during ten seconds of activity at the latest', async () => {
    const rig = await start();
    for (let tick = 0; tick < 22; tick++) {
      rig.program.print('.');
      await rig.clock.advanceAsync(500);
    }
    expect(rig.steps.slice(0, 4)).toEqual(['log', expect.stringMatching(/^host (1\d|20)$/), 'screen', 'drop']);
  });

  it('one at a time: what is asked for meanwhile follows', async () => {
    let free: () => void = () => undefined;
    let running = 0;
    const rig = await start({
      files: {
        appendLog: async () => {
          running++;
          expect(running).toBe(1);
          await new Promise<void>((resolve) => {
            free = resolve;
          });
          running--;
        },
      },
    });
    rig.program.print('one');
    await rig.turns();
    const first = rig.terminal.store();
    await rig.turns();
    rig.program.print('two');
    await rig.turns();
    const second = rig.terminal.store();
    await rig.turns();
    free();
    await rig.turns();
    expect(rig.steps).toEqual(['host 3', 'screen', 'drop']);
    free();
    await Promise.all([first, second]);
    expect(rig.steps.filter((step) => step.startsWith('host'))).toEqual(['host 3', 'host 6']);
  });

  it('a full disk is told once; the host still gets the screen, and the log is stored again when the disk takes it', async () => {
    let isFull = true;
    const rig = await start({
      files: {
        appendLog: async () => {
          if (isFull) throw full;
        },
        writeScreen: async () => {
          if (isFull) throw full;
        },
      },
    });
    for (let round = 0; round < 3; round++) {
      rig.program.print('x');
      await rig.turns();
      await rig.terminal.store();
    }
    expect(rig.logged).toEqual(['the session goes on, but its log is not durable']);
    expect(rig.steps).toEqual(['host 1', 'host 2', 'host 3']);
    isFull = false;
    await rig.terminal.store();
    expect(rig.logged.slice(1)).toEqual(['the durable log of the session goes on']);
    isFull = true;
    await rig.terminal.store();
    expect(rig.logged).toHaveLength(3);
  });
});

describe('parsing', () => {
  it('waits for 30 ms of quiet while nobody watches, and starts at once at 64 KiB, for a query, or for a viewer', async () => {
    const rig = await start();
    const parsed = () => rig.terminal.engine.parsedOffset;
    rig.program.print('abc');
    await rig.turns();
    expect(parsed()).toBe(0);
    rig.clock.advance(20);
    rig.program.print('def');
    await rig.turns();
    rig.clock.advance(DEADLINES.lazyParseQuiet - 1);
    await rig.turns();
    expect(parsed()).toBe(0);
    rig.clock.advance(1);
    await rig.turns();
    expect(parsed()).toBe(6);
    rig.program.print(`${'x'.repeat(100)}\x1b[6n`);
    await rig.turns();
    expect(parsed()).toBe(110);
    rig.program.print(Buffer.alloc(LIMITS.lazyParseBacklog));
    rig.clock.advance(5);
    await rig.turns();
    expect(parsed()).toBe(110 + LIMITS.lazyParseBacklog);
    rig.open({ format: 'bytes' });
    rig.clock.advance(10);
    rig.program.print('y');
    await rig.turns();
    expect(parsed()).toBe(111 + LIMITS.lazyParseBacklog);
  });

  it('a fault of the engine is told once and costs a piece of the screen, not the session', async () => {
    const rig = await start();
    const { engine } = rig.terminal;
    const parse = engine.parse.bind(engine);
    let faults = 3;
    engine.parse = (milliseconds) => {
      if (faults-- > 0) throw new Error('unexpected sequence');
      return parse(milliseconds);
    };
    rig.program.print('abc');
    await rig.terminal.parsed();
    await rig.turns();
    await rig.terminal.parsed();
    expect(rig.logged).toEqual(['the screen engine failed on a piece of output']);
    expect(engine.parsedOffset).toBe(3);
  });
});
