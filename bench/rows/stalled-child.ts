/** 1 MB is typed at a program that reads nothing: what the waiting costs the host. */

import { cpuSeconds } from '../kit/cpu.ts';
import { pause } from '../kit/interleave.ts';
import { openSessions, requireHost, startProduct } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

export const stalledChildRow: Row = {
  id: 'stalled-child',
  title: 'A stalled program, 1 MB written to it',
  rules: [{ id: 'cpu', title: 'processor of the host', unit: 'percent', relation: 'at most', must: 2, stretch: 1 }],
  async run(context) {
    const server = await startProduct(context);
    const seconds = context.size(5, 2);
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      const [id = ''] = await openSessions(server, 1, 'stty raw -echo; echo ready; exec sleep 1000');
      await pause(500);
      await server.ipc.write(id, 'x'.repeat(1_000_000));
      const { pid } = requireHost(server);
      const before = cpuSeconds(pid);
      await pause(seconds * 1_000);
      context.sample('host', 'percent', ((cpuSeconds(pid) - before) / seconds) * 100);
      await server.ipc.remove(id);
    }
    context.figure('cpu', median(context.samples('host')));
  },
};
