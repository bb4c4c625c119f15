/** How a terminal with an agent in it is opened (http.md 3, mcp.md AGT-2 to AGT-6): which program, with which arguments, as what. */
import { AppError, CONFIG_FILES, type CreateAgentSession, type CreateSession } from '../../contract/index.ts';
import { isProgramFile } from '../../platform/fs/index.ts';
import { expandPath } from '../sessions/index.ts';
import { findAgent } from './catalogue/index.ts';
import type { AgentDetection } from './detection.ts';
import { buildLaunchArguments, isCodexProgram } from './launch-arguments.ts';
import { findRunConfig, type RunConfig, skipsCodexApprovals } from './run-configs.ts';

export interface PreparedAgent {
  session: CreateSession;
  /** To be typed once the agent is ready. */
  deferredPrompt?: string;
  warning?: string;
}

export interface AgentLauncher {
  /** What to open. Throws when there is no such program, or when nobody knows how it takes a prompt. */
  prepare(input: CreateAgentSession, options?: { isChild?: boolean; canDefer?: boolean }): Promise<PreparedAgent>;
}

export interface AgentLauncherOptions {
  detection: Pick<AgentDetection, 'programs' | 'path'>;
  home: string;
  files: { read(name: 'agents'): Promise<{ value: unknown }> };
  log: { info(fields: object, message: string): void };
}

export function createAgentLauncher(options: AgentLauncherOptions): AgentLauncher {
  const { detection, home, files, log } = options;

  async function programAt(path: string): Promise<string> {
    const file = expandPath(path, home);
    if (!(await isProgramFile(file))) throw new AppError('program_not_found', { program: file });
    return file;
  }

  async function programNamed(asked: string, names: readonly string[]): Promise<string> {
    for (const path of (await detection.programs(names)).values()) if (path !== null) return path;
    throw new AppError('program_not_found', { program: asked });
  }

  function findFile({ binary_path, agent_type }: CreateAgentSession, config: RunConfig | undefined): Promise<string> {
    if (binary_path !== undefined && binary_path !== null) return programAt(binary_path);
    if (config !== undefined) {
      const { command } = config;
      return /[/\\]/.test(command) ? programAt(command) : programNamed(command, [command]);
    }
    const asked = agent_type ?? 'claude';
    return programNamed(asked, findAgent(asked)?.binaries ?? [asked]);
  }

  return {
    async prepare(input, { isChild = false, canDefer = false } = {}) {
      const settings = CONFIG_FILES.agents.parse((await files.read('agents')).value);
      const config = input.agent_type == null ? undefined : findRunConfig(settings, input.agent_type);
      const file = await findFile(input, config);
      const agentType = config?.agentType ?? typeOf(file, input.agent_type);
      const { args, warning, dropped, deferredPrompt } = buildLaunchArguments(
        {
          file,
          agentType,
          agent: findAgent(agentType),
          configured: config?.args,
          skipsApprovals: skipsCodexApprovals(settings),
          isChild,
          canDefer,
        },
        input,
      );
      if (dropped.length > 0)
        log.info({ agent_type: agentType, dropped }, 'options that only claude has were left out');
      const session: CreateSession = {
        shell: file,
        args,
        agent_type: agentType,
        // A program of an installer often needs another one that only the login shell has on its PATH.
        env: { PATH: await detection.path(), ...config?.env },
      };
      if (input.cwd !== undefined) session.cwd = input.cwd;
      if (input.rows !== undefined) session.rows = input.rows;
      if (input.cols !== undefined) session.cols = input.cols;
      if (input.display_name !== undefined) session.display_name = input.display_name;
      if (input.display_name_is_custom !== undefined) session.display_name_is_custom = input.display_name_is_custom;
      const prepared: PreparedAgent = { session };
      if (deferredPrompt !== undefined) prepared.deferredPrompt = deferredPrompt;
      if (warning !== undefined) prepared.warning = warning;
      return prepared;
    },
  };
}

/** AGT-5: a program that is Codex is read and typed at as Codex, whatever the caller calls it. */
function typeOf(file: string, asked: string | null | undefined): string {
  if (isCodexProgram(file)) return 'codex';
  const name = asked ?? findAgent(baseName(file))?.id ?? 'claude';
  return findAgent(name)?.id ?? name;
}

function baseName(file: string): string {
  return (file.split(/[/\\]/).at(-1) ?? '').replace(/\.(exe|cmd)$/i, '');
}
