import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { LIMITS } from '../../contract/index.ts';
import { type WriteAttempt, WriteQueue } from './write-queue.ts';

function setUp(answer: (slice: Uint8Array) => WriteAttempt) {
  const clock = new ManualClock();
  const written: number[] = [];
  let attempts = 0;
  const queue = new WriteQueue(clock, (slice) => {
    attempts++;
    const result = answer(slice);
    if (typeof result === 'number') written.push(...slice.subarray(0, result));
    return result;
  });
  return { clock, queue, written, attempts: () => attempts };
}

describe('write queue', () => {
  it('writes in order, in slices of at most 4 KiB, whatever part of a slice is taken', async () => {
    let turn = 0;
    const { clock, queue, written } = setUp((slice) => {
      expect(slice.length).toBeLessThanOrEqual(LIMITS.writeSlice);
      return ++turn % 3 === 0 ? 'again' : Math.ceil(slice.length / 2);
    });
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7) & 0xff);
    expect(queue.push(bytes.subarray(0, 100_000))).toBe(true);
    expect(queue.push(bytes.subarray(100_000))).toBe(true);
    while (queue.size > 0) await clock.advanceAsync(16);
    expect(Buffer.from(written).equals(bytes)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses a write over the cap whole, and takes smaller ones after it', () => {
    const { queue } = setUp(() => 'again');
    expect(queue.push(new Uint8Array(LIMITS.writeQueue - 10))).toBe(true);
    expect(queue.push(new Uint8Array(11))).toBe(false);
    expect(queue.size).toBe(LIMITS.writeQueue - 10);
    expect(queue.push(new Uint8Array(10))).toBe(true);
  });

  it('a program that does not read costs at most one attempt each 16 ms, and new writes none', () => {
    const { clock, queue, attempts } = setUp(() => 'again');
    queue.push(new Uint8Array(1_000_000));
    clock.advance(31);
    expect(attempts()).toBe(6);
    clock.advance(1_600);
    expect(attempts()).toBe(106);
    queue.push(new Uint8Array(10));
    expect(attempts()).toBe(106);
  });

  it('gives the loop back after 64 KiB', async () => {
    const { clock, queue, written } = setUp((slice) => slice.length);
    queue.push(new Uint8Array(200_000));
    expect(written.length).toBe(65_536);
    expect(clock.nextTimer).toBe(0);
    await clock.advanceAsync(0);
    expect(written.length).toBe(200_000);
  });

  it('W09: asks when the turn of an entry has come, and drops it whole', () => {
    let isOpen = false;
    const { clock, queue, written } = setUp((slice) => (isOpen ? slice.length : 'again'));
    let isWanted = true;
    queue.push(Uint8Array.of(1));
    queue.push(Uint8Array.of(2, 2), () => isWanted);
    queue.push(Uint8Array.of(3));
    isWanted = false;
    isOpen = true;
    clock.advance(16);
    expect(written).toEqual([1, 3]);
    expect(queue.size).toBe(0);
  });

  it('forgets everything when the terminal is closed', () => {
    let answer: WriteAttempt = 'again';
    const { clock, queue } = setUp(() => answer);
    queue.push(new Uint8Array(100));
    answer = 'closed';
    clock.advance(16);
    expect(queue.size).toBe(0);
    expect(queue.push(new Uint8Array(1))).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});
