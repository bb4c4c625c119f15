/** From the start of tuic-bridge to its answer to `initialize`, against an empty Node program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startServer } from '../../test/kit/server.ts';
import { interleave } from '../kit/interleave.ts';
import { PROJECT } from '../kit/machine.ts';
import type { Row, RowContext } from '../model.ts';
import { medianRatio } from '../statistics.ts';

const BRIDGE = join(PROJECT, 'dist/bridge/main.js');
const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;

async function startNode(context: RowContext): Promise<void> {
  const since = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  context.sample('bare node', 'ms', performance.now() - since);
}

async function startBridge(context: RowContext, socketPath: string): Promise<void> {
  const since = performance.now();
  const env = { ...process.env, TUIC_SOCKET: socketPath };
  const bridge = spawn(process.execPath, [BRIDGE], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  bridge.stdin.write(INITIALIZE);
  const [line] = (await once(bridge.stdout, 'data')) as [Buffer];
  context.sample('ours', 'ms', performance.now() - since);
  if (!line.includes('protocolVersion')) throw new Error(`the bridge answered ${line.toString().slice(0, 200)}`);
  bridge.stdin.end();
  bridge.kill();
  await once(bridge, 'exit');
}

export const bridgeStartRow: Row = {
  id: 'bridge-start',
  title: 'tuic-bridge: from its start to the answer to initialize, the server being there',
  rules: [
    {
      id: 'node',
      title: 'time against a bare start of Node',
      unit: 'ratio',
      relation: 'at most',
      must: 1.5,
      stretch: 1.2,
      baseline: 'bare node',
    },
  ],
  async run(context) {
    const server = await startServer(context.cleanup);
    const { target } = server.ipc;
    if (!('socketPath' in target)) throw new Error('the bridge speaks over the socket');
    const { socketPath } = target;
    await interleave(
      context,
      { 'bare node': () => startNode(context), ours: () => startBridge(context, socketPath) },
      context.rounds * 3,
    );
    context.figure('node', medianRatio(context.samples('ours'), context.samples('bare node')));
  },
};
