/** A released agent in a terminal of ours, opened by POST /sessions/agent: it has its task, and its state is told from what it says. */
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { FakeModelServer } from '../kit/fake-models/server.ts';
import { startServer } from '../kit/server.ts';
import { type AgentName, agentProgram, makeAgentHome } from './agent-home.ts';

const cleanup = cleanupAfterEach();

it('http.md 3, D10, D11: claude takes its prompt, answers, and is idle with its type', async () => {
  const models = new FakeModelServer();
  await models.start();
  cleanup.defer(() => models.stop());
  const { env, project } = await makeAgentHome('claude', await cleanup.temporaryDirectory('agent-'), models.url);
  const server = await startServer(cleanup, { environment: env });
  // A folder of package scripts is on no terminal's PATH.
  const body = {
    prompt: '--version of mine: CUE:plain',
    binary_path: agentProgram('claude'),
    cwd: project,
    rows: 40,
    cols: 120,
  };
  const answer = await server.ipc.request('POST', '/sessions/agent', { body });
  expect(answer.status).toBe(201);
  const { session_id } = answer.json() as { session_id: string };
  const info = async () => (await server.ipc.listSessions()).find((one) => one.session_id === session_id);
  const screen = async () =>
    (await server.ipc.logOutput(session_id)).screen
      .map(({ spans }) => spans.map(({ text }) => text).join(''))
      .join('\n');
  await eventually('its answer', async () => (await screen()).includes('Understood and done.'));
  expect(models.journal.map(({ request }) => request.text).join('\n')).toContain('CUE:plain');
  await eventually('it to be idle', async () => (await info())?.state?.agent_state === 'idle');
  expect((await server.ipc.get(`/sessions/${session_id}/foreground`)).json()).toEqual({ agent: 'claude' });
  expect((await info())?.state).toMatchObject({ agent_type: 'claude', awaiting_input: false });
});

/** As `agent spawn` starts each; for claude with the channel of a child (AGT-11), for codex without its approvals (AGT-5). */
const CHILDREN: readonly [AgentName, object][] = [
  ['claude', {}],
  ['codex', {}],
  ['opencode', {}],
  ['gemini', { model: 'gemini-2.5-flash' }],
];

it.each(CHILDREN)('AGT-4: %s that is spawned takes its prompt and answers it', async (name, more) => {
  const models = new FakeModelServer();
  await models.start();
  cleanup.defer(() => models.stop());
  const { env, project } = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
  const server = await startServer(cleanup, { environment: env });
  const place = { binary_path: agentProgram(name), cwd: project, rows: 40, cols: 120 };
  const params = { name: 'agent', arguments: { action: 'spawn', prompt: 'CUE:plain', ...place, ...more } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await server.ipc.request('POST', '/mcp', { body });
  const { result } = answer.json() as { result: { content: { text: string }[] } };
  const { session_id } = JSON.parse(result.content[0]?.text ?? '') as { session_id: string };
  const screen = async () => (await server.ipc.textOutput(session_id)).data;
  // OpenCode first makes ready what its provider needs.
  await eventually('its answer', async () => (await screen()).includes('Understood and done.'), 170_000);
  expect(models.journal.map(({ request }) => request.text).join('\n')).toContain('CUE:plain');
});
