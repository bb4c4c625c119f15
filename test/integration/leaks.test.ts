/** 100 sessions opened and closed in batches: nothing is left in the server, in the host, on disk or in the process table. */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { BASH, inParallel, range } from '../kit/cases.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { countDescriptors, processesOf } from '../kit/processes.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { openStream } from '../kit/stream-client.ts';

const cleanup = cleanupAfterEach();

async function openAndClose(server: ServerUnderTest, number: number): Promise<string> {
  const { session_id } = await server.ipc.createSession(BASH);
  const format = number % 2 === 0 ? 'bytes' : 'log';
  const viewer = await openStream(server.ipc.target, session_id, { format });
  const second = await openStream(server.ipc.target, session_id, { format: 'raw' });
  await second.until('the prompt', () => second.text.includes('ready> '));
  if (number % 3 === 0) {
    await server.ipc.write(session_id, 'exit\n');
    await viewer.closed;
  } else {
    if (number % 3 === 1) viewer.cut();
    await server.ipc.remove(session_id);
  }
  await viewer.closed;
  await second.closed;
  return session_id;
}

it('P2: after 100 sessions in batches no descriptor, process or socket is left', async () => {
  const server = await startServer(cleanup);
  await openAndClose(server, 0);
  await openAndClose(server, 1);
  const host = server.host;
  if (host === undefined) throw new Error('there is no pty host');
  const names = () => processesOf(server.configDirectory).map((entry) => entry.pid);
  await eventually('the first sessions to be gone', () => names().length === 2);
  const before = { server: countDescriptors(server.pid), host: countDescriptors(host.pid) };
  const files = await readdir(server.configDirectory);
  for (let batch = 0; batch < 5; batch++) {
    await inParallel(range(20), 10, async (number) => {
      await openAndClose(server, number);
    });
    expect(await server.ipc.listSessions()).toEqual([]);
  }
  await eventually('all processes to be gone', () => names().length === 2);
  expect(names().sort()).toEqual([server.pid, host.pid].sort());
  await eventually('the descriptors to be closed', () => {
    const now = { server: countDescriptors(server.pid), host: countDescriptors(host.pid) };
    return JSON.stringify(sorted(now.server)) === JSON.stringify(sorted(before.server)) &&
      JSON.stringify(sorted(now.host)) === JSON.stringify(sorted(before.host))
      ? true
      : undefined;
  }).catch((error: unknown) => {
    expect({ server: countDescriptors(server.pid), host: countDescriptors(host.pid) }).toEqual(before);
    throw error;
  });
  expect((await readdir(server.configDirectory)).sort()).toEqual(files.sort());
  expect(await server.ipc.ok('GET', '/stats')).toMatchObject({ active_sessions: 0 });
});

function sorted(kinds: Record<string, number>): [string, number][] {
  return Object.entries(kinds).sort(([first], [second]) => (first < second ? -1 : 1));
}
