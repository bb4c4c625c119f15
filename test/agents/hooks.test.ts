/** Hooks that `tuic agents hooks` enters, in released agents: what each tells of a turn to the terminal it runs in. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { CommandLine } from '../kit/command-line.ts';
import { eventually } from '../kit/eventually.ts';
import { FakeModelServer } from '../kit/fake-models/server.ts';
import { startServer } from '../kit/server.ts';
import { type AgentName, agentProgram, makeAgentHome } from './agent-home.ts';

const cleanup = cleanupAfterEach();

const AGENTS: readonly [AgentName, object][] = [
  ['claude', {}],
  ['gemini', { model: 'gemini-2.5-flash' }],
  ['opencode', {}],
];

it.each(AGENTS)('STM-51, 9.6: %s tells its conversation, that it is busy, and that it is idle', async (name, more) => {
  const models = new FakeModelServer();
  await models.start();
  cleanup.defer(() => models.stop());
  const { env, home, project } = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
  const tuic = new CommandLine(cleanup, join(home, 'config'));
  expect(await tuic.run(['agents', 'hooks', 'install', name], { home, env })).toBe(0);
  const server = await startServer(cleanup, { environment: env });
  const body = { prompt: 'CUE:plain', binary_path: agentProgram(name), cwd: project, rows: 40, cols: 120, ...more };
  const answer = await server.ipc.request('POST', '/sessions/agent', { body });
  expect(answer.status, answer.text).toBe(201);
  const { session_id } = answer.json() as { session_id: string };
  const raw = async () => (await server.ipc.get(`/sessions/${session_id}/raw-ring`)).text;
  const told = async () =>
    [...(await raw()).matchAll(/\u001b\]7770;nonce=[0-9a-f]{32};(\w+)=([\w-]+)\u0007/g)].map(([, verb, value]) =>
      verb === 'session' ? verb : value,
    );
  await eventually('its markers', async () => (await told()).at(-1) === 'idle', 180_000);
  const all = await told();
  expect(all).toContain('session');
  expect(all.indexOf('busy')).toBeLessThan(all.indexOf('idle'));
});
