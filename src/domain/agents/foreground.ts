/** Which agent a running program is, by how it was started (STM-36). A name that only looks like one is none: nothing is guessed. */
import { LIMITS } from '../../contract/index.ts';
import type { ProcessInspector } from '../../platform/process/index.ts';
import type { ForegroundProgram } from '../sessions/index.ts';
import { findAgent } from './catalogue/index.ts';

/** Programs that run a script; which agent it is, the script tells. */
const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|sh|bash|zsh|dash|ksh|fish)$/;

/** Options with a value of their own, before the script. */
const WITH_VALUE = /^(-r|--require|--import|--loader|--experimental-loader|-C|--conditions|-X|-W)$/;
/** The program stands in the command line itself, so there is no script. */
const WITHOUT_SCRIPT = /^(-e|--eval|-p|--print|-c|-[a-z]*c)$/;

export const SHELL = /^(sh|bash|zsh|dash|ksh|fish)$/;

function baseName(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.(js|mjs|cjs|ts|py|exe)$/, '');
}

/** The script, or the module of `python -m`. */
function scriptOf(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '-m') return args[at + 1];
    if (!arg.startsWith('-')) return arg;
    if (WITHOUT_SCRIPT.test(arg)) return undefined;
    if (WITH_VALUE.test(arg)) at++;
  }
  return undefined;
}

/** Folders in a path that name what is installed there: a package, or a program with a folder for each version. */
function installedNames(path: string): string[] {
  const parts = path.split('/');
  return parts.filter((part, at) => {
    const before = parts[at - 1] ?? '';
    if (before === 'node_modules') return !part.startsWith('@');
    return (before.startsWith('@') && parts[at - 2] === 'node_modules') || parts[at + 1] === 'versions';
  });
}

/** Type of the agent that was started by these arguments; undefined when it is none that is known. */
export function agentOfCommand(command: readonly string[]): string | undefined {
  const [first = '', ...rest] = command;
  // A login shell has a dash before its name.
  const name = baseName(first).replace(/^-/, '');
  const program = INTERPRETER.test(name) ? scriptOf(rest) : first;
  if (program === undefined) return undefined;
  for (const each of [baseName(program), ...installedNames(program)]) {
    const agent = findAgent(each);
    if (agent !== undefined) return agent.id;
  }
  return undefined;
}

/** A shell that waits for commands: it was given neither a script nor a command. */
function isInteractiveShell([first = '', ...rest]: readonly string[]): boolean {
  return (
    SHELL.test(baseName(first).replace(/^-/, '')) && rest.every((arg) => /^-/.test(arg) && !/^-[a-z]*c$/.test(arg))
  );
}

export type RecogniseProgram = (pid: number) => Promise<ForegroundProgram | null>;

/** What the program in front is; null when it is gone or not ours. */
export function createProgramRecogniser(inspector: Pick<ProcessInspector, 'commandLine'>): RecogniseProgram {
  return async (pid) => {
    const command = await inspector.commandLine(pid, LIMITS.processCommand);
    if (command === null) return null;
    return { agent: agentOfCommand(command), isShell: isInteractiveShell(command) };
  };
}

export type RecogniseAgent = (pid: number) => Promise<string | null>;

/** Asks the kernel how a process was started; null when it is gone, not ours, or no agent. */
export function createAgentRecogniser(inspector: Pick<ProcessInspector, 'commandLine'>): RecogniseAgent {
  return async (pid) => {
    const command = await inspector.commandLine(pid, LIMITS.processCommand);
    return (command === null ? undefined : agentOfCommand(command)) ?? null;
  };
}
