/** The long counts of T01. */
import { it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { openEvents } from '../kit/event-client.ts';
import { runUnwatchedExits, runWatchedExits } from '../kit/exit-rounds.ts';
import { startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

it('T01: 1,000 short programs without a viewer lose no byte', async () => {
  const server = await startServer(cleanup);
  const events = await openEvents(server.ipc.target);
  cleanup.defer(() => events.cut());
  await runUnwatchedExits(cleanup, server, events, 1_000);
});

it('T01: 1,000 short programs with a viewer lose no byte', async () => {
  const server = await startServer(cleanup);
  await runWatchedExits(cleanup, server, 1_000);
});
