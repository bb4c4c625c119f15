/**
 * What a look at running processes needs beside their table: command line, marks in the environment, load of the machine, and a
 * signal that reports instead of throwing. Where the kernel cannot be asked answers are null (DESIGN D16).
 */
import { readFile } from 'node:fs/promises';
import { createProcessTable, type ProcessEntry } from './process-table.ts';
import { readStart } from './read-start.ts';

/** Clock ticks a second in everything /proc tells; a constant of Linux. */
export const TICKS_PER_SECOND = 100;

export interface MachineState {
  cores: number;
  uptimeSeconds: number;
  memoryBytes: number;
  /** What a new program could not have without swapping. */
  usedBytes: number;
  /** Of all processors together, since boot. */
  busyTicks: number;
}

export interface ProcessInspector {
  all(): Promise<ProcessEntry[] | null>;
  get(pid: number): Promise<ProcessEntry | null>;
  /** The arguments, at most `limit` bytes of them; empty for one without (a zombie), null when it is gone. */
  commandLine(pid: number, limit: number): Promise<string[] | null>;
  /** Value of a variable that the process was started with; null also for a process of somebody else. */
  variable(pid: number, name: string): Promise<string | null>;
  machine(): Promise<MachineState | null>;
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): 'sent' | 'gone' | 'refused';
}

const OUT_OF_REACH = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR']);

function codeOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? '') : '';
}

/** Null when it ended meanwhile or is not ours to read. */
async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (OUT_OF_REACH.has(codeOf(error))) return null;
    throw error;
  }
}

/** `cpu  user nice system idle iowait irq softirq steal ...` and a `cpuN` line for each processor. */
export function parseProcessors(text: string): { cores: number; busyTicks: number } {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '')
    .split(' ')
    .map(Number);
  const cores = text.match(/^cpu\d+ /gm)?.length ?? 0;
  return { cores: Math.max(1, cores), busyTicks: user + nice + system + irq + softirq + steal };
}

/** Bytes of a row of /proc/meminfo, 0 when it has none. */
export function parseMemory(text: string, row: string): number {
  return Number(new RegExp(`^${row}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1_024;
}

export function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): 'sent' | 'gone' | 'refused' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return 'gone';
    if (codeOf(error) === 'EPERM') return 'refused';
    throw error;
  }
}

export function createProcessInspector(platform: NodeJS.Platform = process.platform, root = '/proc'): ProcessInspector {
  const { all, get } = createProcessTable(platform, root);
  if (platform !== 'linux') {
    const nothing = async () => null;
    return { all, get, commandLine: nothing, variable: nothing, machine: nothing, signal: signalProcess };
  }
  return {
    all,
    get,
    async commandLine(pid, limit) {
      const bytes = await orNull(readStart(`${root}/${pid}/cmdline`, limit));
      if (bytes === null) return null;
      // A program may have written over it, also without the zero at the end.
      return bytes
        .toString('utf8')
        .replace(/\0+$/, '')
        .split('\0')
        .filter((part, at) => at > 0 || part !== '');
    },
    async variable(pid, name) {
      const text = await orNull(readFile(`${root}/${pid}/environ`, 'utf8'));
      const start = `${name}=`;
      const found = text?.split('\0').find((entry) => entry.startsWith(start));
      return found?.slice(start.length) ?? null;
    },
    async machine() {
      // A container may hide one of them; half an answer would be drawn as a whole one.
      const read = await orNull(
        Promise.all(['uptime', 'stat', 'meminfo'].map((name) => readFile(`${root}/${name}`, 'utf8'))),
      );
      if (read === null) return null;
      const [uptime = '', stat = '', memory = ''] = read;
      const memoryBytes = parseMemory(memory, 'MemTotal');
      return {
        ...parseProcessors(stat),
        uptimeSeconds: Number.parseFloat(uptime),
        memoryBytes,
        usedBytes: Math.max(0, memoryBytes - parseMemory(memory, 'MemAvailable')),
      };
    },
    signal: signalProcess,
  };
}
