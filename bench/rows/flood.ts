/** One session floods beside 100 idle ones: a small question to the server, and how long the server's loop is held up. */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { ServerUnderTest } from '../../test/kit/server.ts';
import { pause } from '../kit/interleave.ts';
import { textFile } from '../kit/machine.ts';
import { probeEnvironment, readProbe } from '../kit/probe.ts';
import { openSessions, startProduct } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median, medianRatio, quantile } from '../statistics.ts';

function ask(server: ServerUnderTest, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const get = request({ agent, host: '127.0.0.1', port: server.port, path: '/health' }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - since);
        else reject(new Error(`GET /health: ${response.statusCode}`));
      });
    });
    get.on('error', reject);
    get.end();
  });
}

export const floodRow: Row = {
  id: 'flood',
  title: 'One flood beside 100 idle sessions: trivial GET, event loop',
  rules: [
    {
      id: 'ratio',
      title: 'p99 of a GET against the same without flood',
      unit: 'ratio',
      relation: 'at most',
      must: 2.5,
      stretch: 2,
      baseline: 'no flood',
    },
    { id: 'p99', title: 'p99 of a GET under flood', unit: 'ms', relation: 'at most', must: 10 },
    { id: 'loop', title: 'longest event-loop block', unit: 'ms', relation: 'at most', must: 10, stretch: 5 },
  ],
  async run(context) {
    const place = await context.cleanup.temporaryDirectory('tuic-l-');
    const probe = join(place, 'probe');
    const server = await startProduct(context, { environment: probeEnvironment(probe) });
    await openSessions(server, context.size(100, 30), 'exec sleep 10000');
    const file = textFile(context.size(100_000_000, 20_000_000));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    context.cleanup.defer(() => agent.destroy());
    const count = context.size(1_000, 300);
    const measure = async (name: string) => {
      const times: number[] = [];
      for (let turn = 0; turn < count; turn++) times.push(await ask(server, agent));
      context.sample(`${name} p50`, 'ms', quantile(times, 0.5));
      context.sample(`${name} p99`, 'ms', quantile(times, 0.99));
    };
    await measure('warm-up');
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      await measure('no flood');
      const [id = ''] = await openSessions(server, 1, `while :; do cat ${file}; done`);
      await pause(500);
      await readProbe(probe);
      await measure('flood');
      const delay = await readProbe(probe);
      context.sample('longest block', 'ms', delay.longestOwn);
      context.sample('longest gap, the waits for a processor included', 'ms', delay.longest);
      await server.ipc.remove(id);
      await pause(500);
    }
    context.figure('ratio', medianRatio(context.samples('flood p99'), context.samples('no flood p99')));
    context.figure('p99', median(context.samples('flood p99')));
    context.figure('loop', median(context.samples('longest block')));
    context.note('The block of the event loop is told without the time in which the kernel ran another process.');
  },
};
