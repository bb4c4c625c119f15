/** What the kernel says about processes (Linux /proc). Nothing here trusts a pid alone: identity is pid and start time. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { eventually } from './eventually.ts';

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  session: number;
  state: string;
  /** Clock ticks after boot. */
  startTime: string;
  arguments: string[];
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // The process ended between two looks, or belongs to another user.
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  const commandLine = readOrUndefined(`/proc/${pid}/cmdline`);
  if (stat === undefined || commandLine === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '?',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? '',
    arguments: Buffer.from(commandLine, 'latin1').toString('utf8').split('\0').slice(0, -1),
  };
}

/** True while the process runs; a zombie is dead. */
export function isAlive(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== undefined && entry.state !== 'Z' && entry.state !== 'X';
}

export function listProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== undefined)
    .filter((entry) => entry.state !== 'Z' && entry.state !== 'X');
}

export function environmentOf(pid: number): Record<string, string> | undefined {
  const text = readOrUndefined(`/proc/${pid}/environ`);
  if (text === undefined) return undefined;
  const pairs = Buffer.from(text, 'latin1').toString('utf8').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** The server, its host and everything in its terminals: recognised by the configuration directory. */
export function processesOf(configDirectory: string): ProcessEntry[] {
  return listProcesses().filter(
    (entry) =>
      entry.pid !== process.pid &&
      (entry.arguments.includes(configDirectory) ||
        entry.arguments.some((argument) => argument.endsWith(`=${configDirectory}`)) ||
        environmentOf(entry.pid)?.TUIC_CONFIG_DIR === configDirectory),
  );
}

export function hostOf(configDirectory: string): ProcessEntry | undefined {
  return processesOf(configDirectory).find(
    (entry) =>
      entry.arguments.some((argument) => /pty-host[\\/]main\.cjs$/.test(argument)) &&
      entry.arguments.some((argument) => argument === configDirectory || argument.endsWith(`=${configDirectory}`)),
  );
}

/** Open descriptors as text of their targets, e.g. "socket:[123]" or a path. */
export function descriptorsOf(pid: number): string[] {
  const targets: string[] = [];
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      targets.push(readlinkSync(`/proc/${pid}/fd/${name}`));
    } catch (error) {
      // Closed between the listing and the look.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return targets;
}

/** Kinds of descriptors with their numbers: a changed inode is no leak, one more socket is. */
export function countDescriptors(pid: number): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const target of descriptorsOf(pid)) {
    const kind = target
      .replace(/:\[\d+\]$/, '')
      .replace(/^\/proc\/\d+\//, '/proc/self/')
      .replace(/^\/dev\/pts\/\d+$/, 'terminal');
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

export function childrenOf(pid: number): ProcessEntry[] {
  return listProcesses().filter((entry) => entry.parent === pid);
}

/** 0 once the process has ended. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readOrUndefined(`/proc/${pid}/status`) ?? '');
  return match === null ? 0 : Number(match[1]) * 1024;
}

/** Sends a signal to that very process: not to a later one that was given the same pid. */
export function signalProcess(entry: Pick<ProcessEntry, 'pid' | 'startTime'>, signal: NodeJS.Signals): void {
  if (readProcess(entry.pid)?.startTime !== entry.startTime) return;
  try {
    process.kill(entry.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function processGone(entry: Pick<ProcessEntry, 'pid' | 'startTime'>, patience?: number): Promise<void> {
  await eventually(
    `process ${entry.pid} to end`,
    () => !isAlive(entry.pid) || readProcess(entry.pid)?.startTime !== entry.startTime,
    patience,
  );
}

/** TCP ports on which any of these processes listens, with the address in the kernel's own form. */
export function listeningSockets(pids: readonly number[]): { address: string; port: number }[] {
  const inodes = new Set(
    pids.flatMap((pid) =>
      descriptorsOf(pid)
        .map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1])
        .filter((inode) => inode !== undefined),
    ),
  );
  const found: { address: string; port: number }[] = [];
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (readOrUndefined(file) ?? '').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [address, port] = (fields[1] ?? ':').split(':');
      if (fields[3] !== '0A' || !inodes.has(fields[9] ?? '') || address === undefined || port === undefined) continue;
      found.push({ address, port: Number.parseInt(port, 16) });
    }
  }
  return found;
}
