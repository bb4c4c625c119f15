/** events. */
import { EVENT_NAMES } from '../../contract/index.ts';
import { watchEvents } from '../commands/events.ts';
import { type AddVerbs, addExamples, collect, parseNumber } from './verb.ts';

export const addWatchVerbs: AddVerbs = (program, bind) => {
  const events = program
    .command('events')
    .description('print what happens on the server, until Ctrl-C')
    .argument('[type...]', `only these: ${EVENT_NAMES.join(', ')}`)
    .option('-t, --type <type>', 'the same as an option; may be repeated', collect)
    .option('-s, --session <session>', 'only events of this session')
    .option('-n, --count <number>', 'end after so many', parseNumber(1, 1_000_000))
    .option('--json', 'print each event as a line of JSON')
    .action(bind(watchEvents));
  addExamples(events, [
    ['tuic events', 'everything'],
    ['tuic events session-closed --json', 'a line of JSON for each session that ends'],
    ['tuic events --session tu-1 --count 1 session-closed', 'wait for the end of a session'],
  ]);
};
