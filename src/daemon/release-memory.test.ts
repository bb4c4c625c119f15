import { describe, expect, it } from 'vitest';
import { releaseMemory } from './release-memory.ts';

describe('release of memory', () => {
  it('collects what nobody holds any more, and leaves no `gc` behind', () => {
    const held = { kept: new WeakRef({ large: new Array(1_000).fill(0) }) };
    return new Promise<void>((resolve) => {
      // A WeakRef keeps its object for the turn that made it.
      setImmediate(() => {
        releaseMemory();
        expect(held.kept.deref()).toBeUndefined();
        expect('gc' in globalThis).toBe(false);
        resolve();
      });
    });
  });
});
