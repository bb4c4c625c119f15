import { Session } from 'node:inspector';
import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { nodeMemory } from './node-memory.ts';

const memory = nodeMemory({ Session, performance, getHeapStatistics, setImmediate });

describe('release of memory', () => {
  it('collects what nobody holds any more', async () => {
    const held = { kept: new WeakRef({ large: new Array(1_000).fill(0) }) };
    // A WeakRef keeps its object for the turn that made it.
    await new Promise(setImmediate);
    await memory.release();
    expect(held.kept.deref()).toBeUndefined();
  });

  it('takes the young generation back to a size that is smaller than work made it', async () => {
    const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
    let list: object[] = [];
    for (let made = 0; made < 3_000_000; made++) {
      list.push({ made });
      if (list.length > 100_000) list = [];
    }
    const grown = young();
    list = [];
    await memory.release();
    expect(grown).toBeGreaterThan(4_000_000);
    expect(young()).toBeLessThan(grown / 2);
  });

  it('ends again, each time: the session with the inspector is closed outside of its call', async () => {
    for (let time = 0; time < 3; time++) await memory.release();
  });
});
