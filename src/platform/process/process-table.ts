/**
 * What the kernel says about processes. Linux reads /proc; elsewhere every answer is null (DESIGN D16: best effort), and
 * the callers show nothing instead of a guess.
 */
import { readdir, readlink } from 'node:fs/promises';
import { readStart } from './read-start.ts';

export interface ProcessEntry {
  pid: number;
  parent: number;
  /** Process group. */
  group: number;
  /** Kernel session: the pid of the terminal's first process. */
  session: number;
  /** Foreground process group of its terminal, -1 without one. */
  foregroundGroup: number;
  name: string;
  state: string;
  /** Clock ticks since boot; with the pid it names a process for good. */
  startTicks: number;
  residentBytes: number;
  cpuTicks: number;
}

export interface ProcessTable {
  /** Null when the process is gone or the kernel cannot be asked. */
  get(pid: number): Promise<ProcessEntry | null>;
  all(): Promise<ProcessEntry[] | null>;
  /** Leader of the foreground process group of the terminal whose first process is `pid`. */
  foreground(pid: number): Promise<{ pid: number; name: string } | null>;
  /** The folder a process works in; null also where this user may not ask. */
  workingFolder(pid: number): Promise<string | null>;
}

const PAGE = 4096;
/** Longer than any line of /proc/<pid>/stat. */
const STAT = 1_024;

export function createProcessTable(platform: NodeJS.Platform = process.platform, root = '/proc'): ProcessTable {
  if (platform !== 'linux') {
    const nothing = async () => null;
    return { get: nothing, all: nothing, foreground: nothing, workingFolder: nothing };
  }

  const get = async (pid: number): Promise<ProcessEntry | null> => {
    try {
      return parseStat((await readStart(`${root}/${pid}/stat`, STAT)).toString('utf8'));
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  };

  const all = async (): Promise<ProcessEntry[]> => {
    const entries: ProcessEntry[] = [];
    for (const name of await readdir(root)) {
      if (!/^\d+$/.test(name)) continue;
      const entry = await get(Number(name));
      if (entry !== null) entries.push(entry);
    }
    return entries;
  };

  return {
    get,
    all,
    foreground: async (pid) => {
      const first = await get(pid);
      if (first === null || first.foregroundGroup <= 0) return null;
      const leader = await get(first.foregroundGroup);
      if (leader !== null && leader.state !== 'Z') return { pid: leader.pid, name: leader.name };
      // The leader of a pipeline may be gone while the rest of its group runs.
      const member = (await all()).find((entry) => entry.group === first.foregroundGroup && entry.state !== 'Z');
      return member === undefined ? null : { pid: member.pid, name: member.name };
    },
    workingFolder: async (pid) => {
      try {
        return await readlink(`${root}/${pid}/cwd`);
      } catch (error) {
        if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return null;
        throw error;
      }
    },
  };
}

/** Parses /proc/<pid>/stat. The name stands in parentheses and may hold blanks and parentheses itself. */
export function parseStat(text: string): ProcessEntry | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(' ');
  const field = (index: number) => Number(fields[index - 3]);
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state: fields[0] ?? '?',
    parent: field(4),
    group: field(5),
    session: field(6),
    foregroundGroup: field(8),
    cpuTicks: field(14) + field(15),
    startTicks: field(22),
    residentBytes: field(24) * PAGE,
  };
}

/** A process may end between any two of our calls. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'ENOENT' || code === 'ESRCH';
}
