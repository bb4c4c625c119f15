/** Programs that print 20 KB and end at once: every byte of every one must arrive. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../test/kit/eventually.ts';
import { makeText, turnedLength } from '../kit/machine.ts';
import { startProduct } from '../kit/server.ts';
import type { Row } from '../model.ts';

const BYTES = 20_480;

export const exitLossRow: Row = {
  id: 'exit-loss',
  title: 'Programs that print 20 KB and end at once',
  rules: [{ id: 'lost', title: 'bytes lost', unit: 'bytes', relation: 'at most', must: 0, stretch: 0 }],
  async run(context) {
    const server = await startProduct(context);
    const path = join(await context.cleanup.temporaryDirectory('tuic-e-'), 'text');
    const text = makeText(BYTES);
    await writeFile(path, text);
    const expected = turnedLength(text);
    const total = context.size(1_000, 50);
    let next = 0;
    let lost = 0;
    const worker = async () => {
      while (next++ < total) {
        const { session_id: id } = await server.ipc.createSession({ shell: '/bin/cat', args: [path] });
        await eventually('the program to end', async () => {
          const sessions = await server.ipc.listSessions(true);
          return sessions.find((session) => session.session_id === id)?.lifecycle === 'exited';
        });
        lost += expected - (await server.ipc.rawOutput(id, 100_000)).total_written;
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    context.sample('programs', 'count', total);
    context.sample('bytes lost', 'bytes', lost);
    context.figure('lost', lost);
  },
};
