/** agents ls, start, resume, hooks install, hooks status, hooks remove. */
import { HOOKED_NAMES, installHooks, removeHooks, showHooks } from '../commands/agent-hooks.ts';
import { listAgents, resumeAgent, startAgent } from '../commands/agents.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addAgentVerbs: AddVerbs = (program, bind) => {
  const agents = program.command('agents').description('coding agents of this machine');
  addExamples(agents, [
    ['tuic agents ls', 'which are here, in which version'],
    ["tuic agents start claude 'Find out why the tests fail'", 'one in a terminal of its own'],
  ]);
  const list = agents
    .command('ls')
    .description('list the agents and editors that are here')
    .option('--json', 'print all known ones as JSON')
    .action(bind(listAgents));
  addExamples(list, [["tuic agents ls --json | jq -r '.agents[] | select(.path) | .name'", 'the names alone']]);
  const start = agents
    .command('start')
    .description('open a terminal with an agent and give it its task')
    .argument('<agent>', 'agent, run configuration of agents.json, or program')
    .argument('<prompt...>', 'what it is to do; words are joined by blanks')
    .option('-C, --cwd <folder>', 'folder to work in (this one)')
    .option('-n, --name <name>', 'name to show')
    .option('-m, --model <model>', 'model to use')
    .option('--json', 'print the new session as JSON')
    .action(bind(startAgent));
  addExamples(start, [
    ["tuic agents start codex --name tests 'Make the tests pass'", 'with a name'],
    ['tuic attach "$(tuic agents start claude --json \'Review this\' | jq -r .alias)"', 'and look at it at once'],
  ]);
  const resume = agents
    .command('resume')
    .description('go on with the conversation of an agent whose session is lost or has just ended')
    .argument('<session>', 'alias, session id or identity')
    .option('-c, --conversation <id>', 'the agent’s own id of it, when TUICommander does not know')
    .option('--json', 'print the new session as JSON')
    .action(bind(resumeAgent));
  addExamples(resume, [['tuic agents resume tu-1', 'after the terminal host was lost']]);
  const hooks = agents.command('hooks').description('let agents tell what they do to the terminal they run in');
  addExamples(
    hooks,
    [
      ['tuic agents hooks status', 'which agents are here, and which tell'],
      ['tuic agents hooks install claude --dry-run', 'what would be changed in its settings'],
    ],
    `\n\nAgents: ${HOOKED_NAMES}. Hooks do nothing outside terminals of TUICommander`,
  );
  const install = hooks
    .command('install')
    .description('add or repair our hooks in the settings of an agent; the rest of the file stays as it is')
    .argument('[agent...]', HOOKED_NAMES)
    .option('--all', 'every agent on this machine')
    .option('--dry-run', 'show the change and write nothing')
    .option('--json', 'print the outcome as JSON')
    .action(bind(installHooks));
  addExamples(install, [['tuic agents hooks install --all', 'every agent on this machine']]);
  const status = hooks
    .command('status')
    .description('show which agents have our hooks')
    .argument('[agent...]', HOOKED_NAMES)
    .option('--json', 'print it as JSON')
    .action(bind(showHooks));
  addExamples(status, [['tuic agents hooks status claude', 'fails when they are not set up']]);
  const remove = hooks
    .command('remove')
    .description('take our hooks out again')
    .argument('[agent...]', HOOKED_NAMES)
    .option('--all', 'every agent on this machine')
    .option('--dry-run', 'show the change and write nothing')
    .option('--json', 'print the outcome as JSON')
    .action(bind(removeHooks));
  addExamples(remove, [['tuic agents hooks remove --all', 'out of every agent']]);
};
