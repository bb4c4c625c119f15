/** Takes one look at all processes and puts it into the form of the contract. Remembers what a later look needs of the one before. */
import { LIMITS, type MachineLoad, type ProcessLoad, type ProcessStats } from '../../contract/index.ts';
import { type MachineState, type ProcessEntry, TICKS_PER_SECOND } from '../../platform/process/index.ts';
import type { ProcessRoot } from '../sessions/index.ts';
import { findOwners, inTreeOrder, type Owner, processKey } from './membership.ts';
import type { ProcessMonitorOptions } from './model.ts';
import { commandText, showable } from './text.ts';

const MARK = 'TUIC_SESSION';
const PRODUCT = 'TUICommander';
const HOST = 'Terminal host';
const MILLISECONDS_PER_TICK = 1_000 / TICKS_PER_SECOND;

export interface Look {
  /** Monotonic. */
  at: number;
  rows: ProcessStats[];
  processCount: number;
  total: ProcessLoad;
  server: ProcessLoad;
  host: ProcessLoad;
  sessions: Map<string, ProcessLoad>;
  names: Map<string, string>;
  machine: MachineLoad | null;
}

interface Before {
  at: number;
  ticks: Map<string, number>;
  busyTicks: number | undefined;
}

export interface Membership {
  entries: ProcessEntry[];
  owners: Map<number, Owner>;
  roots: ProcessRoot[];
}

function add(load: ProcessLoad, row: ProcessLoad): void {
  load.cpu_pct += row.cpu_pct;
  load.rss_kb += row.rss_kb;
}

const tenths = (value: number) => Math.round(Math.max(0, value) * 10) / 10;
const rounded = ({ cpu_pct, rss_kb }: ProcessLoad): ProcessLoad => ({ cpu_pct: tenths(cpu_pct), rss_kb });
const empty = (): ProcessLoad => ({ cpu_pct: 0, rss_kb: 0 });

export class Sampler {
  readonly #options: ProcessMonitorOptions;
  #before: Before | undefined;
  /** By key: the session a process was seen in, and the mark it was started with. */
  #seen = new Map<string, string>();
  #marks = new Map<string, string | null>();

  constructor(options: ProcessMonitorOptions) {
    this.#options = options;
  }

  /** The next look has nothing to compare with. */
  forgetLoads(): void {
    this.#before = undefined;
  }

  /** Who belongs to whom now; null where the kernel cannot be asked. */
  async members(): Promise<Membership | null> {
    const { inspector, serverPid, hostPid, roots: readRoots } = this.#options;
    const entries = await inspector.all();
    if (entries === null) return null;
    // Asked together, after the table: a session that began in between has no row yet, which the next look mends.
    const [host, roots] = [hostPid(), readRoots()];
    const input = {
      entries,
      serverPid,
      hostPid: host,
      roots: new Map(roots.map((root) => [root.pid, root.sessionId])),
    };
    await this.#readMarks(entries, findOwners({ ...input, known: (entry) => this.#seen.get(processKey(entry)) }));
    const byMark = new Map(roots.map(({ mark, sessionId }) => [mark, sessionId]));
    const running = new Set(roots.map(({ sessionId }) => sessionId));
    const owners = findOwners({
      ...input,
      known: (entry) => {
        const key = processKey(entry);
        const seen = this.#seen.get(key);
        if (seen !== undefined && running.has(seen)) return seen;
        const mark = this.#marks.get(key);
        return mark === undefined || mark === null ? undefined : byMark.get(mark);
      },
    });
    this.#remember(entries, owners);
    return { entries, owners, roots };
  }

  async look(): Promise<Look> {
    const at = this.#options.clock.monotonic();
    const [members, machine] = await Promise.all([this.members(), this.#options.inspector.machine()]);
    if (members === null) return this.#blindLook(at);
    const { entries, owners, roots } = members;
    const groups = new Map<string, ProcessEntry[]>();
    const own = new Map<'server' | 'host', ProcessEntry>();
    for (const entry of entries) {
      const owner = owners.get(entry.pid);
      if (owner === undefined) continue;
      if (owner.kind === 'session') groups.set(owner.sessionId, [...(groups.get(owner.sessionId) ?? []), entry]);
      else own.set(owner.kind, entry);
    }
    const look: Look = {
      at,
      rows: [],
      processCount: owners.size,
      total: empty(),
      server: empty(),
      host: empty(),
      sessions: new Map(),
      names: new Map(),
      machine: this.#machineLoad(machine, at),
    };
    const take = async (entry: ProcessEntry, load: ProcessLoad, identity: Partial<ProcessStats>) => {
      const one = { cpu_pct: this.#cpuOf(entry, at, machine), rss_kb: Math.round(entry.residentBytes / 1_024) };
      add(load, one);
      add(look.total, one);
      if (look.rows.length < LIMITS.processRows) look.rows.push(await this.#row(entry, one, machine, identity));
    };
    for (const kind of ['server', 'host'] as const) {
      const entry = own.get(kind);
      if (entry !== undefined) await take(entry, look[kind], { kind, name: kind === 'server' ? PRODUCT : HOST });
    }
    for (const { sessionId, name, label, pid } of roots) {
      const load = empty();
      const shown = showable(name);
      for (const entry of inTreeOrder(groups.get(sessionId) ?? [], pid)) {
        const isFirst = entry.pid === pid;
        await take(entry, load, { session_id: sessionId, ...(isFirst ? { kind: 'session', name: shown } : {}) });
      }
      look.sessions.set(sessionId, rounded(load));
      look.names.set(sessionId, showable(label));
    }
    for (const name of ['total', 'server', 'host'] as const) look[name] = rounded(look[name]);
    this.#before = {
      at,
      ticks: new Map(entries.map((entry) => [processKey(entry), entry.cpuTicks])),
      busyTicks: machine?.busyTicks,
    };
    return look;
  }

  async #row(
    entry: ProcessEntry,
    load: ProcessLoad,
    machine: MachineState | null,
    identity: Partial<ProcessStats>,
  ): Promise<ProcessStats> {
    const program = showable(entry.name);
    const values = await this.#options.inspector.commandLine(entry.pid, LIMITS.processCommand);
    return {
      session_id: null,
      name: program,
      pid: entry.pid,
      ...rounded(load),
      kind: 'process',
      parent_pid: entry.parent,
      program,
      command: commandText(values, entry.name),
      start_ticks: entry.startTicks,
      age_secs:
        machine === null ? 0 : Math.max(0, Math.floor(machine.uptimeSeconds - entry.startTicks / TICKS_PER_SECOND)),
      state: entry.state,
      is_foreground: entry.foregroundGroup === entry.pid,
      ...identity,
    };
  }

  /** Unknown processes report 0 (http.md 7). */
  #blindLook(at: number): Look {
    const { serverPid, hostPid, roots, ownMemory } = this.#options;
    const server = { cpu_pct: 0, rss_kb: Math.round(ownMemory() / 1_024) };
    const base = {
      ...empty(),
      parent_pid: 0,
      program: '',
      command: '',
      start_ticks: 0,
      age_secs: 0,
      state: '?',
      is_foreground: false,
    };
    const host = hostPid();
    const running = roots().map((root) => ({ ...root, name: showable(root.name), label: showable(root.label) }));
    const rows: ProcessStats[] = [
      { session_id: null, name: PRODUCT, pid: serverPid, ...base, ...server, kind: 'server' },
      ...(host === undefined ? [] : [{ session_id: null, name: HOST, pid: host, ...base, kind: 'host' as const }]),
      ...running.map(({ sessionId, name, pid }) => {
        return { session_id: sessionId, name, pid, ...base, kind: 'session' as const };
      }),
    ];
    return {
      at,
      rows,
      processCount: rows.length,
      total: server,
      server,
      host: empty(),
      sessions: new Map(running.map(({ sessionId }) => [sessionId, empty()])),
      names: new Map(running.map(({ sessionId, label }) => [sessionId, label])),
      machine: null,
    };
  }

  /** Percent of one processor since the look before; of its whole life for one that is younger than that. */
  #cpuOf(entry: ProcessEntry, at: number, machine: MachineState | null): number {
    const before = this.#before;
    if (before === undefined) return 0;
    const elapsed = at - before.at;
    const earlier = before.ticks.get(processKey(entry));
    const age = machine === null ? 0 : machine.uptimeSeconds * 1_000 - entry.startTicks * MILLISECONDS_PER_TICK;
    // Younger than a tick or two, its share would be a guess.
    const time = earlier === undefined ? Math.max(age, elapsed / 2) : elapsed;
    return time <= 0 ? 0 : ((entry.cpuTicks - (earlier ?? 0)) * MILLISECONDS_PER_TICK * 100) / time;
  }

  #machineLoad(machine: MachineState | null, at: number): MachineLoad | null {
    if (machine === null) return null;
    const before = this.#before;
    const busy = before?.busyTicks === undefined ? 0 : machine.busyTicks - before.busyTicks;
    const elapsed = before === undefined ? 0 : at - before.at;
    const load = elapsed <= 0 ? 0 : (busy * MILLISECONDS_PER_TICK * 100) / elapsed;
    return {
      cores: machine.cores,
      memory_kb: Math.round(machine.memoryBytes / 1_024),
      memory_used_kb: Math.round(machine.usedBytes / 1_024),
      cpu_pct: Math.min(tenths(load), machine.cores * 100),
    };
  }

  /** Each process is asked once in its life, and only one that nothing else places. */
  async #readMarks(entries: readonly ProcessEntry[], owners: ReadonlyMap<number, Owner>): Promise<void> {
    for (const entry of entries) {
      const key = processKey(entry);
      if (owners.has(entry.pid) || this.#marks.has(key)) continue;
      this.#marks.set(key, await this.#options.inspector.variable(entry.pid, MARK));
    }
  }

  #remember(entries: readonly ProcessEntry[], owners: ReadonlyMap<number, Owner>): void {
    const seen = new Map<string, string>();
    const marks = new Map<string, string | null>();
    for (const entry of entries) {
      const key = processKey(entry);
      const owner = owners.get(entry.pid);
      if (owner?.kind === 'session') seen.set(key, owner.sessionId);
      const mark = this.#marks.get(key);
      if (mark !== undefined) marks.set(key, mark);
    }
    this.#seen = seen;
    this.#marks = marks;
  }
}
