import { describe, expect, it } from 'vitest';
import {
  ADDRESSED_EVENTS,
  DEADLINES,
  ERRORS,
  EVENT_NAMES,
  EXIT_CODES,
  LIMITS,
  ROUTES,
} from '../../src/contract/index.ts';
import { DEFAULT_CONFIG } from '../../src/domain/config/index.ts';
import { checkPin, comparePin } from './pin.ts';

describe('pins', () => {
  it('can fail: a changed, a missing, a new and a moved entry', () => {
    expect(comparePin({ a: 1, b: 2 }, { a: 1, b: 2 })).toEqual([]);
    expect(comparePin({ a: 1, b: 2 }, { a: 1, b: 3 })).toEqual(['- "b": 2', '+ "b": 3']);
    expect(comparePin({ a: 1, b: 2 }, { a: 1 })).not.toEqual([]);
    expect(comparePin({ a: 1 }, { a: 1, b: 2 })).not.toEqual([]);
    expect(comparePin(['a', 'b', 'c'], ['b', 'a', 'c'])).not.toEqual([]);
  });

  it('the error table is the pinned one', () => expect(checkPin('errors', ERRORS)).toEqual([]));
  it('the events are the pinned ones', () =>
    expect(checkPin('events', [...EVENT_NAMES, ...ADDRESSED_EVENTS])).toEqual([]));
  it('the deadlines are the pinned ones', () => expect(checkPin('deadlines', DEADLINES)).toEqual([]));
  it('the limits are the pinned ones', () => expect(checkPin('limits', LIMITS)).toEqual([]));
  it('the exit codes are the pinned ones', () => expect(checkPin('exit-codes', EXIT_CODES)).toEqual([]));
  it('the routes are the pinned ones', () => expect(checkPin('routes', ROUTES)).toEqual([]));
  it('the defaults of the configuration are the pinned ones', () => {
    expect(checkPin('config-defaults', DEFAULT_CONFIG)).toEqual([]);
  });
});

describe('order of deadlines', () => {
  it('an inner answer comes before an outer timer: wait < confirm < request < bridge', () => {
    const order = [DEADLINES.nestedConfirm, DEADLINES.wait, DEADLINES.confirm, DEADLINES.request, DEADLINES.bridge];
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });

  it('a list of repositories is answered before the bridge gives it up', () => {
    expect(DEADLINES.repositoryLook).toBeLessThan(DEADLINES.bridgeOrdinary);
  });

  it('closing a session grows more urgent in steps that are longer each time', () => {
    expect(DEADLINES.closeInterrupt).toBeLessThan(DEADLINES.closeHangup);
    expect(DEADLINES.closeHangup).toBeLessThan(DEADLINES.closeTerminate);
  });
});

describe('routes', () => {
  it('each id and each method with path stands once', () => {
    const ids = ROUTES.map((route) => route.id);
    const places = ROUTES.map((route) => `${route.method} ${route.path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it('D4: a ticket is a credential on the login, on streams and for the files of a tab only', () => {
    for (const route of ROUTES) {
      if ('ticket' in route)
        expect(['login', 'session.stream', 'events', 'events.socket', 'tabs.file']).toContain(route.id);
    }
  });

  it('http.md 1.6: what ends the server or the host is local', () => {
    for (const route of ROUTES.filter(({ id }) => id === 'shutdown' || id.startsWith('host.'))) {
      expect([route.exposure, route.guard]).toEqual(['local', 'local']);
    }
  });
});

describe('order of limits', () => {
  it('the host keeps more than it may send ahead, and a checkpoint comes before the ring is full', () => {
    expect(LIMITS.hostCredit).toBeLessThan(LIMITS.ring);
    expect(LIMITS.checkpointEvery).toBeLessThan(LIMITS.ring);
    expect(LIMITS.ring % LIMITS.ringChunk).toBe(0);
    expect(LIMITS.writeSlice).toBeLessThan(LIMITS.writeQueue);
  });
});
