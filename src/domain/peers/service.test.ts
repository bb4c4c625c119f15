import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { type Database, openDatabase } from '../../platform/database/index.ts';
import { createPeerService, type PeerService, peerMigrations } from './index.ts';

const ONE = '11111111-2222-4333-8444-555555555555';
const TWO = '22222222-2222-4333-8444-555555555555';

/** The tables of the peers alone, so that they are the first of the file. */
const migrations = peerMigrations.map((migration, index) => ({ ...migration, version: index + 1 }));

const cleanup = cleanupAfterEach();
let clock: ManualClock;
let database: Database;
let live: Set<string>;
let needed: Set<string>;
let events: [string, unknown][];
let warnings: unknown[];
let peers: PeerService;

/** As a server that starts over the same file. */
function start(): PeerService {
  return createPeerService({
    database,
    clock,
    log: { info: () => {}, warn: (fields) => warnings.push(fields) },
    publish: (name, data) => events.push([name, data]),
    isLive: (session) => live.has(session),
    isNeeded: (identity) => needed.has(identity),
  });
}

beforeEach(async () => {
  const directory = await cleanup.temporaryDirectory();
  database = openDatabase(join(directory, 'state.db'), { migrations });
  cleanup.defer(() => database.close());
  clock = new ManualClock();
  live = new Set();
  needed = new Set();
  events = [];
  warnings = [];
  peers = start();
});

describe('who speaks for an identity', () => {
  it('MSG-5, MSG-10: a free identity is bound, named "agent", and told once', () => {
    expect([peers.bind('a', ONE), peers.bind('a', ONE)]).toEqual(['bound', 'bound']);
    expect(peers.identityOf('a')).toBe(ONE);
    expect(peers.get(ONE)).toMatchObject({ owner: 'a', name: 'agent', project: null, registered_at: clock.now() });
    expect(events).toEqual([['peer-registered', { tuic_session: ONE, name: 'agent' }]]);
  });

  it('MSG-4: what is no canonical UUID binds nothing', () => {
    for (const identity of ['', 'agent', ONE.toUpperCase().replace('1', 'G'), `${ONE} `, ONE.replaceAll('-', '')]) {
      expect(peers.bind('a', identity)).toBe('ignored');
    }
    expect([peers.identityOf('a'), peers.list(), events]).toEqual([undefined, [], []]);
  });

  it('MSG-11: the identity of an owner that has gone is taken over, and its old route goes', () => {
    peers.bind('old', ONE);
    expect(peers.bind('new', ONE)).toBe('reclaimed');
    expect([peers.identityOf('old'), peers.identityOf('new'), peers.get(ONE)?.owner]).toEqual([undefined, ONE, 'new']);
    expect(warnings).toEqual([{ tuic_session: ONE, from: 'old', to: 'new' }]);
  });

  it('MSG-12: two bridges of one terminal join, and the owner does not flip between them', () => {
    live.add('a').add('b');
    peers.bind('a', ONE);
    for (const session of ['b', 'a', 'b', 'a']) peers.bind(session, ONE);
    expect([peers.identityOf('a'), peers.identityOf('b'), peers.get(ONE)?.owner]).toEqual([ONE, ONE, 'a']);
    expect(peers.bind('b', ONE)).toBe('joined');
    live.delete('a');
    expect(peers.bind('b', ONE)).toBe('reclaimed');
    expect(peers.get(ONE)?.owner).toBe('b');
  });

  it('MSG-1: a session that names another identity speaks for that one alone', () => {
    peers.bind('a', ONE);
    expect(peers.bind('a', TWO)).toBe('bound');
    expect(peers.identityOf('a')).toBe(TWO);
    expect(peers.list().map(({ tuic_session }) => tuic_session)).toEqual([TWO]);
    needed.add(TWO);
    peers.bind('a', ONE);
    expect(peers.get(TWO)?.owner).toBeNull();
  });
});

describe('endings', () => {
  it('MSG-26: of two owners one leaves and the other becomes the owner; the last takes the peer along', () => {
    live.add('a').add('b');
    peers.bind('a', ONE);
    peers.bind('b', ONE);
    peers.release('a');
    expect([peers.identityOf('a'), peers.get(ONE)?.owner]).toEqual([undefined, 'b']);
    peers.release('b');
    expect(peers.get(ONE)).toBeUndefined();
    expect(events.at(-1)).toEqual(['peer-unregistered', { tuic_session: ONE }]);
    peers.release('b');
    expect(events).toHaveLength(2);
  });

  it('MSG-27: an identity whose terminal lives is kept without a session, and found again by the next', () => {
    peers.bind('a', ONE);
    peers.release('a', { keepsPeer: true });
    expect(peers.get(ONE)?.owner).toBeNull();
    expect(peers.bind('b', ONE)).toBe('bound');
    expect(events.map(([name]) => name)).toEqual(['peer-registered']);
  });

  it('MSG-27: who was last seen before the limit goes, unless it speaks or somebody needs it', () => {
    peers.bind('a', ONE);
    clock.advance(1_000);
    peers.bind('b', TWO);
    expect(peers.reap(clock.now() - 1_000)).toEqual([ONE]);
    expect(peers.identityOf('a')).toBeUndefined();
    needed.add(TWO);
    expect(peers.reap(clock.now())).toEqual([]);
    needed.clear();
    live.add('b');
    expect(peers.reap(clock.now())).toEqual([]);
    live.clear();
    expect(peers.reap(clock.now())).toEqual([TWO]);
  });
});

describe('over a restart', () => {
  it('MSG-8: identities, names of the owners and routes are there again; a restored route is stale', () => {
    live.add('a').add('b');
    peers.bind('a', ONE);
    peers.bind('b', ONE);
    const before = peers.get(ONE);
    live.clear();
    events = [];
    const again = start();
    expect([again.get(ONE), again.identityOf('a'), again.identityOf('b')]).toEqual([before, ONE, ONE]);
    expect(events).toEqual([]);
    live.add('c');
    expect(again.bind('c', ONE)).toBe('reclaimed');
    expect(again.identityOf('b')).toBe(ONE);
  });

  it('MSG-27: after a restart a peer is judged by the start of the server, not by its last word', () => {
    peers.bind('a', ONE);
    clock.advance(3_600_000);
    const again = start();
    expect(again.reap(clock.now() - 1)).toEqual([]);
    clock.advance(3_600_000);
    expect(again.reap(clock.now() - 3_600_000)).toEqual([ONE]);
    expect(start().list()).toEqual([]);
  });

  it('MSG-8: what the file refuses has not happened', () => {
    peers.bind('a', ONE);
    database.run('DROP TABLE peer_routes');
    expect(() => peers.bind('b', TWO)).toThrow();
    expect([peers.identityOf('b'), peers.get(TWO), peers.identityOf('a')]).toEqual([undefined, undefined, ONE]);
    expect(events.map(([name]) => name)).toEqual(['peer-registered']);
  });

  it('MSG-27: the last word of a talkative session is written every half minute, not with each request', () => {
    peers.bind('a', ONE);
    const first = peers.get(ONE)?.last_seen ?? 0;
    clock.advance(29_999);
    peers.bind('a', ONE);
    expect(peers.get(ONE)?.last_seen).toBe(first);
    clock.advance(1);
    peers.bind('a', ONE);
    expect(start().get(ONE)?.last_seen).toBe(clock.now());
  });
});
