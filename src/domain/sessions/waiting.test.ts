import { afterEach, describe, expect, it } from 'vitest';
import { settle } from '../../../test/kit/manual-clock.ts';
import { ScriptedReader } from '../../../test/kit/scripted-reader.ts';
import { createSessionHarness, type SessionHarness } from '../../../test/kit/session-harness.ts';
import { DEADLINES, type WaitFor, type WaitOutcome } from '../../contract/index.ts';

let harness: SessionHarness;
afterEach(() => harness.dispose());

async function setUp() {
  const reader = new ScriptedReader();
  harness = await createSessionHarness({
    change: (dependencies) => ({ ...dependencies, createActivityReader: () => reader }),
  });
  await harness.service.start();
  const { session_id: id } = await harness.service.create({ cwd: '/tmp', shell: '/bin/sh' }, { isRemote: false });
  const caller = new AbortController();
  const wait = (until: WaitFor['until'], timeout_ms?: number, ref = id) =>
    harness.service.wait(ref, { until, ...(timeout_ms === undefined ? {} : { timeout_ms }) }, caller.signal);
  const program = harness.process.program(id);
  /** A new state, noticed with output. */
  const show = async (change: Partial<ScriptedReader>) => {
    Object.assign(reader, change);
    program.print('x');
    await settle();
  };
  await show({ shellState: 'busy' });
  return { id, reader, caller, wait, program, show, timers: () => harness.clock.pendingTimers };
}

/** What a promise has come to by now. */
function follow<T>(promise: Promise<T>) {
  const state: { outcome: T | string | undefined } = { outcome: undefined };
  promise.then(
    (value) => {
      state.outcome = value;
    },
    (error: unknown) => {
      state.outcome = (error as { code: string }).code;
    },
  );
  return state;
}

const IDLE: WaitOutcome = { met: true, timed_out: false, until: 'idle', shell_state: 'idle' };

describe('waiting for idle', () => {
  it('WAIT-5: what is met already is answered at once, and listens to nothing', async () => {
    const { wait, show, timers } = await setUp();
    await show({ shellState: 'idle' });
    const before = timers();
    expect(await wait('idle')).toEqual(IDLE);
    expect(timers()).toBe(before);
  });

  it('WAIT-2: a change wakes it, and it leaves no timer', async () => {
    const { wait, show, timers } = await setUp();
    const before = timers();
    const waiting = follow(wait('idle'));
    await show({});
    expect([waiting.outcome, timers()]).toEqual([undefined, before + 1]);
    await show({ shellState: 'idle' });
    expect([waiting.outcome, timers()]).toEqual([IDLE, before]);
  });

  it('WAIT-6: an agent that is only silent is not idle; a confirmed one is, whatever stands in its composer', async () => {
    const { wait, show } = await setUp();
    await show({ shellState: 'idle', refusal: 'unconfirmed' });
    const waiting = follow(wait('idle'));
    await show({ shellState: 'idle', refusal: 'unconfirmed' });
    expect(waiting.outcome).toBeUndefined();
    await show({ isConfirmed: true, refusal: 'composer_not_empty' });
    expect(waiting.outcome).toEqual(IDLE);
  });

  it('STM-7: the end of the program is idle for who waits, with the code', async () => {
    const { wait, program } = await setUp();
    const waiting = follow(wait('idle'));
    program.end(3);
    await harness.settle();
    expect(waiting.outcome).toMatchObject(IDLE);
  });

  it('WAIT-5: an exited session cannot become idle', async () => {
    const { wait, program } = await setUp();
    program.end(0);
    await harness.settle();
    await expect(wait('idle')).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('WAIT-7: a lost one is refused, also while somebody waits', async () => {
    const { wait } = await setUp();
    const waiting = follow(wait('idle'));
    harness.supervisor.lose(harness.process);
    await harness.settle();
    expect(waiting.outcome).toBe('session_lost');
    await expect(wait('idle')).rejects.toMatchObject({ code: 'session_lost' });
  });
});

describe('waiting for the exit', () => {
  it('WAIT-5: the stored code is looked at first, then liveness', async () => {
    const { wait, program } = await setUp();
    program.end(7);
    await harness.settle();
    expect(await wait('exited')).toEqual({ met: true, timed_out: false, until: 'exited', exit_code: 7 });
  });

  it('the exit wakes it with the code', async () => {
    const { wait, program, show } = await setUp();
    const waiting = follow(wait('exited'));
    await show({ shellState: 'idle' });
    expect(waiting.outcome).toBeUndefined();
    program.end(130);
    await harness.settle();
    expect(waiting.outcome).toEqual({ met: true, timed_out: false, until: 'exited', exit_code: 130 });
  });

  it('an end that was asked for counts when it has come', async () => {
    const { id, wait } = await setUp();
    harness.process.killCode = undefined;
    await harness.service.close(id);
    const waiting = follow(wait('exited', undefined, id));
    await harness.settle();
    expect(waiting.outcome).toBeUndefined();
    harness.process.program(id).end(137);
    await harness.settle();
    expect(waiting.outcome).toMatchObject({ met: true, exit_code: 137 });
  });

  it('WAIT-7: lost, before and during the wait, without a code', async () => {
    const { wait } = await setUp();
    const waiting = follow(wait('exited'));
    harness.supervisor.lose(harness.process);
    await harness.settle();
    const lost = { met: true, timed_out: false, until: 'exited', lost: true };
    expect([waiting.outcome, await wait('exited')]).toEqual([lost, lost]);
  });
});

describe('any wait', () => {
  it('WAIT-5: an unknown session is refused at once and leaves nothing', async () => {
    const { wait, timers } = await setUp();
    const before = timers();
    for (const until of ['idle', 'exited'] as const) {
      await expect(async () => wait(until, undefined, 'nobody')).rejects.toMatchObject({ code: 'session_not_found' });
    }
    expect(timers()).toBe(before);
  });

  it.each([
    [undefined, 60_000],
    [0, 60_000],
    [250, 250],
    [295_000, 295_000],
    [900_000, 295_000],
  ])('WAIT-1: timeout_ms %s ends it after %i ms, with nothing but the fact', async (asked, expected) => {
    const { wait } = await setUp();
    const waiting = follow(wait('idle', asked));
    await harness.clock.advanceAsync(expected - 1);
    expect(waiting.outcome).toBeUndefined();
    await harness.clock.advanceAsync(1);
    expect(waiting.outcome).toEqual({ met: false, timed_out: true, until: 'idle' });
  });

  it('WAIT-6: what happens at the very deadline wins, in either order', async () => {
    for (const isFirst of [true, false]) {
      const { reader, wait, program } = await setUp();
      const change = () =>
        harness.clock.after(1_000, () => {
          reader.shellState = 'idle';
          program.print('x');
        });
      if (isFirst) change();
      const waiting = follow(wait('idle', 1_000));
      if (!isFirst) change();
      harness.clock.advance(1_000);
      await settle();
      expect(waiting.outcome).toEqual(IDLE);
      if (isFirst) await harness.dispose();
    }
  });

  it('a change between the look and the subscription is not missed', async () => {
    const { wait, reader, id, program } = await setUp();
    reader.shellState = 'idle';
    program.print('x');
    // In the same turn: the output has come, nobody was told yet.
    expect(await wait('idle', undefined, id)).toEqual(IDLE);
  });

  it('a caller that leaves takes its timer along, also one that has left before', async () => {
    const { wait, caller, timers } = await setUp();
    const before = timers();
    const waiting = follow(wait('idle'));
    caller.abort();
    await settle();
    expect([waiting.outcome, timers()]).toEqual([expect.objectContaining({ met: false }), before]);
    expect(await wait('exited')).toMatchObject({ met: false });
    expect(timers()).toBe(before);
  });

  it('the end of the server answers it, and takes no more', async () => {
    const { wait, timers } = await setUp();
    const before = timers();
    const waiting = [follow(wait('idle')), follow(wait('exited'))];
    await settle();
    harness.service.endWaits();
    await settle();
    expect(waiting.map(({ outcome }) => outcome)).toEqual(['server_stopping', 'server_stopping']);
    await expect(wait('idle')).rejects.toMatchObject({ code: 'server_stopping' });
    expect(timers()).toBe(before);
  });

  it('many at one session are all woken by one change', async () => {
    const { wait, show } = await setUp();
    const waiting = Array.from({ length: 8 }, () => follow(wait('idle')));
    await show({ shellState: 'idle' });
    for (const { outcome } of waiting) expect(outcome).toEqual(IDLE);
  });

  it('after a restart the terminal is brought back for it', async () => {
    const { wait, reader, id } = await setUp();
    await harness.restart();
    const waiting = follow(wait('idle'));
    reader.shellState = 'idle';
    harness.process.program(id).print('x');
    await harness.settle();
    expect(waiting.outcome).toEqual(IDLE);
  });

  it('the deadline of the server comes after the longest wait', () => {
    expect(DEADLINES.wait).toBeLessThan(DEADLINES.request);
  });
});
