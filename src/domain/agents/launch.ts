/** How a terminal with an agent in it is opened (http.md 3): which program, with which arguments, as what. */
import { AppError, type CreateAgentSession, type CreateSession } from '../../contract/index.ts';
import { isProgramFile } from '../../platform/fs/index.ts';
import { expandPath } from '../sessions/index.ts';
import { findAgent } from './catalogue/index.ts';
import type { AgentDetection } from './detection.ts';

export interface AgentLauncher {
  /** What to open. Throws when there is no such program, or when nobody knows how it takes a prompt. */
  prepare(input: CreateAgentSession): Promise<CreateSession>;
}

export function createAgentLauncher(detection: AgentDetection, home: string): AgentLauncher {
  async function findFile({ binary_path, agent_type }: CreateAgentSession): Promise<string> {
    if (binary_path !== undefined && binary_path !== null) {
      const path = expandPath(binary_path, home);
      if (!(await isProgramFile(path))) throw new AppError('program_not_found', { program: path });
      return path;
    }
    const asked = agent_type ?? 'claude';
    const names = findAgent(asked)?.binaries ?? [asked];
    for (const path of (await detection.programs(names)).values()) if (path !== null) return path;
    throw new AppError('program_not_found', { program: asked });
  }

  return {
    async prepare(input) {
      const file = await findFile(input);
      const asked = input.agent_type ?? findAgent(baseName(file))?.id ?? 'claude';
      const agentType = findAgent(asked)?.id ?? asked;
      return {
        shell: file,
        args: input.args ?? argumentsFor(agentType, input),
        agent_type: agentType,
        // A program of an installer often needs another one that only the login shell has on its PATH.
        env: { PATH: await detection.path() },
        ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
        ...(input.rows === undefined ? {} : { rows: input.rows }),
        ...(input.cols === undefined ? {} : { cols: input.cols }),
      };
    },
  };
}

function argumentsFor(agentType: string, input: CreateAgentSession): string[] {
  if (agentType !== 'claude') {
    throw new AppError('invalid_input', {
      detail: `args: only claude is launched without them; give ${agentType} its own`,
    });
  }
  const { prompt, print_mode, output_format, model } = input;
  return [
    ...(print_mode === true ? ['--print'] : []),
    ...(output_format == null ? [] : ['--output-format', output_format]),
    ...(model == null ? [] : ['--model', model]),
    // Or a prompt would be taken for an option.
    ...(prompt.startsWith('-') ? ['--'] : []),
    prompt,
  ];
}

function baseName(file: string): string {
  return (file.split(/[/\\]/).at(-1) ?? '').replace(/\.(exe|cmd)$/i, '');
}
