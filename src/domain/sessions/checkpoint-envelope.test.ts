import { expect, it } from 'vitest';
import { unwrapCheckpoint, wrapCheckpoint } from './checkpoint-envelope.ts';

const screen = new Uint8Array([1, 2, 3]);

it('STM-50: program and screen come back as they were stored', () => {
  const back = unwrapCheckpoint(wrapCheckpoint({ epoch: 3, text: 'ä' }, screen));
  expect(back.program).toEqual({ epoch: 3, text: 'ä' });
  expect([...back.screen]).toEqual([...screen]);
});

it('a screen alone, as an earlier server stored it, is one without a program', () => {
  expect(wrapCheckpoint(undefined, screen)).toBe(screen);
  expect(unwrapCheckpoint(screen)).toEqual({ program: undefined, screen });
});

it('a damaged blob costs what is known of the program, and throws nothing', () => {
  const blob = Buffer.from(wrapCheckpoint({ a: 1 }, screen));
  for (let length = 0; length < blob.length; length++) {
    const { program } = unwrapCheckpoint(blob.subarray(0, length));
    if (program !== undefined) expect(program).toEqual({ a: 1 });
  }
  blob[9] = 0x7b;
  expect(unwrapCheckpoint(blob).program).toBeUndefined();
});
