/** Gives back what loading the server has left in the heap. V8 by itself waits until memory is short or the process is idle for long. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** One full collection, some tens of milliseconds: for a moment when nobody waits. */
export function releaseMemory(): void {
  // The function is only there in contexts made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
