/** mcp install, status, remove. */
import { CLIENT_NAMES, installEntries, removeEntries, showEntries } from '../commands/mcp.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addMcpVerbs: AddVerbs = (program, bind) => {
  const mcp = program.command('mcp').description('enter TUICommander into the settings of coding agents and editors');
  addExamples(
    mcp,
    [
      ['tuic mcp status', 'which clients are here, and which are set up'],
      ['tuic mcp install claude codex', 'set up two of them'],
      ['tuic mcp install --all --dry-run', 'show what would be changed'],
      ['tuic mcp remove claude', 'take the entry out again'],
    ],
    `\n\nClients: ${CLIENT_NAMES}`,
  );
  const install = mcp
    .command('install')
    .description('add or repair the entry; the rest of the file stays as it is, the old file is kept beside it')
    .argument('[client...]', CLIENT_NAMES)
    .option('--all', 'every client on this machine')
    .option('--dry-run', 'show the change and write nothing')
    .option('--json', 'print the outcome as JSON')
    .action(bind(installEntries));
  addExamples(install, [['tuic mcp install claude --dry-run', 'the change as a diff']]);
  const status = mcp
    .command('status')
    .description('show which clients are set up')
    .argument('[client...]', CLIENT_NAMES)
    .option('--json', 'print it as JSON')
    .action(bind(showEntries));
  addExamples(status, [['tuic mcp status codex', 'fails when it is not set up']]);
  const remove = mcp
    .command('remove')
    .description('take the entry out')
    .argument('[client...]', CLIENT_NAMES)
    .option('--all', 'every client on this machine')
    .option('--dry-run', 'show the change and write nothing')
    .option('--json', 'print the outcome as JSON')
    .action(bind(removeEntries));
  addExamples(remove, [['tuic mcp remove --all', 'out of every client on this machine']]);
};
