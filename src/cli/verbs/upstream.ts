/** upstream add, ls, test, auth, rm, logs, import. */
import { CLIENT_NAMES } from '../commands/mcp.ts';
import {
  addUpstream,
  authUpstream,
  importUpstreams,
  listUpstreams,
  removeUpstream,
  showUpstreamLogs,
  testUpstream,
} from '../commands/upstream.ts';
import { type AddVerbs, addExamples, collectWhole, parseNumber } from './verb.ts';

const ONE_DAY = 86_400;

export const addUpstreamVerbs: AddVerbs = (program, bind) => {
  const upstream = program
    .command('upstream')
    .description('other MCP servers, which every agent then reaches through this one');
  addExamples(upstream, [
    ['tuic upstream add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes', 'a program'],
    ['tuic upstream add docs --url https://mcp.example.org/mcp', 'a server on the network'],
    ['tuic upstream ls', 'how they are'],
  ]);
  const add = upstream
    .command('add')
    .description('try a server and enter it')
    .argument('<name>', 'of a-z, 0-9, _ and -; its tools begin with it')
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--url <url>', 'a server over HTTP instead of a program')
    .option('--env <NAME=VALUE>', 'give the program a variable; the value is kept as a secret', collectWhole)
    .option('--cwd <folder>', 'where the program runs; without it in the home folder')
    .option('--token', 'ask for a bearer token, or read it from standard input')
    .option('--timeout <seconds>', 'of one call (30)', parseNumber(0, ONE_DAY))
    .option('--bare', 'show its tools without the name of the server')
    .option('--no-test', 'enter it without trying it')
    .option('--json', 'print what was done as JSON')
    .action(bind(addUpstream));
  addExamples(add, [
    ['tuic upstream add gh --env TOKEN=$TOKEN -- github-mcp-server stdio', 'with a secret in its environment'],
    ['pass show docs | tuic upstream add docs --url https://mcp.example.org/mcp --token', 'with a bearer token'],
  ]);
  const list = upstream
    .command('ls')
    .description('list them with their state')
    .option('--tools', 'with the names of their tools')
    .option('--json', 'print all that is known as JSON')
    .action(bind(listUpstreams));
  addExamples(list, [['tuic upstream ls --tools', 'what agents can call']]);
  const test = upstream
    .command('test')
    .description('connect anew; fails when the server is not ready then')
    .argument('<name>', 'as "tuic upstream ls" shows it')
    .option('--json', 'print its state as JSON')
    .action(bind(testUpstream));
  addExamples(test, [['tuic upstream test files', 'after it was repaired']]);
  const auth = upstream
    .command('auth')
    .description('store the bearer token of a server; asked for, or read from standard input')
    .argument('<name>', 'as "tuic upstream ls" shows it')
    .option('--forget', 'remove the token instead')
    .option('--json', 'print what was done as JSON')
    .action(bind(authUpstream));
  addExamples(auth, [['tuic upstream auth docs --forget', 'take it away again']]);
  const remove = upstream
    .command('rm')
    .description('take a server out, with its secrets')
    .argument('<name>', 'as "tuic upstream ls" shows it')
    .option('--json', 'print what was done as JSON')
    .action(bind(removeUpstream));
  addExamples(remove, [['tuic upstream rm files', 'agents lose its tools at once']]);
  const logs = upstream
    .command('logs')
    .description('show the newest of what the program of a server wrote to its standard error')
    .argument('<name>', 'as "tuic upstream ls" shows it')
    .option('--json', 'print it as JSON')
    .action(bind(showUpstreamLogs));
  addExamples(logs, [['tuic upstream logs files', 'why it does not start']]);
  const take = upstream
    .command('import')
    .description('take over the servers that an agent or editor has in its settings; those stay as they are')
    .argument('<client>', CLIENT_NAMES)
    .option('--dry-run', 'show what would be added and save nothing')
    .option('--json', 'print the outcome as JSON')
    .action(bind(importUpstreams));
  addExamples(take, [['tuic upstream import claude --dry-run', 'look first']]);
};
