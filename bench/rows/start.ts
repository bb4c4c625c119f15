/** From the start of the server's process to its first answer, its pty host included, against an empty Node program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { prepareServer, type ServerUnderTest } from '../../test/kit/server.ts';
import { interleave, pause } from '../kit/interleave.ts';
import type { Row, RowContext } from '../model.ts';
import { medianRatio } from '../statistics.ts';

async function untilHealthy(server: ServerUnderTest): Promise<void> {
  for (;;) {
    try {
      if ((await server.ipc.get('/health')).status === 200) return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'ECONNREFUSED') throw error;
    }
    if (!server.isRunning) throw new Error(`the server ended: ${server.output}${server.errors}`);
    await pause(3);
  }
}

async function startServer(context: RowContext): Promise<void> {
  const server = await prepareServer(context.cleanup);
  const since = performance.now();
  server.launch();
  await untilHealthy(server);
  context.sample('ours', 'ms', performance.now() - since);
  await server.dispose();
}

async function startNode(context: RowContext): Promise<void> {
  const since = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  context.sample('bare node', 'ms', performance.now() - since);
}

export const startRow: Row = {
  id: 'start',
  title: '/health after the start of the process, in a fresh folder',
  rules: [
    {
      id: 'node',
      title: 'time against a bare start of Node',
      unit: 'ratio',
      relation: 'at most',
      must: 4,
      stretch: 2.5,
      baseline: 'bare node',
    },
  ],
  async run(context) {
    await interleave(
      context,
      { 'bare node': () => startNode(context), ours: () => startServer(context) },
      context.rounds * 2,
    );
    context.figure('node', medianRatio(context.samples('ours'), context.samples('bare node')));
  },
};
