/** One run of a real agent, and the end of everything it left behind. */
import { spawn } from 'node:child_process';
import type { Cleanup } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { environmentOf, listProcesses, signalProcess } from '../kit/processes.ts';
import { type AgentHome, type AgentName, agentProgram } from './agent-home.ts';

export interface AgentRun {
  code: number | null;
  /** Both streams, without colours. */
  output: string;
}

/** Arguments that make an agent take one prompt, allow itself what it needs, answer and end. */
export const HEADLESS: Record<AgentName, readonly string[]> = {
  claude: ['--allowedTools', 'Bash', '-p'],
  codex: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
  opencode: ['run'],
  gemini: ['-m', 'gemini-2.5-flash', '--yolo', '-p'],
};

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

export async function runAgent(
  cleanup: Cleanup,
  name: AgentName,
  { project, env }: AgentHome,
  args: readonly string[],
): Promise<AgentRun> {
  cleanup.defer(() => endAllOf(env.HOME ?? ''));
  const child = spawn(agentProgram(name), args, {
    cwd: project,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    // Not `close`: a helper that stays may keep the pipes open.
    child.on('exit', (status) => setImmediate(() => resolve(status)));
  });
  return { code, output: output.replace(COLOURS, '') };
}

/** Some leave a helper behind, in a session of its own: known by the home folder, which no one else has. */
export async function endAllOf(home: string): Promise<void> {
  await eventually(`everything in ${home} to end`, () => {
    const left = listProcesses().filter(({ pid }) => pid !== process.pid && environmentOf(pid)?.HOME === home);
    for (const entry of left) signalProcess(entry, 'SIGKILL');
    return left.length === 0;
  });
}
