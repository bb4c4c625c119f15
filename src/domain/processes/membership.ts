/**
 * Which processes belong to which session, from what the kernel says: below the session's first process, in its kernel session (what
 * `nohup` leaves behind), seen there before, or started with the session's mark in the environment (what a daemon left behind). A first
 * process counts only while it is a child of the terminal host, so a number that was given to somebody else is nobody's.
 */
import type { ProcessEntry } from '../../platform/process/index.ts';

/** The pid and the start: one process for good. */
export function processKey({ pid, startTicks }: ProcessEntry): string {
  return `${pid}:${startTicks}`;
}

export interface MembershipInput {
  entries: readonly ProcessEntry[];
  serverPid: number;
  hostPid: number | undefined;
  /** First pid of each session that runs. */
  roots: ReadonlyMap<number, string>;
  /** Session of a process that was seen in it before, or that carries its mark; by key. */
  known: (entry: ProcessEntry) => string | undefined;
}

export type Owner = { kind: 'server' } | { kind: 'host' } | { kind: 'session'; sessionId: string };

const SERVER: Owner = { kind: 'server' };
const HOST: Owner = { kind: 'host' };

/** Owners by pid; a process that is none of ours has no entry. */
export function findOwners({ entries, serverPid, hostPid, roots, known }: MembershipInput): Map<number, Owner> {
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const isReused = (pid: number) => {
    const entry = byPid.get(pid);
    return entry !== undefined && hostPid !== undefined && entry.parent !== hostPid;
  };
  const sessions = new Map([...roots].filter(([pid]) => !isReused(pid)));
  const owners = new Map<number, Owner | undefined>();

  const own = (entry: ProcessEntry): Owner | undefined => {
    if (entry.pid === serverPid) return SERVER;
    if (entry.pid === hostPid) return HOST;
    const kernelSession = sessions.get(entry.session);
    if (kernelSession !== undefined) return { kind: 'session', sessionId: kernelSession };
    const parent = byPid.get(entry.parent);
    const inherited = parent === undefined ? undefined : ownerOf(parent);
    if (inherited?.kind === 'session') return inherited;
    const sessionId = known(entry);
    return sessionId === undefined ? undefined : { kind: 'session', sessionId };
  };

  function ownerOf(entry: ProcessEntry): Owner | undefined {
    if (owners.has(entry.pid)) return owners.get(entry.pid);
    // The table is not read in one instant: parents may seem to form a ring.
    owners.set(entry.pid, undefined);
    const owner = own(entry);
    owners.set(entry.pid, owner);
    return owner;
  }

  const found = new Map<number, Owner>();
  for (const entry of entries) {
    const owner = ownerOf(entry);
    if (owner !== undefined) found.set(entry.pid, owner);
  }
  return found;
}

/** Members of one session: each below its parent, siblings by start; those whose parent is elsewhere come after the first process. */
export function inTreeOrder(members: readonly ProcessEntry[], rootPid: number | undefined): ProcessEntry[] {
  const pids = new Set(members.map(({ pid }) => pid));
  const children = new Map<number, ProcessEntry[]>();
  const tops: ProcessEntry[] = [];
  const sorted = [...members].sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  for (const entry of sorted) {
    const isTop = entry.pid === rootPid || !pids.has(entry.parent) || entry.parent === entry.pid;
    if (isTop) tops.push(entry);
    else children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  }
  tops.sort((a, b) => Number(b.pid === rootPid) - Number(a.pid === rootPid));
  const ordered: ProcessEntry[] = [];
  const seen = new Set<number>();
  const stack = tops.reverse();
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (seen.has(entry.pid)) continue;
    seen.add(entry.pid);
    ordered.push(entry);
    stack.push(...(children.get(entry.pid) ?? []).reverse());
  }
  // What a ring of parents would hide.
  return [...ordered, ...sorted.filter(({ pid }) => !seen.has(pid))];
}
