import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { DEADLINES } from '../../contract/index.ts';
import type { ProcessTable } from '../../platform/process/index.ts';
import { ProcessSnapshots } from './process-snapshots.ts';

it('STM-33: who asks together shares one reading, and the next comes a second later', async () => {
  const clock = new ManualClock();
  let readings = 0;
  const none = async () => null;
  const table: ProcessTable = {
    get: none,
    foreground: none,
    workingFolder: none,
    all: async () => {
      readings++;
      return [];
    },
  };
  const snapshots = new ProcessSnapshots(table, clock);
  const [first, same] = await Promise.all([snapshots.take(), snapshots.take()]);
  expect(first).toBe(same);
  expect(first.takenAt).toBe(0);
  const later = Promise.all([snapshots.take(), snapshots.take()]);
  await clock.advanceAsync(DEADLINES.stateTick - 1);
  expect(readings).toBe(1);
  await clock.advanceAsync(1);
  expect((await later)[1].takenAt).toBe(DEADLINES.stateTick);
  expect(readings).toBe(2);
});
