/** Resident memory of server and host together: as they start, with idle sessions, with sessions of 10,000 lines. */
import { residentBytes } from '../../test/kit/processes.ts';
import type { ServerUnderTest } from '../../test/kit/server.ts';
import { pause } from '../kit/interleave.ts';
import { openSessions, requireHost, startProduct, untilScreen } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

const MEGABYTE = 1e6;
const SETTLE = 3_000;

async function resident(server: ServerUnderTest): Promise<number> {
  await pause(SETTLE);
  return (residentBytes(server.pid) + residentBytes(requireHost(server).pid)) / MEGABYTE;
}

export const memoryRow: Row = {
  id: 'memory',
  title: 'Memory of server and host',
  rules: [
    { id: 'lines', title: 'a session with 10,000 lines', unit: 'MB', relation: 'at most', must: 2.5, stretch: 1.2 },
    { id: 'idle', title: 'an idle session', unit: 'MB', relation: 'at most', must: 0.7, stretch: 0.15 },
    { id: 'base', title: 'without a session', unit: 'MB', relation: 'at most', must: 140, stretch: 100 },
  ],
  async run(context) {
    const count = context.size(50, 20);
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      const server = await startProduct(context);
      // The host may start with the first session only.
      const [first = ''] = await openSessions(server, 1, 'echo ready; exec sleep 1000');
      await untilScreen(server, first, 'ready');
      await server.ipc.remove(first);
      const base = await resident(server);
      const idle = await openSessions(server, count, 'echo ready; exec sleep 1000');
      for (const id of idle) await untilScreen(server, id, 'ready');
      const withIdle = await resident(server);
      const line = 'a line of the kind that a program prints, some sixty columns';
      const full = await openSessions(server, count, `yes "${line}" | head -n 10050; echo all-there; exec sleep 1000`);
      for (const id of full) await untilScreen(server, id, 'all-there');
      const withLines = await resident(server);
      context.sample('base', 'MB', base);
      context.sample('idle session', 'MB', (withIdle - base) / count);
      context.sample('session with 10,000 lines', 'MB', (withLines - withIdle) / count);
      await server.dispose();
    }
    context.figure('base', median(context.samples('base')));
    context.figure('idle', median(context.samples('idle session')));
    context.figure('lines', median(context.samples('session with 10,000 lines')));
  },
};
