/** The loop probe of bench/programs/loop-probe.mjs in a server of ours. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './machine.ts';

export interface LoopDelay {
  /** Longest gap of the loop in milliseconds, whoever caused it. */
  longest: number;
  /** Without the time in which another process had the processor. */
  longestOwn: number;
}

/** With `collect` each reading is followed by a collection of garbage. */
export function probeEnvironment(path: string, options: { collect?: boolean } = {}): Record<string, string> {
  const script = pathToFileURL(join(PROJECT, 'bench/programs/loop-probe.mjs')).href;
  return {
    TUIC_BENCH_PROBE: path,
    NODE_OPTIONS: `--import=${script}`,
    ...(options.collect === true ? { TUIC_BENCH_COLLECT: '1' } : {}),
  };
}

/** The answer was cut off: the server ended meanwhile. */
export class ProbeCut extends Error {}

/** Reads the longest delay since the last call, and starts anew. */
export function readProbe(path: string): Promise<LoopDelay> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path);
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', reject);
    socket.on('end', () => {
      if (text.endsWith('}')) resolve(JSON.parse(text) as LoopDelay);
      else reject(new ProbeCut());
    });
  });
}
