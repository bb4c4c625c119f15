/**
 * One parser time slice for all sessions: about 2 ms a turn, then the loop is free for everybody else (P7).
 * Sessions with work stand in one queue; who has work left goes to its end, so a flooding one delays nobody.
 */
import { DEADLINES } from '../../contract/index.ts';

export interface ParseJob {
  /** Parses for about `milliseconds`; true while work is left. */
  parseTurn(milliseconds: number): boolean;
}

export interface ParseScheduler {
  /** Puts the job in the queue, once. */
  request(job: ParseJob): void;
  cancel(job: ParseJob): void;
}

export function createParseScheduler(
  monotonic: () => number,
  defer: (turn: () => void) => void = setImmediate,
): ParseScheduler {
  const queue = new Set<ParseJob>();
  let scheduled = false;

  const schedule = () => {
    if (scheduled || queue.size === 0) return;
    scheduled = true;
    defer(turn);
  };

  const turn = () => {
    scheduled = false;
    const until = monotonic() + DEADLINES.parseTurn;
    try {
      for (const job of [...queue]) {
        if (!queue.has(job)) continue;
        queue.delete(job);
        const left = until - monotonic();
        if (job.parseTurn(Math.max(left, 0.5))) queue.add(job);
        if (monotonic() >= until) break;
      }
    } finally {
      schedule();
    }
  };

  return {
    request: (job) => {
      queue.add(job);
      schedule();
    },
    cancel: (job) => {
      queue.delete(job);
    },
  };
}
