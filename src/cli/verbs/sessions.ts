/** ls, new, attach, send, submit, wait, tail, kill. */
import { LIMITS } from '../../contract/index.ts';
import { attachSession } from '../commands/attach.ts';
import { sendInput } from '../commands/send.ts';
import { killSessions, listSessions, newSession } from '../commands/sessions.ts';
import { tailSession } from '../commands/tail.ts';
import { submitPrompt, waitForSession } from '../commands/turns.ts';
import { type AddVerbs, addExamples, collect, parseNumber } from './verb.ts';

const SESSION = 'alias, session id or identity';

export const addSessionVerbs: AddVerbs = (program, bind) => {
  const list = program
    .command('ls')
    .description('list live and lost sessions')
    .option('-a, --all', 'with those that ended in the last five minutes')
    .option('--json', 'print them as JSON')
    .action(bind(listSessions));
  addExamples(list, [["tuic ls --json | jq -r '.[].alias'", 'the aliases alone']]);
  const create = program
    .command('new')
    .description('open a session in this folder: your shell, or a command')
    .argument('[command...]', 'program and arguments, passed as they are and not through a shell')
    .option('-C, --cwd <folder>', 'folder to start in')
    .option('-n, --name <name>', 'name to show')
    .option('--rows <number>', 'height in rows (24)', parseNumber(1, LIMITS.rowsMax))
    .option('--cols <number>', 'width in columns (80)', parseNumber(1, LIMITS.colsMax))
    .option('--json', 'print the new session as JSON')
    .passThroughOptions()
    .action(bind(newSession));
  addExamples(create, [
    ['tuic new', 'a shell here'],
    ['tuic new --name build -- npm run build', 'a program with a name'],
    ["tuic new -- sh -c 'make && make test'", 'a line for a shell'],
  ]);
  const attach = program
    .command('attach')
    .description('work in a session from this terminal; ctrl-] leaves it running')
    .argument('<session>', SESSION)
    .option('--detach-key <key>', 'another key to leave with, as ctrl-a (TUIC_DETACH_KEY)')
    .action(bind(attachSession));
  addExamples(attach, [
    ['tuic attach tu-1', 'ctrl-] leaves, the program goes on'],
    ['tuic attach --detach-key ctrl-b tu-1', 'when the program needs ctrl-]'],
  ]);
  const send = program
    .command('send')
    .description('type into a session: text, then keys, then Enter; without text, what comes over standard input')
    .argument('<session>', SESSION)
    .argument('[text...]', 'words, joined by blanks; - reads standard input')
    .option('-k, --key <name>', 'press a key, as ctrl-c, escape, up, f5 or alt-x; may be repeated', collect)
    .option('-e, --enter', 'press Enter at the end')
    .option('--json', 'print how much was sent as JSON')
    .action(bind(sendInput));
  addExamples(send, [
    ['tuic send tu-1 --enter npm test', 'a line for the shell in it'],
    ['tuic send tu-1 --key ctrl-c', 'interrupt the program'],
    ['tuic send tu-1 --key escape,:,w,q --enter', 'several keys in their order'],
    ['tuic send tu-1 < prompt.txt', 'what stands in a file; line ends are sent as Enter'],
  ]);
  const submit = program
    .command('submit')
    .description(
      'give an idle agent a prompt: text and Enter in one step; without text, what comes over standard input',
    )
    .argument('<session>', SESSION)
    .argument('[text...]', 'words, joined by blanks; - reads standard input')
    .option('-d, --describe <text>', 'what the session works on from now on')
    .option('-w, --wait', 'then wait until the agent is idle again')
    .option('--json', 'print the receipt as JSON, of a refusal too')
    .action(bind(submitPrompt));
  addExamples(submit, [
    ['tuic submit tu-1 run the tests and fix what fails', 'one prompt'],
    ['tuic submit --wait tu-1 - < prompt.txt', 'what stands in a file, and wait for the end of the turn'],
  ]);
  const wait = program
    .command('wait')
    .description('wait until an agent or a shell is idle, or until a program has ended')
    .argument('<session>', SESSION)
    .addOption(program.createOption('-u, --until <state>', 'idle (default) or exited').choices(['idle', 'exited']))
    .option('-t, --timeout <seconds>', 'give up after so long; the exit code is 1 then', parseNumber(0, 86_400))
    .option('--json', 'print the outcome as JSON')
    .action(bind(waitForSession));
  addExamples(wait, [
    ['tuic wait tu-1', 'until the agent in it is done with its turn'],
    ['tuic wait --until exited --timeout 600 tu-1', 'ten minutes at most for a build'],
  ]);
  const tail = program
    .command('tail')
    .description('print the newest lines of a session, and with -f what comes')
    .argument('<session>', SESSION)
    .option('-n, --lines <number>', 'so many lines (10)', parseNumber(0, LIMITS.logLines))
    .option('-f, --follow', 'go on until the session ends; over restarts of the server too')
    .addOption(
      program
        .createOption('--format <format>', 'log: lines as the terminal keeps them; text: what was printed (with -f)')
        .choices(['log', 'text']),
    )
    .option('--json', 'print each line as a line of JSON')
    .action(bind(tailSession));
  addExamples(tail, [
    ['tuic tail tu-1', 'what its terminal shows at the end'],
    ['tuic tail -n 200 tu-1 | grep -i error', 'search in the newest 200 lines'],
    ['tuic tail -f tu-1', 'as it is printed'],
    ['tuic tail -f --format log tu-1', 'lines once they have scrolled off, for a program that redraws its screen'],
  ]);
  const kill = program
    .command('kill')
    .description('end sessions with everything they started')
    .argument('[session...]', SESSION)
    .option('--all', 'all sessions')
    .option('-f, --force', 'at once, without asking the programs to end')
    .option('--json', 'print the outcome as JSON')
    .action(bind(killSessions));
  addExamples(kill, [
    ['tuic kill tu-1 tu-2', 'two of them'],
    ['tuic kill --all', 'every session'],
  ]);
};
