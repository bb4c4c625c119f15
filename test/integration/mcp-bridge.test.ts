/** The real bridge and a real server: one short look at what a client on stdio meets. The long counts are in test/long. */
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';
import { startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterAll();
let server: ServerUnderTest;
beforeAll(async () => {
  server = await startServer(cleanup);
});

async function identityOf(session: string): Promise<string> {
  const sessions = await server.ipc.listSessions();
  return sessions.find(({ session_id }) => session_id === session)?.tuic_session ?? '';
}

describe('a client behind the bridge', () => {
  it('BRG-1, BRG-3, TRN-6, TRN-10: lists and calls at the first try, in the session that the bridge opened', async () => {
    const { session_id } = await server.ipc.createSession({});
    const identity = await identityOf(session_id);
    const client = startBridge(cleanup, server.configDirectory, { TUIC_SESSION: identity });
    const { result } = await client.initialize('claude-code');
    expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'tuicommander' } });
    const tools = (await client.request('tools/list')).result?.tools as { name: string }[];
    expect(tools.map(({ name }) => name)).toContain('session');
    const called = await client.request('tools/call', { name: 'session', arguments: { action: 'list' } });
    expect(toolValue(called)).toEqual([expect.objectContaining({ session_id, is_caller: true })]);
    expect(client.noise).toEqual([]);
    const records = (await server.ipc.ok('GET', '/logs?source=mcp_initialize')) as { data_json: string }[];
    const told = records.map(({ data_json }) => JSON.parse(data_json) as { event: string; client: string });
    expect(told.map(({ event, client: name }) => [event, name])).toEqual([
      ['fresh', 'tuic-bridge'],
      ['resumed', 'claude-code'],
    ]);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
  });
});
