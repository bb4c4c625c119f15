/** The tree of verbs as plain data, for the completion scripts, the manual and the reference. */
import type { Argument, Command, Option } from 'commander';
import { type Example, readExamples } from './verbs/verb.ts';

/** What may stand for a value, as far as a shell can help with it. */
export type ValueKind =
  | { kind: 'any' }
  | { kind: 'choices'; choices: readonly string[] }
  /** Names that `tuic complete` prints. */
  | { kind: 'names'; of: NameKind; orFile?: boolean }
  | { kind: 'file' }
  | { kind: 'folder' }
  | { kind: 'program' };

export const NAME_KINDS = ['sessions', 'settings', 'captures', 'config-files'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

export interface ArgumentDescription {
  name: string;
  description: string;
  isRequired: boolean;
  isVariadic: boolean;
  value: ValueKind;
}

export interface OptionDescription {
  /** As the help shows it: `-n, --lines <number>`. */
  flags: string;
  short?: string;
  long: string;
  description: string;
  /** Undefined for a switch. */
  value?: ValueKind;
}

export interface VerbDescription {
  /** `['config', 'set']`; empty for the command itself. */
  path: readonly string[];
  summary: string;
  usage: string;
  arguments: ArgumentDescription[];
  options: OptionDescription[];
  examples: readonly Example[];
  verbs: VerbDescription[];
}

/** By the name that an argument or the value of an option has in the help. */
const KINDS_BY_NAME: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ['session', { kind: 'names', of: 'sessions' }],
  ['key', { kind: 'names', of: 'settings' }],
  ['key-and-value', { kind: 'names', of: 'settings' }],
  ['capture', { kind: 'names', of: 'captures', orFile: true }],
  ['config-file', { kind: 'names', of: 'config-files' }],
  ['file', { kind: 'file' }],
  ['folder', { kind: 'folder' }],
  ['command', { kind: 'program' }],
]);

function kindOf(name: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { kind: 'choices', choices };
  return KINDS_BY_NAME.get(name) ?? { kind: 'any' };
}

function describeArgument(argument: Argument): ArgumentDescription {
  return {
    name: argument.name(),
    description: argument.description,
    isRequired: argument.required,
    isVariadic: argument.variadic,
    value: kindOf(argument.name(), argument.argChoices),
  };
}

function describeOption(option: Option): OptionDescription {
  const valueName = /[<[]([\w-]+)(?:\.\.\.)?[>\]]/.exec(option.flags)?.[1];
  return {
    flags: option.flags,
    ...(option.short === undefined ? {} : { short: option.short }),
    long: option.long ?? option.flags,
    description: option.description,
    ...(valueName === undefined ? {} : { value: kindOf(valueName, option.argChoices) }),
  };
}

export function describeTree(command: Command, path: readonly string[] = []): VerbDescription {
  const help = command.createHelp();
  return {
    path,
    summary: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map(describeArgument),
    options: help.visibleOptions(command).map(describeOption),
    examples: readExamples(command),
    verbs: help
      .visibleCommands(command)
      .filter((inner) => inner.name() !== 'help')
      .map((inner) => describeTree(inner, [...path, inner.name()])),
  };
}

/** Every verb, the command itself first. */
export function* everyVerb(verb: VerbDescription): Generator<VerbDescription> {
  yield verb;
  for (const inner of verb.verbs) yield* everyVerb(inner);
}
