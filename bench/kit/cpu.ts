/** Processor time of a process, from the kernel. */
import { readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** Seconds of all its threads, children not counted. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export function loadAverage(): number {
  return Number(readFileSync('/proc/loadavg', 'latin1').split(' ')[0]);
}
