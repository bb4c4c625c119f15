/**
 * Owns who is calling: the durable identities (peers) and the protocol sessions that speak for them (mcp.md 7.1, 7.2, 7.4).
 *
 * Ordering: every change is one synchronous section over memory and table, table first, so binding, joining and ending never overlap and
 * a refusal of the disk changes nothing. `last_seen` is written at most each LAST_SEEN_EVERY; reaping counts in hours.
 *
 * A route that was loaded at the start is stale until its protocol session speaks: liveness is asked anew each time, and a session that
 * has not spoken is not live.
 */
import { type Clock, isCanonicalUuid } from '../../base/index.ts';
import type { EventData } from '../../contract/index.ts';
import type { Database } from '../../platform/database/index.ts';
import { type Peer, PeerStore } from './peer-store.ts';

const LAST_SEEN_EVERY = 30_000;
const STANDARD_NAME = 'agent';

export type BindOutcome =
  /** Owns the identity now, as before or for the first time. */
  | 'bound'
  /** Took over from an owner that had gone (MSG-11). */
  | 'reclaimed'
  /** Speaks for it beside its live owner (MSG-12). */
  | 'joined'
  /** Not a canonical UUID: as if nothing was asserted (MSG-4). */
  | 'ignored';

export interface PeerService {
  /** The protocol session asserts by header that it speaks for `identity`. */
  bind(protocolSession: string, identity: string): BindOutcome;
  /** AGT-8: known before it speaks itself. One that is known already keeps what is not given. */
  introduce(identity: string, traits?: { name?: string; project?: string | null }): Peer;
  /** What a registration changes (MSG-13, MSG-22). */
  change(identity: string, change: Partial<Pick<Peer, 'name' | 'project' | 'orchestrator'>>): Peer;
  /** The identity is over, with all its routes. */
  remove(identity: string): void;
  /** A protocol session other than `protocolSession` owns it, and is there. */
  isOwnedByOther(identity: string, protocolSession: string): boolean;
  identityOf(protocolSession: string): string | undefined;
  get(identity: string): Peer | undefined;
  list(): Peer[];
  /** A protocol session ended: its route goes; with the last one the peer goes too, unless it must be kept (MSG-26, MSG-27). */
  release(protocolSession: string, options?: { keepsPeer?: boolean }): void;
  /** Identities without a protocol session that nobody needs: gone when last seen before `before` (MSG-27). */
  reap(before: number): string[];
}

export type PeerPublish = <N extends 'peer-registered' | 'peer-unregistered'>(name: N, data: EventData[N]) => void;

export interface PeerDependencies {
  database: Database;
  clock: Clock;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  publish: PeerPublish;
  /** The protocol session has a stream, or spoke in the last seconds. */
  isLive: (protocolSession: string) => boolean;
  /** A live or lost terminal belongs to the identity, or such a one names it as its parent. */
  isNeeded: (identity: string) => boolean;
  /** A protocol session speaks for the identity from now on. */
  onBound?: (protocolSession: string, identity: string) => void;
  /** Taken from a protocol session that had gone (MSG-11). */
  onReclaimed?: (protocolSession: string) => void;
  onRemoved?: (identity: string) => void;
}

export function createPeerService(dependencies: PeerDependencies): PeerService {
  const { clock, log, publish } = dependencies;
  const store = new PeerStore(dependencies.database);
  const peers = new Map<string, Peer>();
  const identities = new Map<string, string>();
  const routes = new Map<string, string[]>();
  const startedAt = clock.now();
  let number = 0;

  const loaded = store.load();
  for (const peer of loaded.peers) peers.set(peer.tuic_session, peer);
  for (const route of loaded.routes) {
    identities.set(route.protocol_session, route.tuic_session);
    routes.set(route.tuic_session, [...(routes.get(route.tuic_session) ?? []), route.protocol_session]);
    number = Math.max(number, route.number);
  }

  function dropRoute(protocolSession: string): string | undefined {
    const identity = identities.get(protocolSession);
    if (identity === undefined) return undefined;
    identities.delete(protocolSession);
    const rest = (routes.get(identity) ?? []).filter((each) => each !== protocolSession);
    if (rest.length === 0) routes.delete(identity);
    else routes.set(identity, rest);
    return identity;
  }

  function removePeer(identity: string): void {
    store.removePeer(identity);
    peers.delete(identity);
    for (const session of routes.get(identity) ?? []) identities.delete(session);
    routes.delete(identity);
    dependencies.onRemoved?.(identity);
    publish('peer-unregistered', { tuic_session: identity });
  }

  function addPeer(identity: string, owner: string | null, name: string, project: string | null): Peer {
    const now = clock.now();
    const peer: Peer = {
      tuic_session: identity,
      owner,
      name,
      project,
      registered_at: now,
      last_seen: now,
      orchestrator: false,
    };
    store.transaction(() => {
      store.savePeer(peer);
      if (owner !== null) addRoute(owner, identity);
    });
    peers.set(identity, peer);
    publish('peer-registered', { tuic_session: identity, name });
    return peer;
  }

  /** `session` no longer speaks for what it spoke for before. */
  function leave(session: string, keepsPeer: boolean): void {
    const identity = identities.get(session);
    const peer = identity === undefined ? undefined : peers.get(identity);
    if (identity === undefined || peer === undefined) return;
    const rest = (routes.get(identity) ?? []).filter((each) => each !== session);
    const survivor = rest.at(0) ?? null;
    if (survivor === null && !keepsPeer) {
      removePeer(identity);
      return;
    }
    const next = peer.owner === session ? { ...peer, owner: survivor } : peer;
    store.transaction(() => {
      store.removeRoute(session);
      if (next !== peer) store.savePeer(next);
    });
    dropRoute(session);
    peers.set(identity, next);
  }

  function addRoute(session: string, identity: string): void {
    number++;
    store.saveRoute({ protocol_session: session, tuic_session: identity, number });
    identities.set(session, identity);
    routes.set(identity, [...(routes.get(identity) ?? []), session]);
  }

  return {
    bind(session, identity) {
      if (!isCanonicalUuid(identity)) return 'ignored';
      const now = clock.now();
      const known = peers.get(identity);
      const isRouted = identities.get(session) === identity;
      const isOwner = known?.owner === session;
      if (known !== undefined && isRouted && (isOwner || (known.owner !== null && dependencies.isLive(known.owner)))) {
        if (now - known.last_seen >= LAST_SEEN_EVERY) {
          const seen = { ...known, last_seen: now };
          store.savePeer(seen);
          peers.set(identity, seen);
        }
        return isOwner ? 'bound' : 'joined';
      }
      if (!isRouted) leave(session, identities.has(session) && dependencies.isNeeded(identities.get(session) ?? ''));
      if (known === undefined) {
        addPeer(identity, session, STANDARD_NAME, null);
        dependencies.onBound?.(session, identity);
        return 'bound';
      }
      const { owner } = known;
      const isJoin = owner !== null && owner !== session && dependencies.isLive(owner);
      const next: Peer = { ...known, last_seen: now, owner: isJoin ? owner : session };
      store.transaction(() => {
        if (!isJoin && owner !== null && owner !== session) {
          store.removeRoute(owner);
          dropRoute(owner);
        }
        store.savePeer(next);
        if (!isRouted) addRoute(session, identity);
      });
      peers.set(identity, next);
      dependencies.onBound?.(session, identity);
      if (isJoin) return 'joined';
      if (owner === null || owner === session) return 'bound';
      dependencies.onReclaimed?.(owner);
      log.warn(
        { tuic_session: identity, from: owner, to: session },
        'an identity was taken over from a session that had gone',
      );
      return 'reclaimed';
    },

    introduce(identity, { name, project } = {}) {
      const known = peers.get(identity);
      if (known === undefined) return addPeer(identity, null, name ?? STANDARD_NAME, project ?? null);
      const next = { ...known, name: name ?? known.name, project: project === undefined ? known.project : project };
      store.savePeer(next);
      peers.set(identity, next);
      return next;
    },

    change(identity, change) {
      const known = peers.get(identity);
      if (known === undefined) throw new Error(`there is no peer ${identity}`);
      const next = { ...known, ...change, last_seen: clock.now() };
      store.savePeer(next);
      peers.set(identity, next);
      if (next.name !== known.name) publish('peer-registered', { tuic_session: identity, name: next.name });
      return next;
    },

    remove(identity) {
      if (peers.has(identity)) removePeer(identity);
    },

    isOwnedByOther(identity, session) {
      const owner = peers.get(identity)?.owner ?? null;
      const isRouted = identities.get(session) === identity;
      return owner !== null && owner !== session && !isRouted && dependencies.isLive(owner);
    },

    identityOf: (session) => identities.get(session),
    get: (identity) => peers.get(identity),
    list: () => [...peers.values()],

    release(session, { keepsPeer = false } = {}) {
      leave(session, keepsPeer);
    },

    reap(before) {
      const gone: string[] = [];
      for (const peer of [...peers.values()]) {
        const seen = Math.max(peer.last_seen, startedAt);
        const speaks = (routes.get(peer.tuic_session) ?? []).some((session) => dependencies.isLive(session));
        if (speaks || seen > before || dependencies.isNeeded(peer.tuic_session)) continue;
        removePeer(peer.tuic_session);
        gone.push(peer.tuic_session);
      }
      return gone;
    },
  };
}
