/** repo add, ls, rm. */
import { addRepositoryFolder, listRepositories, removeRepositoryFolder } from '../commands/repo.ts';
import { type AddVerbs, addExamples } from './verb.ts';

export const addRepositoryVerbs: AddVerbs = (program, bind) => {
  const repo = program.command('repo').description('repositories that agents and windows are told of');
  addExamples(repo, [
    ['tuic repo add', 'register the folder you are in'],
    ['tuic repo ls', 'branch and state of each'],
  ]);
  const add = repo
    .command('add')
    .description('register a folder')
    .argument('[folder]', 'the folder with .git in it; without one, this folder')
    .option('--json', 'print what was done as JSON')
    .action(bind(addRepositoryFolder));
  addExamples(add, [['tuic repo add ~/src/app', 'register another folder']]);
  const list = repo
    .command('ls')
    .description('list them with branch and state')
    .option('--json', 'print them as JSON')
    .action(bind(listRepositories));
  addExamples(list, [['tuic repo ls --json', 'for a program']]);
  const remove = repo
    .command('rm')
    .description('take a folder out of the list; nothing in it is touched')
    .argument('<folder>', 'as "tuic repo ls" shows it')
    .option('--json', 'print what was done as JSON')
    .action(bind(removeRepositoryFolder));
  addExamples(remove, [['tuic repo rm ~/src/app', 'also when the folder is gone']]);
};
