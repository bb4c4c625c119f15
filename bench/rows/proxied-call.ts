/** A call of a tool of another server through ours, against the same call made directly to a program of the same kind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../test/kit/eventually.ts';
import { startServer } from '../../test/kit/server.ts';
import { interleave } from '../kit/interleave.ts';
import { PROJECT } from '../kit/machine.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

const PROGRAM = join(PROJECT, 'test/kit/programs/fake-upstream.mjs');
const callOf = (name: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { text: 'x'.repeat(200) } },
  });

function post(socketPath: string, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request({ socketPath, agent, method: 'POST', path: '/mcp', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end(body);
  });
}

export const proxiedCallRow: Row = {
  id: 'proxied-call',
  title: 'a tool of another server (stdio), called through ours over the socket',
  rules: [
    {
      id: 'added',
      title: 'median time added to the same call made directly',
      unit: 'ms',
      relation: 'at most',
      must: 1.5,
      stretch: 0.5,
      baseline: 'direct',
    },
  ],
  async run(context) {
    const server = await startServer(context.cleanup);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    context.cleanup.defer(() => agent.destroy());
    const ours = server.ipc.target;
    if (!('socketPath' in ours)) throw new Error('this row is measured over the socket');
    const transport = { type: 'stdio', command: process.execPath, args: [PROGRAM, '{}'] };
    const servers = [{ id: 'bench', name: 'bench', transport }];
    await server.ipc.ok('PUT', '/mcp/upstreams', { base: { servers: [] }, config: { servers } });
    const through = callOf('bench__echo');
    await eventually(
      'the other server',
      async () => !(await post(ours.socketPath, agent, through)).includes('"isError":true'),
    );

    const child = spawn(process.execPath, [PROGRAM, '{}'], { stdio: ['pipe', 'pipe', 'inherit'] });
    context.cleanup.defer(async () => {
      child.stdin.end();
      await once(child, 'exit');
    });
    const lines = createInterface({ input: child.stdout });
    const direct = callOf('echo');
    const callDirectly = async () => {
      const answered = once(lines, 'line');
      child.stdin.write(`${direct}\n`);
      await answered;
    };
    const calls = context.size(400, 20);
    const measure = async (name: string, call: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let count = 0; count < calls; count++) {
        const before = performance.now();
        await call();
        times.push(performance.now() - before);
      }
      context.sample(name, 'ms', median(times));
    };
    await interleave(
      context,
      {
        direct: () => measure('direct', callDirectly),
        ours: () => measure('ours', () => post(ours.socketPath, agent, through)),
      },
      context.rounds,
    );
    const before = context.samples('direct');
    context.figure('added', median(context.samples('ours').map((time, round) => time - (before[round] ?? 0))));
  },
};
