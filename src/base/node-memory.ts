/**
 * What a process of Node says of its memory, and how it gives some back. The modules of Node are handed in: nothing here imports them,
 * and both the server and the pty host use it.
 */
import type { IdleMemoryPorts } from './idle-memory.ts';

/** The parts of node:inspector, node:perf_hooks and node:v8 that are used. */
export interface NodeModules {
  Session: new () => {
    connect(): void;
    disconnect(): void;
    post(method: string, callback: (error: Error | null) => void): void;
  };
  performance: { eventLoopUtilization(now?: Utilization, before?: Utilization): Utilization };
  getHeapStatistics(): { total_heap_size: number; external_memory: number };
  setImmediate(callback: () => void): unknown;
}

interface Utilization {
  utilization: number;
  idle: number;
  active: number;
}

/**
 * Collects all that nobody holds, some tens of milliseconds: for a moment when nobody waits. The inspector's collection takes the
 * young generation back to its smallest size as well, which `gc()` leaves as it grew; it opens no port and no file.
 */
export function releaseMemory({ Session, setImmediate }: Pick<NodeModules, 'Session' | 'setImmediate'>): Promise<void> {
  const session = new Session();
  session.connect();
  return new Promise((resolve, reject) => {
    session.post('HeapProfiler.collectGarbage', (error) => {
      // The inspector holds a lock around this call that the end of the session takes as well: within it the process would stand for good.
      setImmediate(() => {
        session.disconnect();
        if (error === null) resolve();
        else reject(error);
      });
    });
  });
}

/** The figures of this process, and its release. */
export function nodeMemory(modules: NodeModules): Pick<IdleMemoryPorts, 'utilization' | 'held' | 'release'> {
  const { performance, getHeapStatistics } = modules;
  let before = performance.eventLoopUtilization();
  return {
    utilization() {
      const now = performance.eventLoopUtilization();
      const share = performance.eventLoopUtilization(now, before).utilization;
      before = now;
      return share;
    },
    held() {
      const heap = getHeapStatistics();
      return heap.total_heap_size + heap.external_memory;
    },
    release: () => releaseMemory(modules),
  };
}
