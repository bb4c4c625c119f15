/** A process of a baseline: started, waited for by what it prints, ended with the cleanup. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';
import { Signal } from '../../test/kit/eventually.ts';

export interface RunningChild {
  readonly process: ChildProcess;
  readonly pid: number;
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

export function startChild(cleanup: Cleanup, file: string, args: string[], options: SpawnOptions = {}): RunningChild {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const signal = new Signal();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-65_536);
      signal.notify();
    });
  }
  let ended = false;
  const closed = once(child, 'close').then(() => {
    ended = true;
    signal.notify();
  });
  cleanup.defer(async () => {
    if (!ended) child.kill('SIGKILL');
    await closed;
  });
  return {
    process: child,
    get pid() {
      if (child.pid === undefined) throw new Error(`${file} did not start`);
      return child.pid;
    },
    until: (pattern) =>
      signal.until(`${file} to print ${pattern}`, () => {
        const match = pattern.exec(output);
        if (match === null && ended) throw new Error(`${file} ended: ${output}`);
        return match ?? undefined;
      }),
  };
}
