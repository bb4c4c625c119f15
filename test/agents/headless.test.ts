/** The ground of every other test here: each agent starts without a network and has a turn with the fake model API. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { FakeModelServer } from '../kit/fake-models/server.ts';
import { AGENT_NAMES, type AgentHome, type AgentName, agentProgram, makeAgentHome } from './agent-home.ts';

const models = new FakeModelServer();
const cleanup = cleanupAfterEach();
beforeAll(() => models.start());
afterAll(() => models.stop());

const HEADLESS: Record<AgentName, readonly string[]> = {
  claude: ['--allowedTools', 'Bash', '-p'],
  codex: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
  opencode: ['run'],
  gemini: ['-m', 'gemini-2.5-flash', '--yolo', '-p'],
};

/** One turn in a process group of its own, so that helpers which an agent leaves behind end with it. */
async function turn(name: AgentName, { project, env }: AgentHome, prompt: string) {
  const child = spawn(agentProgram(name), [...HEADLESS[name], prompt], {
    cwd: project,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanup.defer(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      // Everything of the group has ended.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  return { code, output };
}

describe.each(AGENT_NAMES)('%s', (name) => {
  it('answers a prompt with what the model says', async () => {
    const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
    const { code, output } = await turn(name, home, 'CUE:plain');
    expect(output).toContain('Understood and done.');
    expect(code).toBe(0);
    expect(models.failures).toEqual([]);
  });

  it('runs a command that the model asks for, and hands its output back', async () => {
    const home = await makeAgentHome(name, await cleanup.temporaryDirectory('agent-'), models.url);
    const before = models.journal.length;
    const { output } = await turn(name, home, 'CUE:shell echo from-the-tool');
    expect(output).toContain('The tool has answered.');
    const kinds = models.journal.slice(before).map(({ answer, request }) => `${answer.kind} ${request.hasToolResult}`);
    expect(kinds).toEqual(expect.arrayContaining(['tool false', 'text true']));
  });
});
