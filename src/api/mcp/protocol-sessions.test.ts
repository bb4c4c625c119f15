import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import type { Ids } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';
import { ProtocolSessions } from './protocol-sessions.ts';

const UUIDS = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'];

function setUp() {
  const clock = new ManualClock();
  let next = 0;
  const ids = { uuid: () => UUIDS[next++] ?? `aaaaaaaa-0000-4000-8000-${String(next).padStart(12, '0')}` };
  return { clock, sessions: new ProtocolSessions(clock, ids as Ids) };
}

/** A stream that remembers what reached it. */
function openOn(sessions: ProtocolSessions, id: string) {
  const got: unknown[] = [];
  let ends = 0;
  const close = sessions.openStream(id, { send: (message) => got.push(message) > 0, end: () => ends++ });
  return {
    got,
    close,
    get ends() {
      return ends;
    },
  };
}

const NOTICE = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

describe('which session an initialize gets', () => {
  it('TRN-6: a canonical id that is held is used again, so that the eager bridge and its client share one', () => {
    const { sessions } = setUp();
    const eager = sessions.initialize(undefined);
    const stream = openOn(sessions, eager.session.id);
    const proxied = sessions.initialize(eager.session.id);
    expect([proxied.event, proxied.session]).toEqual(['resumed', eager.session]);
    sessions.broadcast(NOTICE);
    expect(stream.got).toEqual([NOTICE]);
  });

  it('TRN-6: a held id that is no canonical UUID does not name the new session', () => {
    const { sessions } = setUp();
    sessions.touch('my-own-id', 'curl/8');
    const { session, event } = sessions.initialize('my-own-id');
    expect([event, session.id]).toEqual(['reconnected', UUIDS[0]]);
  });

  it('TRN-10: a reaped id comes back as reconnected, with another id', () => {
    const { clock, sessions } = setUp();
    const { session } = sessions.initialize(undefined);
    clock.advance(DEADLINES.mcpIdle);
    expect(sessions.reap(clock.now() - DEADLINES.mcpIdle)).toEqual([session.id]);
    const again = sessions.initialize(session.id);
    expect([again.event, again.session.id === session.id]).toEqual(['reconnected', false]);
  });

  it('TRN-9, TRN-15: a revived session takes its client from the User-Agent, and a bridge alone proves nothing', () => {
    const { sessions } = setUp();
    const kinds = ['tuic-bridge/0.1.0 (claude-code/2.1.0)', 'tuic-bridge/0.1.0', 'node'].map(
      (agent, index) => sessions.touch(`revived-${index}`, agent).isClaudeCode,
    );
    expect(kinds).toEqual([true, false, false]);
  });
});

describe('streams', () => {
  it('TRN-23 race A: the teardown of a half-open stream leaves the newer one in place', () => {
    const { sessions } = setUp();
    const old = openOn(sessions, 'a');
    const fresh = openOn(sessions, 'a');
    old.close();
    sessions.broadcast(NOTICE);
    expect([old.got, fresh.got]).toEqual([[], [NOTICE]]);
  });

  it('TRN-23 race B: two streams with a DELETE between, the first is dropped, the second still receives', () => {
    const { sessions } = setUp();
    sessions.touch('b', '');
    const old = openOn(sessions, 'b');
    expect(sessions.end('b')).toBe(true);
    expect(old.ends).toBe(1);
    sessions.touch('b', '');
    const fresh = openOn(sessions, 'b');
    old.close();
    sessions.broadcast(NOTICE);
    expect([old.got, fresh.got]).toEqual([[], [NOTICE]]);
  });

  it('TRN-23 race C: a stream that opens inside the message of another is neither lost nor told twice', () => {
    const { sessions } = setUp();
    let fresh: ReturnType<typeof openOn> | undefined;
    const closeOld = sessions.openStream('c', {
      // As when the write fails and the client is back before the teardown runs.
      send: () => {
        fresh = openOn(sessions, 'c');
        closeOld();
        return true;
      },
      end: () => {},
    });
    sessions.broadcast(NOTICE);
    expect(fresh?.got).toEqual([]);
    sessions.broadcast(NOTICE);
    expect(fresh?.got).toEqual([NOTICE]);
  });

  it('TRN-23 race D: a teardown after the session went, by DELETE or the reaper, takes nothing from its successor', () => {
    const { clock, sessions } = setUp();
    sessions.touch('d', '');
    const old = openOn(sessions, 'd');
    sessions.end('d');
    old.close();
    const fresh = openOn(sessions, 'd');
    old.close();
    sessions.broadcast(NOTICE);
    expect(fresh.got).toEqual([NOTICE]);
    fresh.close();
    clock.advance(DEADLINES.mcpIdle);
    sessions.broadcast(NOTICE);
    expect(fresh.got).toHaveLength(1);
  });

  it('M29: every session hears a notice once, on its newest stream', () => {
    const { sessions } = setUp();
    const streams = ['x', 'x', 'y'].map((id) => openOn(sessions, id));
    sessions.broadcast(NOTICE);
    expect(streams.map(({ got }) => got.length)).toEqual([0, 1, 1]);
    streams[1]?.close();
    sessions.broadcast(NOTICE);
    expect(streams.map(({ got }) => got.length)).toEqual([1, 1, 2]);
  });

  it('TRN-2: switching the endpoint off ends all streams, and their teardowns change nothing more', () => {
    const { sessions } = setUp();
    const streams = ['x', 'y'].map((id) => openOn(sessions, id));
    sessions.endStreams();
    expect(streams.map(({ ends }) => ends)).toEqual([1, 1]);
    for (const { close } of streams) close();
    sessions.broadcast(NOTICE);
    expect(streams.map(({ got }) => got)).toEqual([[], []]);
  });
});

describe('who is live, who is idle', () => {
  it('MSG 7.2: live is who has a stream or spoke within two pings of a bridge', () => {
    const { clock, sessions } = setUp();
    expect(sessions.isLive('never')).toBe(false);
    sessions.touch('quiet', '');
    clock.advance(2 * DEADLINES.bridgePing);
    expect(sessions.isLive('quiet')).toBe(true);
    clock.advance(1);
    expect(sessions.isLive('quiet')).toBe(false);
    const { close } = openOn(sessions, 'quiet');
    expect(sessions.isLive('quiet')).toBe(true);
    close();
    expect(sessions.isLive('quiet')).toBe(false);
  });

  it('MSG-27: an hour without a word ends a session, unless it listens', () => {
    const { clock, sessions } = setUp();
    sessions.touch('idle', '');
    sessions.touch('listening', '');
    const { close } = openOn(sessions, 'listening');
    clock.advance(DEADLINES.mcpIdle - 1);
    sessions.touch('busy', '');
    expect(sessions.reap(clock.now() - DEADLINES.mcpIdle)).toEqual([]);
    clock.advance(1);
    expect(sessions.reap(clock.now() - DEADLINES.mcpIdle)).toEqual(['idle']);
    close();
    expect(sessions.reap(clock.now() - DEADLINES.mcpIdle)).toEqual(['listening']);
    expect(sessions.end('busy')).toBe(true);
  });
});
