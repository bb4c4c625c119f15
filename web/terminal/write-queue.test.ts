import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WriteQueue } from './write-queue.ts';

/** A terminal that finishes writes when it is told to. */
function createTarget() {
  const log: string[] = [];
  const pending: (() => void)[] = [];
  return {
    log,
    pending,
    write(data: string | Uint8Array, done: () => void) {
      log.push(`write ${typeof data === 'string' ? data : String(data[0])}`);
      pending.push(done);
    },
    finishOne() {
      pending.shift()?.();
    },
  };
}

const byte = (value: number) => Uint8Array.of(value);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('write queue', () => {
  it('hands output on at once and runs a step when the terminal is at rest', async () => {
    const target = createTarget();
    const queue = new WriteQueue(target, () => undefined);
    queue.write(byte(1), () => target.log.push('shown 1'));
    queue.write(byte(2), () => target.log.push('shown 2'));
    queue.runStep(() => {
      target.log.push('step');
    });
    queue.write(byte(3), () => target.log.push('shown 3'));
    expect(target.log).toEqual(['write 1', 'write 2']);
    target.finishOne();
    await turn();
    expect(target.log).toEqual(['write 1', 'write 2', 'shown 1']);
    target.finishOne();
    await turn();
    expect(target.log.slice(3)).toEqual(['shown 2', 'step', 'write 3']);
  });

  it('waits for a step that takes time, and goes on when one fails', async () => {
    const target = createTarget();
    const failures: unknown[] = [];
    const queue = new WriteQueue(target, (error) => failures.push(error));
    let finish: () => void = () => undefined;
    queue.runStep(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    queue.runStep(async () => {
      throw new Error('no');
    });
    queue.write(byte(1), () => undefined);
    await turn();
    expect(target.log).toEqual([]);
    finish();
    await turn();
    expect(target.log).toEqual(['write 1']);
    expect(failures).toEqual([new Error('no')]);
  });

  it('does nothing more once disposed', async () => {
    const target = createTarget();
    const queue = new WriteQueue(target, () => undefined);
    queue.write(byte(1), () => target.log.push('shown 1'));
    queue.runStep(() => void target.log.push('step'));
    queue.dispose();
    target.finishOne();
    await turn();
    expect(target.log).toEqual(['write 1']);
  });

  it('keeps the order of everything, whenever writes finish', async () => {
    const operation = fc.constantFrom('write', 'step', 'slow step', 'finish');
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
        const order: number[] = [];
        const pending: (() => void)[] = [];
        const queue = new WriteQueue({ write: (_, done) => pending.push(() => done()) }, () => undefined);
        let count = 0;
        for (const one of operations) {
          const number = count;
          if (one === 'finish') pending.shift()?.();
          else {
            count++;
            if (one === 'write') queue.write(byte(0), () => order.push(number));
            else if (one === 'step') queue.runStep(() => void order.push(number));
            else
              queue.runStep(async () => {
                await turn();
                order.push(number);
              });
          }
        }
        while (order.length < count) {
          pending.shift()?.();
          await turn();
        }
        expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
      }),
      { numRuns: 60 },
    );
  });
});
