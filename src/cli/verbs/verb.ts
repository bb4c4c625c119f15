/** What the groups of verbs share: how a verb reaches its work, how its examples look, and how its values are read. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';

/** A verb's work; resolves to its exit code, nothing means done. */
export type Work<Values extends unknown[]> = (context: Context, ...values: Values) => Promise<number> | Promise<void>;

/** Makes commander's action of a verb's work. The tree alone (help, completion, the manual) is built without a context. */
export type Bind = <Values extends unknown[]>(work: Work<Values>) => (...values: Values) => Promise<void>;

/** Adds one group of verbs. */
export type AddVerbs = (program: Command, bind: Bind) => void;

export type Example = readonly [command: string, meaning: string];

const examplesOf = new WeakMap<Command, readonly Example[]>();

function alignExamples(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  return `\nExamples:\n${examples.map(([command, meaning]) => `  ${command.padEnd(width)}   ${meaning}`).join('\n')}`;
}

/** Shows the examples below the help, and keeps them for the manual. */
export function addExamples(command: Command, examples: readonly Example[], more = ''): Command {
  examplesOf.set(command, examples);
  return command.addHelpText('after', `${alignExamples(examples)}${more}`);
}

export function readExamples(command: Command): readonly Example[] {
  return examplesOf.get(command) ?? [];
}

/** A whole number in this range, for an option. */
export function parseNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`give a number from ${least} to ${most}`);
  };
}

/** Collects a repeated option, and the parts of one that holds commas. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')];
}

/** Collects a repeated option as it is. */
export function collectWhole(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
