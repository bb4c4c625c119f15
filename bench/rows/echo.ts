/** One byte typed, and the same byte back from `cat` in a raw terminal, again and again. */
import { type Contestant, type Line, untilReceived } from '../baselines/line.ts';
import { startContestants } from '../kit/contestants.ts';
import { interleave } from '../kit/interleave.ts';
import type { Row, RowContext } from '../model.ts';
import { medianRatio, quantile } from '../statistics.ts';

const READY = 'ready';

function roundTrip(line: Line): Promise<number> {
  return new Promise((resolve) => {
    const since = performance.now();
    line.onData(() => resolve(performance.now() - since));
    line.send('x');
  });
}

async function echo(context: RowContext, contestant: Contestant, line: Line, count: number): Promise<void> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) times.push(await roundTrip(line));
  context.sample(`${contestant.name} p50`, 'ms', quantile(times, 0.5));
  context.sample(`${contestant.name} p99`, 'ms', quantile(times, 0.99));
}

export const echoRow: Row = {
  id: 'echo',
  title: 'Echo of a key through server and host',
  rules: [
    {
      id: 'p50',
      title: 'p50 against bare',
      unit: 'ratio',
      relation: 'at most',
      must: 2,
      stretch: 1.4,
      baseline: 'bare',
    },
    {
      id: 'p99',
      title: 'p99 against bare',
      unit: 'ratio',
      relation: 'at most',
      must: 2,
      stretch: 1.4,
      baseline: 'bare',
    },
  ],
  async run(context) {
    const { present, absent } = await startContestants(context, `stty raw -echo; printf ${READY}; exec cat`);
    const count = context.size(1_000, 200);
    const runs: Record<string, () => Promise<void>> = {};
    for (const contestant of present) {
      const line = await contestant.open();
      context.cleanup.defer(() => line.close());
      await untilReceived(line, READY.length);
      // The first ones find cold code.
      for (let turn = 0; turn < count; turn++) await roundTrip(line);
      runs[contestant.name] = () => echo(context, contestant, line, count);
    }
    await interleave(context, runs);
    const reason = absent.get('bare');
    for (const share of ['p50', 'p99']) {
      if (reason !== undefined) context.withoutBaseline(share, reason);
      else context.figure(share, medianRatio(context.samples(`ours ${share}`), context.samples(`bare ${share}`)));
    }
    const without = absent.get('wetty');
    if (without !== undefined) context.note(`wetty was not measured: ${without}`);
  },
};
