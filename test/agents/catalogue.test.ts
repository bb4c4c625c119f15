/** What the catalogue says of the agents that it calls verified, against their releases. */
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { CATALOGUE, createAgentDetection } from '../../src/domain/agents/index.ts';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { AGENT_NAMES, agentProgram, makeAgentHome } from './agent-home.ts';
import { runAgent } from './agent-run.ts';
import { RELEASES } from './versions.ts';

const cleanup = cleanupAfterEach();

it('verified are exactly those that are tried here', () => {
  const verified = CATALOGUE.filter((agent) => agent.verified).map(({ id }) => id);
  expect(verified.sort()).toEqual([...AGENT_NAMES].sort());
});

it.each(AGENT_NAMES)('AGT-13: detection finds %s and reads its version', async (name) => {
  const { home, env } = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), 'http://127.0.0.1:9');
  const program = agentProgram(name);
  const PATH = `${program.slice(0, program.lastIndexOf('/'))}:${env.PATH}`;
  const detection = createAgentDetection({
    shell: () => '/bin/false',
    home,
    environment: { ...env, PATH },
    clock: systemClock,
  });
  cleanup.defer(() => detection.close());
  // On a busy machine the first answers come before a slow program's.
  const found = await eventually('its version', async () => {
    const agent = await detection.agent(name);
    return agent?.version === null ? undefined : agent;
  });
  expect(found).toEqual({ name, path: program, version: RELEASES[name] });
});

it.each(AGENT_NAMES)('%s knows the word by which the catalogue takes up a conversation', async (name) => {
  const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), 'http://127.0.0.1:9');
  const [word = ''] = CATALOGUE.find(({ id }) => id === name)?.resume ?? [];
  const { output } = await runAgent(cleanup, name, home, ['--help']);
  expect(word).not.toBe('');
  expect(output).toMatch(new RegExp(`(^|[\\s,])${word}\\b`, 'm'));
});
