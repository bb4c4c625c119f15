/** A process table that the test writes: nothing is read from the machine and nobody is signalled. */
import type { MachineState, ProcessEntry, ProcessInspector } from '../../src/platform/process/index.ts';

export function processEntry(pid: number, parent: number, change: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parent,
    group: pid,
    session: pid,
    foregroundGroup: -1,
    name: `program-${pid}`,
    state: 'S',
    startTicks: pid * 10,
    residentBytes: 1_048_576,
    cpuTicks: 0,
    ...change,
  };
}

export class FakeProcesses implements ProcessInspector {
  /** Null: the kernel cannot be asked. */
  entries: ProcessEntry[] | null = [];
  readonly commands = new Map<number, string[]>();
  /** Value of TUIC_SESSION by pid. */
  readonly marks = new Map<number, string>();
  readonly signals: string[] = [];
  readonly refused = new Set<number>();
  machineState: MachineState | null = {
    cores: 2,
    uptimeSeconds: 1_000,
    memoryBytes: 8 * 1_073_741_824,
    usedBytes: 1_073_741_824,
    busyTicks: 0,
  };
  looks = 0;
  /** Pids whose environment was read, in order. */
  readonly asked: number[] = [];
  /** Replaced by a test that wants a look to wait or to fail. */
  beforeLook: () => Promise<void> = async () => {};

  change(pid: number, change: Partial<ProcessEntry>): void {
    this.entries = (this.entries ?? []).map((entry) => (entry.pid === pid ? { ...entry, ...change } : entry));
  }

  async all(): Promise<ProcessEntry[] | null> {
    this.looks++;
    await this.beforeLook();
    return this.entries === null ? null : [...this.entries];
  }

  async get(pid: number): Promise<ProcessEntry | null> {
    return this.entries?.find((entry) => entry.pid === pid) ?? null;
  }

  async commandLine(pid: number): Promise<string[] | null> {
    return this.commands.get(pid) ?? null;
  }

  async variable(pid: number, name: string): Promise<string | null> {
    this.asked.push(pid);
    return name === 'TUIC_SESSION' ? (this.marks.get(pid) ?? null) : null;
  }

  async machine(): Promise<MachineState | null> {
    return this.machineState;
  }

  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): 'sent' | 'gone' | 'refused' {
    if (this.refused.has(pid)) return 'refused';
    this.signals.push(`${signal} ${pid}`);
    return 'sent';
  }
}
