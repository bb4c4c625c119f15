import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { keepMemoryLow } from './idle-memory.ts';

const LOOK = 1_000;
/** What a release takes, and how long none follows then. */
const TAKES = 50;
const REST = 50 * TAKES;

function setUp() {
  const clock = new ManualClock();
  const state = {
    share: 0,
    held: 50_000_000,
    live: 20_000_000,
    releases: 0,
    failures: [] as unknown[],
    error: undefined as unknown,
  };
  const watch = keepMemoryLow({
    clock,
    look: LOOK,
    worth: 8_000_000,
    utilization: () => state.share,
    held: () => state.held,
    release: async () => {
      if (state.error !== undefined) throw state.error;
      await Promise.resolve();
      clock.advance(TAKES);
      state.releases++;
      state.held = state.live;
    },
    failed: (error) => state.failures.push(error),
  });
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  };
  return { state, watch, pass };
}

describe('memory of an idle server', () => {
  it('gives back what the start took, and then nothing while nothing comes', async () => {
    const { state, pass } = setUp();
    await pass(LOOK);
    expect(state.releases).toBe(1);
    for (let look = 0; look < 5; look++) await pass(REST);
    expect(state.releases).toBe(1);
  });

  it('waits while there is work, and rests after a release', async () => {
    const { state, pass } = setUp();
    state.share = 0.5;
    await pass(LOOK);
    expect(state.releases).toBe(0);
    state.share = 0;
    await pass(LOOK);
    expect(state.releases).toBe(1);
    state.held = 60_000_000;
    await pass(LOOK);
    expect(state.releases).toBe(1);
    await pass(REST);
    expect(state.releases).toBe(2);
  });

  it('tells of a failure, and looks again', async () => {
    const { state, pass } = setUp();
    state.error = new Error('no inspector');
    await pass(LOOK);
    expect(state.failures).toEqual([state.error]);
    state.error = undefined;
    await pass(50 * LOOK);
    expect(state.releases).toBe(1);
  });

  it('is over when it is disposed', async () => {
    const { state, pass, watch } = setUp();
    watch.dispose();
    await pass(LOOK);
    expect(state.releases).toBe(0);
  });
});
