/** start, stop, status, open, host. */
import { showHostStatus, stopHost } from '../commands/host.ts';
import { openWorkspace, showStatus, startServer, stopServer } from '../commands/server.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addServerVerbs: AddVerbs = (program, bind) => {
  const start = program
    .command('start')
    .description('run the server, in the foreground until Ctrl-C')
    .option('-d, --detach', 'run in the background; returns when the server is ready')
    .option('--open', 'open the workspace in the browser')
    .option('--json', 'print what was started as JSON')
    .addOption(program.createOption('--report-to-parent').hideHelp())
    .action(bind(startServer));
  addExamples(start, [
    ['tuic start', 'until Ctrl-C'],
    ['tuic start -d --json', 'for scripts'],
  ]);
  const stop = program
    .command('stop')
    .description('end the server; sessions keep running and the next server takes them over')
    .option('--json', 'print the outcome as JSON')
    .action(bind(stopServer));
  addExamples(stop, [['tuic stop && tuic start -d', 'a new server under the running sessions']]);
  const status = program
    .command('status')
    .description('tell whether the server and the terminal host run')
    .option('--json', 'print it as JSON')
    .action(bind(showStatus));
  addExamples(status, [['tuic status --json | jq .server.port', 'the port of the workspace']]);
  const open = program
    .command('open')
    .description('open the workspace in the browser by a login link that works once')
    .option('--print', 'print the link only')
    .option('--json', 'print the link as JSON')
    .action(bind(openWorkspace));
  addExamples(open, [['tuic open --print', 'for another browser of yours on this machine']]);
};

export const addHostVerbs: AddVerbs = (program, bind) => {
  const host = program.command('host').description('the process that holds the terminals while servers come and go');
  addExamples(host, [['tuic host status', 'also while no server runs']]);
  const status = host
    .command('status')
    .description('show it and its terminals')
    .option('--json', 'print it as JSON')
    .action(bind(showHostStatus));
  addExamples(status, [["tuic host status --json | jq '.sessions[].file'", 'what runs in it']]);
  const stop = host
    .command('stop')
    .description('end it and all terminals')
    .option('--json', 'print the outcome as JSON')
    .action(bind(stopHost));
  addExamples(stop, [['tuic stop && tuic host stop', 'nothing of the instance runs any more']]);
};
