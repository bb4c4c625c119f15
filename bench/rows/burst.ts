/** A program prints 100 MB as fast as it may, and one viewer takes it; our engine parses every byte meanwhile. */
import { readFile } from 'node:fs/promises';
import { type Contestant, untilReceived } from '../baselines/line.ts';
import { startTmux, type TmuxPane } from '../baselines/tmux.ts';
import { startContestants } from '../kit/contestants.ts';
import { cpuSeconds } from '../kit/cpu.ts';
import { interleave } from '../kit/interleave.ts';
import { textFile, turnedLength } from '../kit/machine.ts';
import type { Row, RowContext } from '../model.ts';
import { medianRatio } from '../statistics.ts';

const READY = 'ready';
const MEGABYTE = 1e6;

async function burst(context: RowContext, contestant: Contestant, expected: number): Promise<void> {
  const line = await contestant.open();
  await untilReceived(line, READY.length);
  const pids = contestant.pids();
  const processorBefore = pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const since = performance.now();
  line.send('\n');
  await untilReceived(line, READY.length + expected);
  const seconds = (performance.now() - since) / 1_000;
  const processor = pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0) - processorBefore;
  await line.close();
  context.sample(contestant.name, 'MB/s', expected / MEGABYTE / seconds);
  context.sample(`${contestant.name}: processor`, 's', processor);
}

async function tmuxOrReason(context: RowContext): Promise<TmuxPane | string> {
  try {
    return await startTmux(context.cleanup);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const rules = [
  { id: 'bare', title: 'rate against bare', baseline: 'bare', must: 0.6, stretch: 0.9 },
  { id: 'tmux', title: 'rate against tmux', baseline: 'tmux', must: 2.5 },
  { id: 'wetty', title: 'rate against wetty', baseline: 'wetty', must: 1 },
].map((rule) => ({ ...rule, unit: 'ratio', relation: 'at least' }) as const);

export const burstRow: Row = {
  id: 'burst',
  title: '100 MB burst to one viewer, engine on, server and host',
  rules,
  async run(context) {
    const file = textFile(context.size(100_000_000, 20_000_000));
    const expected = turnedLength(await readFile(file));
    // It waits at the end: some of the others lose the last bytes of a program that ends.
    const script = `stty -echo; printf ${READY}; read go; cat ${file}; read go`;
    const { present, absent } = await startContestants(context, script);
    const tmux = await tmuxOrReason(context);
    const runs: Record<string, () => Promise<void>> = {};
    for (const contestant of present) runs[contestant.name] = () => burst(context, contestant, expected);
    if (typeof tmux === 'string') absent.set('tmux', tmux);
    else {
      runs.tmux = async () => {
        context.sample('tmux', 'MB/s', expected / MEGABYTE / ((await tmux.show(file)) / 1_000));
      };
    }
    await interleave(context, runs);
    for (const rule of rules) {
      const reason = absent.get(rule.baseline);
      if (reason !== undefined) context.withoutBaseline(rule.id, reason);
      else context.figure(rule.id, medianRatio(context.samples('ours'), context.samples(rule.baseline)));
    }
  },
};
