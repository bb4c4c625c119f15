/** agents ls. */
import { listAgents } from '../commands/agents.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addAgentVerbs: AddVerbs = (program, bind) => {
  const agents = program.command('agents').description('coding agents of this machine');
  addExamples(agents, [['tuic agents ls', 'which are here, in which version']]);
  const list = agents
    .command('ls')
    .description('list the agents and editors that are here')
    .option('--json', 'print all known ones as JSON')
    .action(bind(listAgents));
  addExamples(list, [["tuic agents ls --json | jq -r '.agents[] | select(.path) | .name'", 'the names alone']]);
};
