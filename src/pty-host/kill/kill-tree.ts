/**
 * Ends everything that a session started.
 *
 * Promises: the tree is taken before the first signal and added to at each step, since parents vanish and children then
 * belong to nobody; no process is signalled that is not the one that was found (pid and start time); processes that left
 * tree, group and session are found by the session's mark in their environment. Stops as soon as nothing is left.
 * A group is signalled as one only while all of it is of the session: what carries the mark may stand in the group of a script or of a
 * shell outside, which is nobody's to end.
 * A process that the system does not let us signal is left alone and not waited for.
 */
import type { Clock, Disposable } from '../../base/index.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';
import type { ProcessRecord, ProcessTable } from './process-table.ts';

export interface KillTarget {
  /** First process of the session, which is also the number of its process session. */
  readonly root: number;
  /** Start time of the root; undefined when it was gone before anybody looked. */
  readonly rootStart: number | undefined;
  /** Value of TUIC_SESSION, unless another live session has the same. */
  readonly marker: string | undefined;
  /** Roots of the other live sessions: their processes are never touched. */
  readonly others: readonly number[];
  /** Ctrl-C through the terminal. */
  interrupt(): void;
}

const MARKER = 'TUIC_SESSION';
/** A pty host that somebody started inside the session keeps its own terminals: it and what it runs are not of the session. */
const HOST_MARKER = 'TUIC_PTY_HOST';
const POLL = 20;
/** KILL is final; what is still there after this many looks hangs in the kernel. */
const KILL_ROUNDS = 100;

export class TreeKiller {
  readonly #clock: Clock;
  readonly #table: ProcessTable;
  readonly #target: KillTarget;
  /** Everything ever found, by pid. */
  readonly #found = new Map<number, ProcessRecord>();
  readonly #refused = new Set<number>();
  /** Groups that others are in too, as of the last look. */
  #shared: ReadonlySet<number> = new Set();
  #isHurried = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, table: ProcessTable, target: KillTarget) {
    this.#clock = clock;
    this.#table = table;
    this.#target = target;
  }

  /** Skips what is left of the grace times. */
  hurry(): void {
    this.#isHurried = true;
    this.#wake?.();
  }

  async run(): Promise<void> {
    await this.#look();
    if (!this.#isHurried) {
      this.#target.interrupt();
      await this.#waitUntilGone(DEADLINES.closeInterrupt);
    }
    const steps = [
      ['SIGHUP', DEADLINES.closeHangup],
      ['SIGTERM', DEADLINES.closeTerminate],
    ] as const;
    for (const [signal, grace] of steps) {
      if (this.#isHurried) break;
      await this.#look();
      if (this.#alive().length === 0) break;
      this.#signalGroups(signal);
      // A stopped process takes a signal only when it goes on.
      this.#signalGroups('SIGCONT');
      await this.#waitUntilGone(grace);
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    for (let round = 0; round < KILL_ROUNDS; round++) {
      await this.#look();
      const alive = this.#alive();
      if (alive.length === 0) return;
      for (const { pid } of alive) {
        if (this.#table.signal(pid, 'SIGKILL') === 'refused') this.#refused.add(pid);
      }
      await this.#waitUntilGone(POLL, true);
    }
    throw new AppError('kill_failed', { count: this.#alive().length });
  }

  /** Adds what belongs to the session now. */
  async #look(): Promise<void> {
    const all = await this.#table.list();
    if (all.length === 0) {
      // A system that lists no processes: then at least the program itself and its group.
      const record = this.#table.find(this.#target.root);
      if (record !== undefined && record.startTime === this.#target.rootStart) this.#found.set(record.pid, record);
      return;
    }
    const spared = this.#findSpared(all);
    const sessions = new Set<number>();
    const { root, rootStart, marker } = this.#target;
    const byPid = new Map(all.map((record) => [record.pid, record]));
    // A leader that now has another start time is somebody else's process with a number that was given out again.
    const addLeader = (pid: number, startTime: number | undefined) => {
      const now = byPid.get(pid);
      if (now === undefined || now.startTime === startTime) sessions.add(pid);
    };
    addLeader(root, rootStart);
    for (const known of this.#found.values()) if (known.session === known.pid) addLeader(known.pid, known.startTime);
    const children = new Map<number, ProcessRecord[]>();
    for (const record of all) {
      const siblings = children.get(record.parent);
      if (siblings === undefined) children.set(record.parent, [record]);
      else siblings.push(record);
    }
    const queue = all.filter((record) => this.#isKnown(record) || sessions.has(record.session));
    if (marker !== undefined) {
      queue.push(...all.filter((record) => this.#table.hasVariable(record.pid, MARKER, marker)));
    }
    const seen = new Set<number>();
    for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
      if (seen.has(record.pid) || spared.has(record.pid)) continue;
      seen.add(record.pid);
      if (this.#table.hasVariable(record.pid, HOST_MARKER, '1')) continue;
      this.#found.set(record.pid, record);
      queue.push(...(children.get(record.pid) ?? []));
      if (record.session === record.pid && !sessions.has(record.pid)) {
        sessions.add(record.pid);
        queue.push(...all.filter((other) => other.session === record.pid));
      }
    }
    this.#shared = new Set(all.filter((record) => !this.#isKnown(record)).map(({ group }) => group));
  }

  /** This process, its parents, and all that belongs to other sessions. */
  #findSpared(all: readonly ProcessRecord[]): Set<number> {
    const byPid = new Map(all.map((record) => [record.pid, record]));
    const spared = new Set<number>([0, 1]);
    for (let pid = process.pid; pid > 1 && !spared.has(pid); pid = byPid.get(pid)?.parent ?? 0) spared.add(pid);
    const others = new Set(this.#target.others);
    for (const record of all) {
      if (others.has(record.session)) spared.add(record.pid);
      const line: number[] = [];
      for (let at: ProcessRecord | undefined = record; at !== undefined; at = byPid.get(at.parent)) {
        line.push(at.pid);
        if (!others.has(at.pid)) continue;
        for (const pid of line) spared.add(pid);
        break;
      }
    }
    return spared;
  }

  #isKnown(record: ProcessRecord): boolean {
    return this.#found.get(record.pid)?.startTime === record.startTime;
  }

  #alive(): ProcessRecord[] {
    const alive: ProcessRecord[] = [];
    for (const known of this.#found.values()) {
      if (this.#refused.has(known.pid)) continue;
      const now = this.#table.find(known.pid);
      if (now?.startTime === known.startTime) alive.push(now);
    }
    // Parents first: a shell or a supervisor must not live to see its children die, and start others.
    return alive.sort((one, other) => one.startTime - other.startTime || one.pid - other.pid);
  }

  #signalGroups(signal: NodeJS.Signals): void {
    const alive = this.#alive();
    for (const { pid, group } of alive) if (this.#shared.has(group)) this.#table.signal(pid, signal);
    for (const group of new Set(alive.map((record) => record.group))) {
      if (this.#shared.has(group)) continue;
      // A group of the init process or of this one cannot be ours, whatever the table says.
      if (group > 1 && group !== process.pid) this.#table.signal(-group, signal);
    }
  }

  async #waitUntilGone(milliseconds: number, evenHurried = false): Promise<void> {
    const end = this.#clock.monotonic() + milliseconds;
    while (this.#alive().length > 0 && (evenHurried || !this.#isHurried)) {
      const left = end - this.#clock.monotonic();
      if (left <= 0) return;
      await this.#pause(Math.min(POLL, left));
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      let timer: Disposable | undefined;
      const done = () => {
        timer?.dispose();
        this.#wake = undefined;
        resolve();
      };
      this.#wake = done;
      timer = this.#clock.after(milliseconds, done);
    });
  }
}
