/** `agent spawn` over a real server: a small program stands for the agent; its parent learns how it ends, whatever happens to the server. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { type ServerUnderTest, startServer } from '../kit/server.ts';

const cleanup = cleanupAfterEach();

type Value = Record<string, unknown>;

async function connect(server: ServerUnderTest, identity: string) {
  const headers: Record<string, string> = { 'x-tuic-session': identity };
  const post = async (method: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return server.ipc.request('POST', '/mcp', { headers, body });
  };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  headers['mcp-session-id'] = String((await post('initialize', params)).headers['mcp-session-id']);
  return async (name: string, input: object): Promise<Value> => {
    const { result } = (await post('tools/call', { name, arguments: input })).json() as {
      result: { content: { text: string }[] };
    };
    return JSON.parse(result.content[0]?.text ?? '') as Value;
  };
}

it('AGT-7..10, MSG-81, TSK-3, P2: a child works where its parent does; its end is mail and settles its task, over a kill -9', async () => {
  const home = await cleanup.temporaryDirectory('spawn-');
  const program = join(home, 'claude');
  await writeFile(program, '#!/bin/sh\nprintf "<%s>" "$(pwd)" "$TUIC_PARENT" "$@"; echo; read -r line; exit 3\n');
  await chmod(program, 0o755);
  const server = await startServer(cleanup, { environment: { HOME: home, PATH: `${home}:/usr/bin:/bin` } });
  const { session_id: parent } = (await server.ipc.post('/sessions', { cwd: home })).json() as { session_id: string };
  let call = await connect(server, parent);
  const child = await call('agent', { action: 'spawn', prompt: 'Fix it', name: 'helper', args: ['-v'] });
  expect(child).toMatchObject({ name: 'helper', parent_session_id: parent });
  const id = String(child.session_id);
  const output = async () => (await server.ipc.textOutput(id)).data.replaceAll('\n', '');
  await eventually('what it was given', async () => (await output()).includes('Fix it>'));
  expect(await output()).toContain(
    `<${home}><${parent}><-v><--dangerously-load-development-channels><server:tuicommander><-->`,
  );
  expect(await output()).toContain(`agent action=send to=${parent}`);
  const peers = (await call('agent', { action: 'list_peers' })).peers;
  expect(peers).toContainEqual(expect.objectContaining({ tuic_session: id, session_id: id, name: 'helper' }));
  expect(await server.ipc.listSessions()).toContainEqual(
    expect.objectContaining({ session_id: id, display_name: 'helper' }),
  );
  const task = { action: 'get', task_id: child.task_id };
  expect(await call('task', task)).toMatchObject({ status: 'working' });

  await server.kill9();
  await server.start();
  await server.ipc.post(`/sessions/${id}/write`, { data: '\r' });
  call = await connect(server, parent);
  await eventually('the end of the task', async () => (await call('task', task)).status !== 'working');
  expect(await call('task', task)).toMatchObject({ status: 'failed', result: { session_id: id, exit_code: 3 } });
  const told = await eventually('the mail of its end', async () => {
    const { messages } = (await call('agent', { action: 'inbox', since: 0 })) as { messages: { content: string }[] };
    return messages.map(({ content }) => JSON.parse(content) as Value).find(({ state }) => state === 'exited');
  });
  expect(told).toMatchObject({ type: 'state_change', session_id: id, exit_code: 3 });
});
