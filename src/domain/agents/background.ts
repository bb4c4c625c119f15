/**
 * Which processes are work that an agent left running beside its turn (STM-32).
 *
 * Agents run commands through a shell, so a shell that an agent process started is work while it lives, with all below it. What
 * an agent starts otherwise are its helpers: servers of tools and languages, which live as long as it does and say nothing.
 */
import type { ProcessEntry } from '../../platform/process/index.ts';
import { findAgent } from './catalogue/index.ts';
import { SHELL } from './foreground.ts';

/** Names of the work below the agent whose process is `pid`; a process keeps its name for good. */
export function findBackgroundWork(processes: readonly ProcessEntry[], pid: number): string[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of processes) {
    const siblings = children.get(entry.parent);
    if (siblings === undefined) children.set(entry.parent, [entry]);
    else siblings.push(entry);
  }
  const work: string[] = [];
  // A launcher may stand between the process in front and the agent itself.
  const agents = [pid];
  for (let at = 0; at < agents.length; at++) {
    for (const child of children.get(agents[at] ?? 0) ?? []) {
      if (child.state === 'Z') continue;
      if (SHELL.test(child.name)) work.push(`${child.pid}:${child.startTicks}`);
      else if (findAgent(child.name) !== undefined) agents.push(child.pid);
    }
  }
  return work;
}
