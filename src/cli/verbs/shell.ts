/** completion, and the hidden verb that its scripts ask. */
import { printCompletion, printNames, SHELLS } from '../commands/completion.ts';
import { describeTree, NAME_KINDS } from '../tree-description.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addShellVerbs: AddVerbs = (program, bind) => {
  const completion = program
    .command('completion')
    .description('print the completion script of a shell; it completes verbs, options and names of sessions')
    .addArgument(program.createArgument('[shell]', 'yours, when it is not named').choices(SHELLS))
    .action(bind(async (context, shell: string | undefined) => printCompletion(context, shell, describeTree(program))));
  addExamples(completion, [
    ["echo 'source <(tuic completion bash)' >> ~/.bashrc", 'bash'],
    ["echo 'source <(tuic completion zsh)' >> ~/.zshrc", 'zsh, behind compinit'],
    ['tuic completion fish > ~/.config/fish/completions/tuic.fish', 'fish'],
  ]);
  program
    .command('complete', { hidden: true })
    .description('print names for a completion script')
    .addArgument(program.createArgument('<kind>').choices(NAME_KINDS))
    .action(bind(printNames));
};
