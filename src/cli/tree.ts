/** The verbs of `tuic`, their options and their help, as one tree: parsing, completion, manual and guide are made from it. */
import { Command } from 'commander';
import { EXIT_CODES } from '../contract/index.ts';
import { addAgentVerbs } from './verbs/agents.ts';
import { addDiagnosticVerbs } from './verbs/diagnose.ts';
import { addMcpVerbs } from './verbs/mcp.ts';
import { addProgressVerbs } from './verbs/progress.ts';
import { addRepositoryVerbs } from './verbs/repo.ts';
import { addHostVerbs, addServerVerbs } from './verbs/server.ts';
import { addSessionVerbs } from './verbs/sessions.ts';
import { addConfigVerbs } from './verbs/settings.ts';
import { addShellVerbs } from './verbs/shell.ts';
import { addUpstreamVerbs } from './verbs/upstream.ts';
import { addExamples, type Bind } from './verbs/verb.ts';
import { addWatchVerbs } from './verbs/watch.ts';

export const EXIT_CODE_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_CODES.ok, 'done'],
  [EXIT_CODES.failure, 'refused or failed; the message says why'],
  [EXIT_CODES.usage, 'wrong usage'],
  [EXIT_CODES.serverNotRunning, 'no server is running'],
  [EXIT_CODES.notFound, 'no such session, setting or file'],
  [EXIT_CODES.alreadyRunning, 'a server runs already for this configuration directory'],
  [EXIT_CODES.storage, 'the configuration directory cannot be written'],
  [EXIT_CODES.portsTaken, 'the port and the next two are taken'],
  [EXIT_CODES.crash, 'the server met an unexpected error and ended; sessions live on'],
];

export const ENVIRONMENT_MEANINGS: readonly (readonly [name: string, meaning: string])[] = [
  ['TUIC_CONFIG_DIR', 'where this instance keeps its files'],
  ['TUIC_INSTANCE', 'name of the instance, as --instance'],
  ['TUIC_PORT', 'port of the workspace (9876)'],
  ['TUIC_DETACH_KEY', 'key that leaves an attached session (ctrl-])'],
  ['TUIC_NO_OPEN=1', 'never start a browser'],
  ['NO_COLOR', 'no colour'],
];

function section(title: string, rows: readonly (readonly [string | number, string])[]): string {
  const width = Math.max(...rows.map(([name]) => String(name).length));
  return `\n\n${title}:\n${rows.map(([name, meaning]) => `  ${String(name).padEnd(width)}  ${meaning}`).join('\n')}`;
}

export interface TreeOptions {
  version: string;
  bind: Bind;
}

export function buildTree({ version, bind }: TreeOptions): Command {
  const program = new Command('tuic')
    .description('Terminals that outlive their server: start it, open its workspace, and work with its sessions.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--instance <name>', 'work with the instance of this name; stands before the command')
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the way to use it)');
  addExamples(
    program,
    [
      ['tuic start --detach', 'run the server in the background'],
      ['tuic open', 'open the workspace in the browser'],
      ['tuic new -- htop', 'open a terminal with a program'],
      ['tuic ls', 'list the sessions'],
      ['tuic attach tu-1', 'work in one from this terminal'],
      ['tuic tail -f tu-1', 'follow what it prints'],
      ['tuic kill tu-1', 'end one of them'],
      ['tuic stop', 'end the server; sessions keep running'],
    ],
    section('Exit codes', EXIT_CODE_MEANINGS) + section('Environment', ENVIRONMENT_MEANINGS),
  );
  addServerVerbs(program, bind);
  addSessionVerbs(program, bind);
  addWatchVerbs(program, bind);
  addAgentVerbs(program, bind);
  addMcpVerbs(program, bind);
  addUpstreamVerbs(program, bind);
  addRepositoryVerbs(program, bind);
  addProgressVerbs(program, bind);
  addConfigVerbs(program, bind);
  addDiagnosticVerbs(program, bind);
  addHostVerbs(program, bind);
  addShellVerbs(program, bind);
  return program;
}
