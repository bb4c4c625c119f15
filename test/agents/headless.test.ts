/** The ground of every other test here: each agent starts without a network and has a turn with the fake model API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { FakeModelServer } from '../kit/fake-models/server.ts';
import { AGENT_NAMES, makeAgentHome } from './agent-home.ts';
import { HEADLESS, runAgent } from './agent-run.ts';

const models = new FakeModelServer();
const cleanup = cleanupAfterEach();
beforeAll(() => models.start());
afterAll(() => models.stop());

describe.each(AGENT_NAMES)('%s', (name) => {
  it('answers a prompt with what the model says', async () => {
    const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
    const { code, output } = await runAgent(cleanup, name, home, [...HEADLESS[name], 'CUE:plain']);
    expect(output).toContain('Understood and done.');
    expect(code).toBe(0);
    expect(models.failures).toEqual([]);
  });

  it('runs a command that the model asks for, and hands its output back', async () => {
    const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
    const before = models.journal.length;
    const { output } = await runAgent(cleanup, name, home, [...HEADLESS[name], 'CUE:shell echo from-the-tool']);
    expect(output).toContain('The tool has answered.');
    const kinds = models.journal.slice(before).map(({ answer, request }) => `${answer.kind} ${request.hasToolResult}`);
    expect(kinds).toEqual(expect.arrayContaining(['tool false', 'text true']));
  });
});
