import { describe, expect, it } from 'vitest';
import { DisposableStore, Emitter, KeyedMutex, toDisposable } from './index.ts';

describe('disposable store', () => {
  it('releases in reverse order, once, and goes on after a failing one', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('first')));
    store.add({
      dispose() {
        throw new Error('broken');
      },
    });
    store.add(toDisposable(() => order.push('last')));
    expect(() => store.dispose()).toThrow(AggregateError);
    store.dispose();
    expect(order).toEqual(['last', 'first']);
  });

  it('releases at once what is added after disposal', () => {
    const store = new DisposableStore();
    store.dispose();
    let released = false;
    store.add(toDisposable(() => (released = true)));
    expect(released).toBe(true);
  });
});

describe('emitter', () => {
  it('does not call a listener that was removed, and tolerates removal while emitting', () => {
    const emitter = new Emitter<number>();
    const seen: number[] = [];
    const own = emitter.on((value) => {
      seen.push(value);
      own.dispose();
    });
    emitter.emit(1);
    emitter.emit(2);
    expect(seen).toEqual([1]);
    expect(emitter.size).toBe(0);
  });
});

describe('keyed mutex', () => {
  it('serialises one key, also after a failure, and leaves no entry behind', async () => {
    const mutex = new KeyedMutex();
    const order: string[] = [];
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = mutex.run('a', async () => {
      await gate;
      order.push('first');
      throw new Error('refused');
    });
    const second = mutex.run('a', () => order.push('second'));
    const other = mutex.run('b', () => order.push('other'));
    await other;
    release();
    await expect(first).rejects.toThrow('refused');
    await second;
    expect(order).toEqual(['other', 'first', 'second']);
    await Promise.resolve();
    expect(mutex.size).toBe(0);
  });
});
