/** `tools/call session list` with 50 sessions, against a plain node:http server that answers with the same bytes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startServer } from '../../test/kit/server.ts';
import { interleave } from '../kit/interleave.ts';
import { PROJECT } from '../kit/machine.ts';
import type { Row } from '../model.ts';
import { median, medianRatio } from '../statistics.ts';

const BARE = join(PROJECT, 'bench/programs/same-bytes.mjs');
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'session', arguments: { action: 'list' } },
});

function post(socketPath: string, agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(CALL) };
    const call = request({ socketPath, agent, method: 'POST', path: '/mcp', headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat(parts)));
    });
    call.on('error', reject);
    call.end(CALL);
  });
}

export const mcpCallRow: Row = {
  id: 'mcp-call',
  title: 'tools/call session list, 50 sessions, over the socket',
  rules: [
    {
      id: 'ratio',
      title: 'time against a node:http server with the same bytes',
      unit: 'ratio',
      relation: 'at most',
      must: 2.5,
      stretch: 1.5,
      baseline: 'node:http',
    },
  ],
  async run(context) {
    const server = await startServer(context.cleanup);
    const sessions = context.size(50, 5);
    for (let count = 0; count < sessions; count++) {
      await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', 'exec sleep 600'] });
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    context.cleanup.defer(() => agent.destroy());
    const ours = server.ipc.target;
    if (!('socketPath' in ours)) throw new Error('this row is measured over the socket');
    const folder = await context.cleanup.temporaryDirectory('tuic-b-');
    const path = join(folder, 'bare');
    const answer = join(folder, 'answer.json');
    await writeFile(answer, await post(ours.socketPath, agent));
    const bare = spawn(process.execPath, [BARE, path, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
    context.cleanup.defer(async () => {
      bare.kill();
      await once(bare, 'exit');
    });
    await once(bare.stdout, 'data');
    const calls = context.size(400, 20);
    const measure = async (name: string, socketPath: string) => {
      const times: number[] = [];
      for (let count = 0; count < calls; count++) {
        const before = performance.now();
        await post(socketPath, agent);
        times.push(performance.now() - before);
      }
      context.sample(name, 'ms', median(times));
    };
    await interleave(
      context,
      { 'node:http': () => measure('node:http', path), ours: () => measure('ours', ours.socketPath) },
      context.rounds,
    );
    context.figure('ratio', medianRatio(context.samples('ours'), context.samples('node:http')));
  },
};
