/** Until when the limits of agents last: what a page counts down to. */
import type { Clock, Disposable } from '../../src/base/index.ts';
import type { SessionInfo } from '../../src/contract/index.ts';
import { statusOf } from './session-status.ts';

/** Epoch milliseconds at which each limit is over, by session. */
export type Limits = ReadonlyMap<string, number>;

type Sessions = ReadonlyMap<string, SessionInfo>;

/**
 * The server tells when a limit is over. An older one tells only how long it lasts from when the agent printed it; then the first sight
 * counts, and what is told again in the same words changes nothing. The same map when nothing changed.
 */
export function keepLimits(known: Limits, before: Sessions, sessions: Sessions, now: number): Limits {
  const next = new Map<string, number>();
  for (const [id, session] of sessions) {
    const told = limitOf(session);
    if (told === undefined) continue;
    const since = known.get(id);
    const until = session.state?.limited_until_ms;
    if (until !== undefined) next.set(id, until);
    else next.set(id, since !== undefined && limitOf(before.get(id)) === told ? since : now + told);
  }
  const isSame = next.size === known.size && [...next].every(([id, until]) => known.get(id) === until);
  return isSame ? known : next;
}

function limitOf(session: SessionInfo | undefined): number | undefined {
  return session !== undefined && statusOf(session) === 'limited' ? session.state?.retry_after_ms : undefined;
}

/** The part of a store that this is about. */
interface LimitedStore {
  getState(): { limits: Limits };
  setState(change: { limits: Limits }): void;
  subscribe(listener: (state: { sessions: Sessions }, before: { sessions: Sessions }) => void): () => void;
}

/** Keeps the limits of a store true to its sessions. */
export function watchLimits(store: LimitedStore, clock: Clock): Disposable {
  const dispose = store.subscribe(({ sessions }, { sessions: before }) => {
    if (sessions === before) return;
    const { limits } = store.getState();
    const next = keepLimits(limits, before, sessions, clock.now());
    if (next !== limits) store.setState({ limits: next });
  });
  return { dispose };
}

/** Such as `1:05`; undefined once it is over. */
export function describeLeft(until: number, now: number): string | undefined {
  const seconds = Math.ceil((until - now) / 1_000);
  if (seconds <= 0) return undefined;
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
