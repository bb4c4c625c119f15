/**
 * With which arguments an agent is started so that it gets its prompt (mcp.md AGT-4 to AGT-6, AGT-11). Pure: which program it is, and what
 * the person configured, was found out before.
 */
import { AppError } from '../../contract/index.ts';
import type { CatalogueAgent } from './catalogue/index.ts';

export interface LaunchWish {
  readonly prompt: string;
  readonly args?: readonly string[] | undefined;
  readonly model?: string | null | undefined;
  readonly print_mode?: boolean | undefined;
  readonly output_format?: string | null | undefined;
}

export interface LaunchSubject {
  /** Absolute. */
  readonly file: string;
  readonly agentType: string;
  readonly agent: CatalogueAgent | undefined;
  /** Of a run configuration: they are taken as their author wrote them. */
  readonly configured?: readonly string[] | undefined;
  /** Codex asks nobody before it acts. */
  readonly skipsApprovals: boolean;
  /** Another agent starts it and writes to it later. */
  readonly isChild: boolean;
  /** A prompt can be typed once the agent is ready. */
  readonly canDefer: boolean;
}

export interface LaunchArguments {
  args: string[];
  /** To be typed when the agent is ready; it stands in no argument. */
  deferredPrompt?: string;
  /** What the caller should know about how it was started. */
  warning?: string;
  /** Options that this agent does not have. */
  dropped: string[];
}

export const PROMPT = '{prompt}';
export const CODEX_BYPASS = '--dangerously-bypass-approvals-and-sandbox';
/** Codex refuses to start with the bypass and one of these; whoever gives one has decided. */
const CODEX_APPROVAL_FLAGS = [CODEX_BYPASS, '--yolo', '--ask-for-approval', '-a', '--sandbox', '-s', '--full-auto'];
const CLAUDE_CHANNEL = '--dangerously-load-development-channels';
/** Subcommands of agents that take their prompt later, which work without a window. */
const WINDOWLESS: readonly string[] = ['exec', 'e', 'review', 'run'];
const CODEX_WRAPPER_WARNING =
  'This program is not codex itself, so its approval flags were left as they are. It may stop and ask a person';

/** The program is Codex, whatever it was asked for as: also `codex.exe`, and by a path of Windows. */
export function isCodexProgram(file: string): boolean {
  return /^codex(\.[^.]+)?$/i.test(file.split(/[/\\]/).at(-1) ?? '');
}

export function buildLaunchArguments(subject: LaunchSubject, wish: LaunchWish): LaunchArguments {
  const { agentType } = subject;
  const isCodex = agentType === 'codex';
  const options = structuredOptions(agentType, wish);
  const channel = claudeChannel(subject, wish);
  const flags = [...options.flags, ...channel];
  const given = subject.configured === undefined ? wish.args : [...subject.configured, ...(wish.args ?? [])];
  // The channel takes every word up to the next option: a prompt behind it would be one of its values.
  const isGreedy = channel.length > 0 || (agentType === 'claude' && hasFlag(given ?? [], CLAUDE_CHANNEL));
  const isDeferred = given !== undefined && takesPromptLater(subject, given);
  const args =
    given === undefined
      ? fromTemplate(subject, wish, flags, isGreedy)
      : fromGiven(given, wish, flags, { isDeferred, isGreedy });
  return {
    args: [...codexDefault(subject, wish), ...args],
    dropped: options.dropped,
    ...(isDeferred ? { deferredPrompt: wish.prompt } : {}),
    ...(isCodex && !isCodexProgram(subject.file) ? { warning: CODEX_WRAPPER_WARNING } : {}),
  };
}

function structuredOptions(agentType: string, wish: LaunchWish): { flags: string[]; dropped: string[] } {
  const flags: string[] = [];
  const dropped: string[] = [];
  const isClaude = agentType === 'claude';
  if (wish.print_mode === true) (isClaude ? flags : dropped).push('--print');
  if (wish.output_format != null) {
    if (isClaude) flags.push('--output-format', wish.output_format);
    else dropped.push('--output-format');
  }
  if (wish.model != null) flags.push('--model', wish.model);
  return { flags, dropped };
}

/** Its flags stand before everything else: after the first one that is no flag they would belong to a subcommand. */
function codexDefault({ file, configured, skipsApprovals }: LaunchSubject, { args = [] }: LaunchWish): string[] {
  if (!isCodexProgram(file) || !skipsApprovals) return [];
  const given = beforeSeparator([...(configured ?? []), ...args]);
  return CODEX_APPROVAL_FLAGS.some((flag) => hasFlag(given, flag)) ? [] : [CODEX_BYPASS];
}

/** AGT-11: mail of other agents can reach it while it works. A run configuration has what its author gave it. */
function claudeChannel({ agentType, configured, isChild }: LaunchSubject, { args = [] }: LaunchWish): string[] {
  if (agentType !== 'claude' || configured !== undefined || !isChild) return [];
  return hasFlag(beforeSeparator(args), CLAUDE_CHANNEL) ? [] : [CLAUDE_CHANNEL, 'server:tuicommander'];
}

function fromTemplate(
  { agent, agentType }: LaunchSubject,
  { prompt }: LaunchWish,
  flags: readonly string[],
  isGreedy: boolean,
): string[] {
  if (agent?.launch === undefined) {
    throw new AppError('invalid_input', {
      detail: `args: how ${agentType} takes a prompt is not known. Give args, or a run configuration for it in agents.json`,
    });
  }
  const lead = agent.launch.slice(0, agent.launch.indexOf(PROMPT));
  const option = lead.at(-1)?.startsWith('--') === true ? lead.at(-1) : undefined;
  const isLikeOption = prompt.startsWith('-');
  if (option !== undefined) {
    return [...lead.slice(0, -1), ...(isLikeOption ? [`${option}=${prompt}`] : [option, prompt]), ...flags];
  }
  if (isLikeOption || isGreedy) return [...lead, ...flags, '--', prompt];
  return agentType === 'claude' ? [...lead, ...flags, prompt] : [...lead, prompt, ...flags];
}

/** AGT-5: flags alone start its window, and a prompt beside them would only stand in the input line. Other modes of it have none. */
function takesPromptLater({ agent, configured, canDefer }: LaunchSubject, given: readonly string[]): boolean {
  if (!canDefer || agent?.isPrefillOnly !== true || configured !== undefined) return false;
  const isPlaced = given.some((part) => part.includes(PROMPT));
  return !isPlaced && !given.some((part) => WINDOWLESS.includes(part));
}

function fromGiven(
  given: readonly string[],
  { prompt }: LaunchWish,
  flags: readonly string[],
  { isDeferred, isGreedy }: { isDeferred: boolean; isGreedy: boolean },
): string[] {
  const own = beforeSeparator(given);
  for (const flag of ['--model', '--output-format']) {
    if (flags.includes(flag) && hasFlag(own, flag)) {
      throw new AppError('invalid_input', { detail: `${flag} stands in the arguments already; give it once` });
    }
  }
  const added = flags.filter((flag) => flag !== '--print' || !(hasFlag(own, '--print') || hasFlag(own, '-p')));
  const placed = [...own, ...added, ...given.slice(own.length)];
  // Never by a pattern: a prompt may hold `$&`.
  if (given.some((part) => part.includes(PROMPT))) return placed.map((part) => part.replaceAll(PROMPT, () => prompt));
  if (isDeferred) return placed;
  const needsSeparator = (isGreedy || prompt.startsWith('-')) && own.length === given.length;
  return [...placed, ...(needsSeparator ? ['--'] : []), prompt];
}

function beforeSeparator(args: readonly string[]): readonly string[] {
  const separator = args.indexOf('--');
  return separator === -1 ? args : args.slice(0, separator);
}

function hasFlag(args: readonly string[], flag: string): boolean {
  return args.some((each) => each === flag || (flag.startsWith('--') && each.startsWith(`${flag}=`)));
}
