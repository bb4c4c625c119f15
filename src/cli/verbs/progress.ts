/** progress ls, export, pause, resume, clear, correct. */
import {
  clearProgress,
  correctProgress,
  exportProgress,
  listProgress,
  pauseProgress,
  resumeProgress,
} from '../commands/progress.ts';
import { type AddVerbs, addExamples, parseNumber } from './verb.ts';

const FOLDER = 'the repository, or a folder in it; without one, this folder';
const LATEST = 500;

export const addProgressVerbs: AddVerbs = (program, bind) => {
  const progress = program.command('progress').description('the journal of what agents did in a repository');
  addExamples(progress, [
    ['tuic progress ls', 'the newest entries of the repository you are in'],
    ['tuic progress export > done.md', 'all of them as a document'],
  ]);
  const list = progress
    .command('ls')
    .description('list entries, oldest first')
    .argument('[folder]', FOLDER)
    .option('-n, --limit <number>', 'at most so many (50)', parseNumber(1, LATEST))
    .option('--since <time>', 'only after this created_at, in milliseconds', Number)
    .option('-k, --kind <kind>', 'only intent, done or blocked')
    .option('--json', 'print them as JSON')
    .action(bind(listProgress));
  addExamples(list, [['tuic progress ls --kind blocked', 'what agents wait for']]);
  const exported = progress
    .command('export')
    .description('print the whole journal as Markdown')
    .argument('[folder]', FOLDER)
    .option('--json', 'as JSON')
    .action(bind(exportProgress));
  addExamples(exported, [['tuic progress export ~/src/app', 'of another repository']]);
  const pause = progress
    .command('pause')
    .description('add nothing until it goes on; agents that report are told')
    .argument('[folder]', FOLDER)
    .option('--json', 'print what was done as JSON')
    .action(bind(pauseProgress));
  addExamples(pause, [['tuic progress pause', 'here']]);
  const resume = progress
    .command('resume')
    .description('go on after a pause')
    .argument('[folder]', FOLDER)
    .option('--json', 'print what was done as JSON')
    .action(bind(resumeProgress));
  addExamples(resume, [['tuic progress resume', 'here']]);
  const clear = progress
    .command('clear')
    .description('take entries out for good')
    .argument('[folder]', FOLDER)
    .option('--before <date>', 'only what is older')
    .option('--json', 'print how many went as JSON')
    .action(bind(clearProgress));
  addExamples(clear, [['tuic progress clear --before 2026-12-01', 'keep what is newer']]);
  const correct = progress
    .command('correct')
    .description('correct an entry; what is not given stays')
    .argument('<id>', 'as "tuic progress ls" shows it')
    .option('--text <text>', 'what it says')
    .option('--step <step>', 'the step it belongs to; "" takes it away')
    .option('--kind <kind>', 'intent, done or blocked')
    .option('--json', 'print the entry as JSON')
    .action(bind(correctProgress));
  addExamples(correct, [['tuic progress correct 6f1c… --text "wrote the parser"', 'say it better']]);
};
