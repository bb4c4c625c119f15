/** The server is killed with -9 under 100 live sessions that go on printing: first screen, all screens, every byte. */
import { ByteRecorder } from '../../test/kit/byte-recorder.ts';
import { sha256 } from '../../test/kit/cases.ts';
import { openStream } from '../../test/kit/stream-client.ts';
import { openSessions, startProduct, untilScreen } from '../kit/server.ts';
import type { Row, RowContext } from '../model.ts';
import { median } from '../statistics.ts';

const BEFORE = 500;
const AFTER = 2_000;
const SCRIPT = `stty -echo; seq 1 ${BEFORE}; read go; sleep 0.2; seq ${BEFORE + 1} ${AFTER}; printf all-there; read go`;

function expectedOutput(): string {
  return `${Array.from({ length: AFTER }, (_, index) => `${index + 1}\r\n`).join('')}all-there`;
}

async function round(context: RowContext): Promise<void> {
  const server = await startProduct(context);
  const ids = await openSessions(server, context.size(100, 30), SCRIPT);
  for (const id of ids) await untilScreen(server, id, `\n${BEFORE}`);
  await Promise.all(ids.map((id) => server.ipc.write(id, '\n')));
  await server.kill9();
  const since = performance.now();
  await server.start();
  let first: number | undefined;
  await Promise.all(
    ids.map(async (id) => {
      const screen = await server.ipc.textOutput(id);
      if (!screen.data.includes('0')) throw new Error('a screen was empty after the restart');
      first ??= performance.now() - since;
    }),
  );
  context.sample('all screens', 'ms', performance.now() - since);
  context.sample('first screen', 'ms', first ?? Number.NaN);
  const expected = expectedOutput();
  let lost = 0;
  for (const id of ids) {
    const recorder = new ByteRecorder({ startAt: 0 });
    const viewer = await openStream(server.ipc.target, id, { format: 'bytes', offset: 0, recorder });
    await viewer.untilOffset(expected.length);
    const isWhole = recorder.sha256() === sha256(expected) && recorder.faults.length === 0;
    if (!isWhole) lost += Math.max(1, expected.length - recorder.received);
    viewer.cut();
  }
  context.sample('bytes lost', 'bytes', lost);
  await server.dispose();
}

export const restartRow: Row = {
  id: 'restart',
  title: 'Server killed with -9 under 100 live sessions',
  rules: [
    { id: 'first', title: 'first screen', unit: 'ms', relation: 'at most', must: 1_000, stretch: 300 },
    { id: 'all', title: 'all screens', unit: 'ms', relation: 'at most', must: 3_000, stretch: 1_000 },
    { id: 'lost', title: 'bytes lost', unit: 'bytes', relation: 'at most', must: 0, stretch: 0 },
  ],
  async run(context) {
    for (let turn = 0; turn < context.rounds; turn++) {
      context.progress(`round ${turn + 1} of ${context.rounds}`);
      await round(context);
    }
    context.figure('first', median(context.samples('first screen')));
    context.figure('all', median(context.samples('all screens')));
    context.figure('lost', Math.max(...context.samples('bytes lost')));
  },
};
