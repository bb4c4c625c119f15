/** A server of ours for a row: warmed up, with as many sessions as a row wants. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../test/kit/eventually.ts';
import { prepareServer, type ServerOptions, type ServerUnderTest } from '../../test/kit/server.ts';
import type { RowContext } from '../model.ts';

export async function startProduct(context: RowContext, options: ServerOptions = {}): Promise<ServerUnderTest> {
  const server = await prepareServer(context.cleanup, options);
  await writeFile(join(server.configDirectory, 'config.json'), JSON.stringify({ max_sessions: 400 }));
  await server.start();
  return server;
}

/** Opens so many sessions that run this shell script, a few at a time. */
export async function openSessions(server: ServerUnderTest, count: number, script: string): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next++ < count) {
      const { session_id } = await server.ipc.createSession({ shell: '/bin/sh', args: ['-c', script] });
      ids.push(session_id);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return ids;
}

export function requireHost(server: ServerUnderTest): { pid: number } {
  const host = server.host;
  if (host === undefined) throw new Error('the pty host does not run');
  return host;
}

/** Waits until the text of a session's screen has this in it. */
export async function untilScreen(server: ServerUnderTest, id: string, text: string): Promise<void> {
  await eventually(`${text} on the screen`, async () => (await server.ipc.textOutput(id)).data.includes(text), 120_000);
}
