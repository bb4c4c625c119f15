/** Starts all contestants of a row; one that cannot be had is named with its reason. */

import { startBare } from '../baselines/bare.ts';
import type { Contestant } from '../baselines/line.ts';
import { ours } from '../baselines/ours.ts';
import { startWetty } from '../baselines/wetty.ts';
import type { RowContext } from '../model.ts';
import { startProduct } from './server.ts';

export interface Contestants {
  readonly present: Contestant[];
  /** Name → why it is not there. */
  readonly absent: Map<string, string>;
}

export async function startContestants(context: RowContext, script: string): Promise<Contestants> {
  const present: Contestant[] = [];
  const absent = new Map<string, string>();
  const baselines = {
    bare: () => startBare(context.cleanup, script),
    wetty: () => startWetty(context.cleanup, script, context.progress),
  };
  for (const [name, start] of Object.entries(baselines)) {
    try {
      present.push(await start());
    } catch (error) {
      absent.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  present.push(ours(await startProduct(context), script));
  return { present, absent };
}
