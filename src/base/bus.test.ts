import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bus } from './bus.ts';

function drain<E>(cursor: { read(): unknown }): E[] {
  const out: E[] = [];
  for (let next = cursor.read(); next !== undefined; next = cursor.read()) out.push(next as E);
  return out;
}

describe('bus', () => {
  it('gives every subscriber the same sequence for the same event', () => {
    const bus = new Bus<string>(8);
    const first = bus.subscribe(() => {});
    const second = bus.subscribe(() => {});
    bus.publish('a');
    bus.publish('b');
    expect(drain(first)).toEqual(drain(second));
  });

  it('P1: tells a reader that fell out of the ring how many events it missed', () => {
    const bus = new Bus<number>(4);
    const cursor = bus.subscribe(() => {});
    for (let i = 1; i <= 10; i++) bus.publish(i);
    expect(cursor.read()).toEqual({ kind: 'lagged', missed: 6 });
    expect(drain(cursor)).toHaveLength(4);
  });

  it('W03: resumes after a given sequence without doubles', () => {
    const bus = new Bus<number>(16);
    for (let i = 1; i <= 5; i++) bus.publish(i);
    const cursor = bus.subscribe(() => {}, 3);
    bus.publish(6);
    expect(drain<{ record: { event: number } }>(cursor).map((read) => read.record.event)).toEqual([4, 5, 6]);
  });

  it('stops waking a disposed cursor', () => {
    const bus = new Bus<number>();
    let woken = 0;
    const cursor = bus.subscribe(() => woken++);
    bus.publish(1);
    cursor.dispose();
    bus.publish(2);
    expect(woken).toBe(1);
    expect(bus.subscriberCount).toBe(0);
  });

  it('P1: read plus missed always accounts for every published event', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.oneof(fc.constant('read'), fc.constant('publish'))),
        (capacity, steps) => {
          const bus = new Bus<number>(capacity);
          const cursor = bus.subscribe(() => {});
          let published = 0;
          let accounted = 0;
          let last = 0;
          const take = () => {
            const read = cursor.read();
            if (read?.kind === 'lagged') accounted += read.missed;
            if (read?.kind === 'event') {
              expect(read.record.sequence).toBeGreaterThan(last);
              last = read.record.sequence;
              accounted++;
            }
            return read;
          };
          for (const step of steps) {
            if (step === 'publish') bus.publish(++published);
            else take();
          }
          while (take() !== undefined);
          expect(accounted).toBe(published);
        },
      ),
    );
  });
});
