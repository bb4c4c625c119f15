import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRing } from './byte-ring.ts';

describe('byte ring', () => {
  it('keeps absolute offsets and allocates lazily', () => {
    const ring = new ByteRing(64, 16);
    expect(ring.allocatedBytes).toBe(0);
    expect(ring.append(new Uint8Array(10))).toBe(0);
    expect(ring.append(new Uint8Array(10))).toBe(10);
    expect(ring.allocatedBytes).toBe(32);
    expect([ring.start, ring.end]).toEqual([0, 20]);
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
