/** The long counts of P2. */
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { runCreateKills, runKillCycles } from '../kit/kill-cycles.ts';

const cleanup = cleanupAfterEach();

it('P2: 50 kills of the server under output: stream, log and writes add up', async () => {
  const report = await runKillCycles(cleanup, 50);
  expect(report.cycles).toBe(50);
});

it('P2: 25 kills while sessions are created: each was started once or never', async () => {
  await runCreateKills(cleanup, 25);
});
