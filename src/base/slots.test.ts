import { expect, it } from 'vitest';
import { Slots } from './index.ts';

it('runs so many at a time, the others in their order, also after one that failed', async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((number) =>
    slots.use(async () => {
      begun.push(number);
      await new Promise<void>((resolve, reject) => {
        ends[number] = number === 0 ? () => reject(new Error('failed')) : resolve;
      });
      return number;
    }),
  );
  // A free slot is taken at once.
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await expect(works[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const end of ends.slice(2)) end();
  expect(await Promise.all(works.slice(1))).toEqual([1, 2, 3]);
  let isAtOnce = false;
  const last = slots.use(async () => {
    isAtOnce = true;
  });
  expect(isAtOnce).toBe(true);
  await last;
});
