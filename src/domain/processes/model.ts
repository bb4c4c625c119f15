/** What the process monitor needs from outside, and what it offers. */
import type { Clock } from '../../base/index.ts';
import type { KilledProcess, KillProcess, ProcessHistory, ProcessStats } from '../../contract/index.ts';
import type { ProcessInspector } from '../../platform/process/index.ts';
import type { ProcessRoot } from '../sessions/index.ts';

export interface ProcessMonitorOptions {
  inspector: ProcessInspector;
  clock: Clock;
  serverPid: number;
  /** Resident bytes of the server itself, where the kernel cannot be asked. */
  ownMemory: () => number;
  hostPid: () => number | undefined;
  roots: () => ProcessRoot[];
  log: { warn(fields: object, message: string): void };
}

export interface ProcessMonitor {
  /** The newest sample: server, host, then each session's tree. The first look takes DEADLINES.processFirst. */
  stats(): Promise<ProcessStats[]>;
  history(after: number): Promise<ProcessHistory>;
  /** Refuses everything that is not a process of a session, looked at again right before the signal. */
  kill(input: KillProcess): Promise<KilledProcess>;
  close(): void;
}
