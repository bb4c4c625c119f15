import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SessionInfo } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { sessionInfo } from '../../test/kit/session-info.ts';
import { describeLeft, type Limits, watchLimits } from './limits.ts';

const limited = (retry_after_ms?: number, limited_until_ms?: number) =>
  new Map([
    [
      'one',
      sessionInfo('one', {
        state: {
          awaiting_input: false,
          rate_limited: true,
          last_activity_ms: 0,
          ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
          ...(limited_until_ms === undefined ? {} : { limited_until_ms }),
        },
      }),
    ],
  ]);

describe('until when a limit lasts', () => {
  it('counts from when it was first told; the same list again changes nothing; another time begins anew', () => {
    const clock = new ManualClock();
    const store = createStore(() => ({
      sessions: new Map() as ReadonlyMap<string, SessionInfo>,
      limits: new Map() as Limits,
    }));
    const watch = watchLimits(store, clock);
    const start = clock.now();
    store.setState({ sessions: limited(60_000) });
    expect(store.getState().limits).toEqual(new Map([['one', start + 60_000]]));
    const { limits } = store.getState();
    clock.advance(5_000);
    store.setState({ sessions: limited(60_000) });
    expect(store.getState().limits).toBe(limits);
    store.setState({ sessions: limited(30_000) });
    expect(store.getState().limits.get('one')).toBe(start + 35_000);
    store.setState({ sessions: new Map([['one', sessionInfo('one')]]) });
    expect(store.getState().limits.size).toBe(0);
    store.setState({ sessions: limited(60_000, 77_000) });
    expect(store.getState().limits.get('one')).toBe(77_000);
    store.setState({ sessions: limited() });
    expect(store.getState().limits.size).toBe(0);
    watch.dispose();
    store.setState({ sessions: limited(1_000) });
    expect(store.getState().limits.size).toBe(0);
  });

  it('is shown in minutes and seconds, and no more when it is over', () => {
    expect(describeLeft(65_000, 0)).toBe('1:05');
    expect(describeLeft(1, 0)).toBe('0:01');
    expect(describeLeft(3_661_000, 0)).toBe('1:01:01');
    expect(describeLeft(5, 5)).toBeUndefined();
  });
});
