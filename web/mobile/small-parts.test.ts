import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { PendingCloses } from './pending-closes.ts';
import { readRoute, routePath } from './route.ts';

describe('addresses of the phone page', () => {
  it('lead to a session and back, whatever its reference', () => {
    for (const reference of ['tu-1', 'a b', 'ä/ö', '%', '..']) {
      expect(readRoute(routePath({ page: 'session', reference }))).toEqual({ page: 'session', reference });
    }
    for (const path of [
      '/mobile',
      '/mobile/',
      '/mobile/session/',
      '/mobile/session/a/b',
      '/mobile/x',
      '/mobile/session/%E0%A4',
    ]) {
      expect([path, readRoute(path)]).toEqual([path, { page: 'list' }]);
    }
  });
});

describe('closes that can be taken back', () => {
  function open() {
    const clock = new ManualClock();
    const committed: string[] = [];
    const closes = new PendingCloses(clock, { changed: () => undefined, commit: (id) => committed.push(id) });
    return { clock, closes, committed };
  }

  it('are sent once, when their time is over', () => {
    const { clock, closes, committed } = open();
    closes.add('a');
    closes.add('a');
    clock.advance(5_900);
    expect(committed).toEqual([]);
    clock.advance(200);
    closes.commitAll();
    expect(committed).toEqual(['a']);
  });

  it('are not sent when taken back, and at once when the page goes out of sight', () => {
    const { clock, closes, committed } = open();
    closes.add('a');
    closes.add('b');
    closes.undo('a');
    closes.commitAll();
    clock.advance(60_000);
    expect(committed).toEqual(['b']);
    expect(clock.pendingTimers).toBe(0);
  });
});
