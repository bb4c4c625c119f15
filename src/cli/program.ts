/** The verbs of `tuic`, their options and their help. Parsing only: what a verb does is in commands/. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { AppError, EXIT_CODES } from '../contract/index.ts';
import { attachSession } from './commands/attach.ts';
import { showHostStatus, stopHost } from './commands/host.ts';
import { openWorkspace, showStatus, startServer, stopServer } from './commands/server.ts';
import { killSessions, listSessions, newSession } from './commands/sessions.ts';
import { type Context, createContext, type Surroundings } from './context.ts';
import { CliFailure, toCliFailure } from './failure.ts';

const EXIT_CODE_HELP = `
Exit codes:
  ${EXIT_CODES.ok}  done                     ${EXIT_CODES.alreadyRunning}  a server runs already
  ${EXIT_CODES.failure}  refused or failed        ${EXIT_CODES.storage}  the configuration directory cannot be written
  ${EXIT_CODES.usage}  wrong usage              ${EXIT_CODES.portsTaken}  the ports are taken
  ${EXIT_CODES.serverNotRunning}  no server is running    ${EXIT_CODES.crash}  the server met an unexpected error
  ${EXIT_CODES.notFound}  no such session

Environment:
  TUIC_CONFIG_DIR  where this instance keeps its files
  TUIC_INSTANCE    name of the instance, as --instance
  TUIC_PORT        port of the workspace (9876)
  TUIC_DETACH_KEY  key that leaves an attached session (ctrl-])
  TUIC_NO_OPEN=1   never start a browser`;

function examples(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, meaning]) => `  ${command.padEnd(width)}   ${meaning}`).join('\n')}`;
}

function parseSize(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('give a number from 1 to 500');
  return Number(text);
}

/** Runs one command line; resolves to the exit code and never throws for what a person can cause. */
export async function runCommandLine(
  args: readonly string[],
  surroundings: Surroundings,
  version: string,
): Promise<number> {
  let context: Context;
  try {
    context = createContext(surroundings);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    surroundings.warn(`${error.message}\n`);
    return EXIT_CODES.usage;
  }
  let exitCode: number = EXIT_CODES.ok;
  const program = new Command('tuic')
    .description('Terminals that outlive their server: start it, open its workspace, and work with its sessions.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--instance <name>', 'work with the instance of this name; stands before the command')
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the way to use it)')
    .exitOverride()
    .configureOutput({ writeOut: surroundings.write, writeErr: surroundings.warn })
    .addHelpText(
      'after',
      `${examples([
        ['tuic start --detach', 'run the server in the background'],
        ['tuic open', 'open the workspace in the browser'],
        ['tuic new -- htop', 'open a terminal with a program'],
        ['tuic ls', 'list the sessions'],
        ['tuic attach tu-1', 'work in one from this terminal'],
        ['tuic kill tu-1', 'end one of them'],
        ['tuic stop', 'end the server; sessions keep running'],
      ])}\n${EXIT_CODE_HELP}`,
    );

  program
    .command('start')
    .description('run the server, in the foreground until Ctrl-C')
    .option('-d, --detach', 'run in the background; returns when the server is ready')
    .option('--open', 'open the workspace in the browser')
    .option('--json', 'print what was started as JSON')
    .addOption(program.createOption('--report-to-parent').hideHelp())
    .addHelpText(
      'after',
      examples([
        ['tuic start', 'until Ctrl-C'],
        ['tuic start -d --json', 'for scripts'],
      ]),
    )
    .action(async (options) => {
      exitCode = await startServer(context, options);
    });
  program
    .command('stop')
    .description('end the server; sessions keep running and the next server takes them over')
    .option('--json', 'print the outcome as JSON')
    .action((options) => stopServer(context, options));
  program
    .command('status')
    .description('tell whether the server and the terminal host run')
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples([['tuic status --json | jq .server.port', 'the port of the workspace']]))
    .action(async (options) => {
      exitCode = await showStatus(context, options);
    });
  program
    .command('open')
    .description('open the workspace in the browser by a login link that works once')
    .option('--print', 'print the link only')
    .option('--json', 'print the link as JSON')
    .addHelpText('after', examples([['tuic open --print', 'for another browser of yours on this machine']]))
    .action((options) => openWorkspace(context, options));
  program
    .command('ls')
    .description('list live and lost sessions')
    .option('-a, --all', 'with those that ended in the last five minutes')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples([["tuic ls --json | jq -r '.[].alias'", 'the aliases alone']]))
    .action((options) => listSessions(context, options));
  program
    .command('new')
    .description('open a session in this folder: your shell, or a command')
    .argument('[command...]', 'program and arguments, passed as they are and not through a shell')
    .option('-C, --cwd <folder>', 'folder to start in')
    .option('-n, --name <name>', 'name to show')
    .option('--rows <number>', 'height in rows (24)', parseSize)
    .option('--cols <number>', 'width in columns (80)', parseSize)
    .option('--json', 'print the new session as JSON')
    .passThroughOptions()
    .addHelpText(
      'after',
      examples([
        ['tuic new', 'a shell here'],
        ['tuic new --name build -- npm run build', 'a program with a name'],
        ["tuic new -- sh -c 'make && make test'", 'a line for a shell'],
      ]),
    )
    .action((command: string[], options) => newSession(context, command, options));
  program
    .command('attach')
    .description('work in a session from this terminal; ctrl-] leaves it running')
    .argument('<session>', 'alias, session id or identity')
    .option('--detach-key <key>', 'another key to leave with, as ctrl-a (TUIC_DETACH_KEY)')
    .addHelpText(
      'after',
      examples([
        ['tuic attach tu-1', 'ctrl-] leaves, the program goes on'],
        ['tuic attach --detach-key ctrl-b tu-1', 'when the program needs ctrl-]'],
      ]),
    )
    .action(async (ref: string, options) => {
      exitCode = await attachSession(context, ref, options);
    });
  program
    .command('kill')
    .description('end sessions with everything they started')
    .argument('[session...]', 'alias, session id or identity')
    .option('--all', 'all sessions')
    .option('-f, --force', 'at once, without asking the programs to end')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      examples([
        ['tuic kill tu-1 tu-2', 'two of them'],
        ['tuic kill --all', 'every session'],
      ]),
    )
    .action((refs: string[], options) => killSessions(context, refs, options));

  const host = program.command('host').description('the process that holds the terminals while servers come and go');
  host
    .command('status')
    .description('show it and its terminals')
    .option('--json', 'print it as JSON')
    .action((options) => showHostStatus(context, options));
  host
    .command('stop')
    .description('end it and all terminals')
    .option('--json', 'print the outcome as JSON')
    .action((options) => stopHost(context, options));

  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were asked for; everything else is wrong usage, which commander has explained already.
      return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    }
    const failure =
      error instanceof AppError
        ? new CliFailure(EXIT_CODES.failure, error.message)
        : toCliFailure(error, context.configDirectory);
    if (!(failure instanceof CliFailure)) throw failure;
    surroundings.warn(`${failure.message}\n`);
    return failure.exitCode;
  }
}
