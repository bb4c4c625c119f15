/** events, logs. */
import { InvalidArgumentError } from 'commander';
import { EVENT_NAMES, LIMITS, LOG_AUDIENCES, LOG_LEVELS } from '../../contract/index.ts';
import { watchEvents } from '../commands/events.ts';
import { showAccess, showLogs } from '../commands/logs.ts';
import { type AddVerbs, addExamples, collect, parseNumber } from './verb.ts';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Epoch milliseconds of `90s`, `15m`, `2h`, `3d` ago, or of a date. */
function parseSince(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match !== null) return Date.now() - Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS] * 1_000;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return Math.max(0, time);
  throw new InvalidArgumentError('write it as 90s, 15m, 2h, 3d, or as 2026-01-31T12:00');
}

export const addWatchVerbs: AddVerbs = (program, bind) => {
  const events = program
    .command('events')
    .description('print what happens on the server, until Ctrl-C')
    .addArgument(program.createArgument('[type...]', 'only these').choices(EVENT_NAMES))
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
  const logs = program
    .command('logs')
    .description('print what the server said; "logs access" prints who changed what')
    .option('-n, --lines <number>', 'the newest so many (50)', parseNumber(0, LIMITS.logRing))
    .option('-f, --follow', 'go on until Ctrl-C')
    .addOption(program.createOption('--level <level>', 'this level and worse').choices(LOG_LEVELS))
    .option('--source <source>', 'only of this source')
    .addOption(program.createOption('--audience <audience>', 'only for these').choices(LOG_AUDIENCES))
    .option('--json', 'print each entry as a line of JSON')
    .action(bind(showLogs));
  addExamples(logs, [
    ['tuic logs --level warn', 'what went wrong'],
    ['tuic logs -f', 'as it is said'],
  ]);
  const access = logs
    .command('access')
    .description('print who changed what: every write, never its content')
    .option('-n, --lines <number>', 'the newest so many (50)', parseNumber(0, LIMITS.accessEntries))
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--since <time>', 'nothing older: 90s, 15m, 2h, 3d, or a date', parseSince)
    .option('-s, --session <session>', 'only of this session')
    .option('--json', 'print each entry as a line of JSON')
    .action(bind(showAccess));
  addExamples(access, [
    ['tuic logs access --since 1h', 'of the last hour'],
    ['tuic logs access -f --session tu-1', 'who works on this session'],
  ]);
};
