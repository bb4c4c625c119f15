/** Writes the tree of verbs down: as docs/man/tuic.1 and as docs/reference/command-line.md. */
import { ENVIRONMENT_MEANINGS, EXIT_CODE_MEANINGS } from '../../src/cli/tree.ts';
import {
  everyVerb,
  type OptionDescription,
  type ValueKind,
  type VerbDescription,
} from '../../src/cli/tree-description.ts';

const nameOf = ({ path }: VerbDescription) => ['tuic', ...path].join(' ');

/** Printed the same by each: asked for with every verb, so it is said once. */
const isHelp = ({ long }: OptionDescription) => long === '--help';

function choicesOf(value: ValueKind | undefined): string {
  return value?.kind === 'choices' ? `: ${value.choices.join(', ')}` : '';
}

function usageOf(verb: VerbDescription): string {
  return verb.usage.replace(/ ?\[options\]/, verb.options.every(isHelp) ? '' : ' [options]');
}

/** A line of roff: a dot or quote at its beginning would be a request, a hyphen alone may be broken into another character. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}

function manualOptions(options: readonly OptionDescription[]): string[] {
  return options
    .filter((option) => !isHelp(option))
    .flatMap((option) => ['.TP', `.B ${roff(option.flags)}`, roff(option.description + choicesOf(option.value))]);
}

function manualExamples(verb: VerbDescription): string[] {
  return verb.examples.flatMap(([command, meaning]) => ['.TP', `.B ${roff(command)}`, roff(meaning)]);
}

function manualVerb(verb: VerbDescription): string[] {
  const lines = [`.SS "${roff(usageOf(verb)).replaceAll('"', '\\(dq')}"`, roff(`${verb.summary}.`)];
  for (const { name, description, value } of verb.arguments) {
    lines.push('.TP', `.I ${roff(name)}`, roff(description + choicesOf(value)));
  }
  lines.push(...manualOptions(verb.options));
  if (verb.examples.length > 0) lines.push('.PP', 'Examples:', ...manualExamples(verb));
  return lines;
}

function table(rows: readonly (readonly [string | number, string])[]): string[] {
  return rows.flatMap(([name, meaning]) => ['.TP', `.B ${roff(String(name))}`, roff(meaning)]);
}

export function renderManual(tree: VerbDescription): string {
  const lines = [
    '.\\" Made from the verbs of tuic by test/pins/command-line.test.ts; changed with them, not by hand.',
    '.TH TUIC 1 "" "TUICommander" "User Commands"',
    '.SH NAME',
    'tuic \\- terminals that outlive their server',
    '.SH SYNOPSIS',
    '.B tuic',
    roff('[--instance <name>] <verb> [options] [arguments]'),
    '.SH DESCRIPTION',
    roff(tree.summary),
    'A session is named by its alias, its id or its identity.',
    roff('Every verb explains itself with --help.'),
    'Human output is aligned, and coloured on a terminal only.',
    '.SH OPTIONS',
    ...manualOptions(tree.options),
    '.SH VERBS',
    ...[...everyVerb(tree)].slice(1).flatMap(manualVerb),
    '.SH "EXIT STATUS"',
    ...table(EXIT_CODE_MEANINGS),
    '.SH ENVIRONMENT',
    ...table(ENVIRONMENT_MEANINGS),
    '.SH EXAMPLES',
    ...manualExamples(tree),
  ];
  return `${lines.join('\n')}\n`;
}

/** A cell of a table: a bar would end it. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

function referenceVerb(verb: VerbDescription): string[] {
  const lines = [`## ${nameOf(verb)}`, '', `${verb.summary.charAt(0).toUpperCase()}${verb.summary.slice(1)}.`, ''];
  lines.push('```', usageOf(verb), '```', '');
  const rows = [
    ...verb.arguments.map(({ name, description, value }) => [code(name), cell(description + choicesOf(value))]),
    ...verb.options
      .filter((option) => !isHelp(option))
      .map((option) => [code(option.flags), cell(option.description + choicesOf(option.value))]),
  ];
  if (rows.length > 0) lines.push('| | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`), '');
  if (verb.examples.length > 0) {
    const width = Math.max(...verb.examples.map(([command]) => command.length));
    lines.push(
      '```sh',
      ...verb.examples.map(([command, meaning]) => `${command.padEnd(width)}  # ${meaning}`),
      '```',
      '',
    );
  }
  return lines;
}

export function renderCommandReference(tree: VerbDescription): string {
  const verbs = [...everyVerb(tree)];
  const anchor = (verb: VerbDescription) => nameOf(verb).replaceAll(' ', '-');
  const lines = [
    '# Reference of the command line',
    '',
    'Made from the verbs by `test/pins/command-line.test.ts`; changed with them, not by hand. What they are good for stands in',
    '[the guide](../guide/command-line.md). The same is a manual page: [man/tuic.1](../man/tuic.1).',
    '',
    '| verb | |',
    '|---|---|',
    ...verbs.slice(1).map((verb) => `| [${nameOf(verb)}](#${anchor(verb)}) | ${cell(verb.summary)} |`),
    '',
    ...verbs.flatMap(referenceVerb),
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...EXIT_CODE_MEANINGS.map(([number, meaning]) => `| ${number} | ${cell(meaning)} |`),
    '',
    '## Environment',
    '',
    '| variable | meaning |',
    '|---|---|',
    ...ENVIRONMENT_MEANINGS.map(([name, meaning]) => `| ${code(name)} | ${cell(meaning)} |`),
  ];
  return `${lines.join('\n')}\n`;
}
