import { describe, expect, it } from 'vitest';
import { CANCELLED, type CallId, PendingCalls } from './pending-calls.ts';

const nobody = () => new AbortController().signal;

/** A call that runs until the test lets it, and tells whether it was asked to stop. */
function start(calls: PendingCalls, session: string, id: CallId, outer = nobody()) {
  let finish = (_value: string) => {};
  let signal = nobody();
  const ended = calls.run(session, id, outer, (given) => {
    signal = given;
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  });
  return { ended, finish: (value: string) => finish(value), isStopped: () => signal.aborted };
}

describe('M18: a cancelled call', () => {
  it('ends at once and its work is told, whether that listens or not', async () => {
    const calls = new PendingCalls();
    const call = start(calls, 's', 1);
    calls.cancel('s', 1);
    expect(await call.ended).toBe(CANCELLED);
    expect([call.isStopped(), calls.size]).toEqual([true, 0]);
    call.finish('too late');
  });

  it('is found by its session and by its id with the type that it has', async () => {
    const calls = new PendingCalls();
    const started = { number: start(calls, 's', 1), text: start(calls, 's', '1'), other: start(calls, 't', 1) };
    for (const id of [null, undefined, {}, true, 2, '']) calls.cancel('s', id);
    calls.cancel('unknown', 1);
    calls.cancel('s', '1');
    expect(await started.text.ended).toBe(CANCELLED);
    expect([started.number.isStopped(), started.other.isStopped()]).toEqual([false, false]);
    started.number.finish('one');
    started.other.finish('two');
    expect([await started.number.ended, await started.other.ended, calls.size]).toEqual(['one', 'two', 0]);
  });

  it('cannot be cancelled twice, nor after its end; an id may be used again', async () => {
    const calls = new PendingCalls();
    const done = start(calls, 's', 'a');
    done.finish('done');
    expect(await done.ended).toBe('done');
    calls.cancel('s', 'a');
    const first = start(calls, 's', 'a');
    calls.cancel('s', 'a');
    const second = start(calls, 's', 'a');
    expect(await first.ended).toBe(CANCELLED);
    expect(second.isStopped()).toBe(false);
    calls.cancel('s', 'a');
    calls.cancel('s', 'a');
    expect([await second.ended, calls.size]).toEqual([CANCELLED, 0]);
  });

  it('of two under one id is the newer one, and the end of the older one takes nothing from it', async () => {
    const calls = new PendingCalls();
    const older = start(calls, 's', 7);
    const newer = start(calls, 's', 7);
    older.finish('old');
    expect(await older.ended).toBe('old');
    calls.cancel('s', 7);
    expect(await newer.ended).toBe(CANCELLED);
  });
});

describe('the signal of a call', () => {
  it('follows the caller that leaves, also one that has left before, and work that fails leaves nothing behind', async () => {
    const calls = new PendingCalls();
    const caller = new AbortController();
    const call = start(calls, 's', 1, caller.signal);
    caller.abort();
    expect(call.isStopped()).toBe(true);
    call.finish('whatever');
    await call.ended;
    const late = start(calls, 's', 2, caller.signal);
    expect(late.isStopped()).toBe(true);
    late.finish('whatever');
    await late.ended;
    const failing = calls.run('s', 3, nobody(), async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(calls.size).toBe(0);
  });
});
