import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRing, ChunkPool } from './byte-ring.ts';

describe('byte ring', () => {
  it('keeps absolute offsets and allocates lazily', () => {
    const ring = new ByteRing(64, 16);
    expect(ring.allocatedBytes).toBe(0);
    expect(ring.append(new Uint8Array(10))).toBe(0);
    expect(ring.append(new Uint8Array(10))).toBe(10);
    expect(ring.allocatedBytes).toBe(32);
    expect([ring.start, ring.end]).toEqual([0, 20]);
  });

  it('hands its chunks to the next ring, and never more than the pool may hold', () => {
    const pool = new ChunkPool(2);
    const first = new ByteRing(32, 8, 0, pool);
    first.append(new Uint8Array(32).fill(1));
    const shown = first.view(0, 8);
    first.clear();
    expect([first.length, first.allocatedBytes, first.end]).toEqual([0, 0, 32]);
    const second = new ByteRing(32, 8, 0, pool);
    second.append(new Uint8Array(16).fill(2));
    expect([...shown], 'the same memory').toEqual(new Array(8).fill(2));
    second.append(new Uint8Array(8).fill(3));
    expect([...second.slice(0, 24).bytes]).toEqual([...new Array(16).fill(2), ...new Array(8).fill(3)]);
    first.append(new Uint8Array(4).fill(4));
    expect(first.slice(0, 99), 'a cleared ring goes on where it was').toEqual({
      offset: 32,
      bytes: new Uint8Array(4).fill(4),
    });
  });

  it('behaves like a plain byte array that forgets its beginning', () => {
    const operation = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ kind: 'append' as const, bytes })),
      fc.nat(300).map((offset) => ({ kind: 'drop' as const, offset })),
      fc.tuple(fc.nat(300), fc.nat(300)).map(([from, to]) => ({ kind: 'slice' as const, from, to })),
    );
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const ring = new ByteRing(64, 16);
        let all: number[] = [];
        let start = 0;
        for (const step of operations) {
          if (step.kind === 'append') {
            expect(ring.append(step.bytes)).toBe(all.length);
            all = all.concat([...step.bytes]);
            start = Math.max(start, all.length - 64);
          } else if (step.kind === 'drop') {
            ring.dropBefore(step.offset);
            start = Math.max(start, Math.min(step.offset, all.length));
          } else {
            const slice = ring.slice(step.from, step.to);
            const from = Math.min(Math.max(step.from, start), all.length);
            expect(slice.offset).toBe(from);
            expect([...slice.bytes]).toEqual(all.slice(from, Math.max(from, step.to)));
            if (from < all.length && step.to > from) {
              const view = ring.view(from, step.to);
              const end = Math.min(step.to, all.length, from - (from % 16) + 16);
              expect([...view]).toEqual(all.slice(from, end));
            }
          }
          expect([ring.start, ring.end]).toEqual([start, all.length]);
          expect(ring.allocatedBytes).toBeLessThanOrEqual(64 + 16);
        }
      }),
    );
  });
});
