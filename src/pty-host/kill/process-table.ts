/** The kernel's list of processes (Linux /proc), read in short turns so that terminals are not held up by a long list. */
import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

export interface ProcessRecord {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot: with the pid it names one process for good. */
  readonly startTime: number;
}

export interface ProcessTable {
  /** Running processes; the read begins after the call. */
  list(): Promise<ProcessRecord[]>;
  /** Undefined when it has ended; a zombie has. */
  find(pid: number): ProcessRecord | undefined;
  /** True when the process was started with this variable in its environment. */
  hasVariable(pid: number, name: string, value: string): boolean;
  signal(pid: number, signal: NodeJS.Signals): 'sent' | 'gone' | 'refused';
}

const TURN = 24;

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // It ended between two looks, belongs to somebody else, or the system has no /proc.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

export function readProcess(pid: number): ProcessRecord | undefined {
  if (process.platform !== 'linux') return probe(pid);
  const stat = readQuietly(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const state = fields[0];
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
  };
}

/** All that other systems tell without a program of their own. */
function probe(pid: number): ProcessRecord | undefined {
  return signal(pid, 0) === 'gone' ? undefined : { pid, parent: 0, group: pid, session: pid, startTime: 0 };
}

function signal(pid: number, name: NodeJS.Signals | 0): 'sent' | 'gone' | 'refused' {
  try {
    process.kill(pid, name);
    return 'sent';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ESRCH') return 'gone';
    if (code === 'EPERM') return 'refused';
    throw error;
  }
}

async function readAll(): Promise<ProcessRecord[]> {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  const found: ProcessRecord[] = [];
  let turn = 0;
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if (++turn % TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const record = readProcess(pid);
    if (record !== undefined) found.push(record);
  }
  return found;
}

export function createProcessTable(): ProcessTable {
  // Callers that ask while a read runs share the next one.
  let running: Promise<ProcessRecord[]> | undefined;
  let next: Promise<ProcessRecord[]> | undefined;
  const start = (): Promise<ProcessRecord[]> => {
    const read = readAll().finally(() => {
      if (running === read) running = undefined;
    });
    running = read;
    return read;
  };
  return {
    list() {
      if (running === undefined) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    find: readProcess,
    hasVariable(pid, name, value) {
      const environment = readQuietly(`/proc/${pid}/environ`);
      if (environment === undefined) return false;
      const wanted = Buffer.from(`${name}=${value}`, 'utf8').toString('latin1');
      return environment.startsWith(`${wanted}\0`) || environment.includes(`\0${wanted}\0`);
    },
    signal,
  };
}
