/** agents ls, start. */
import { listAgents, startAgent } from '../commands/agents.ts';
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
};
