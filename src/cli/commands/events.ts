/** tuic events: what the server tells its windows, line by line, over breaks and restarts. */
import { RequestRefused } from '../../client/index.ts';
import { type AppEvent, DEADLINES, EVENT_NAMES, type EventName, EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { lookUpSession } from '../session-ref.ts';
import { formatCount, formatTime, toSafeText } from '../text.ts';

export interface EventOptions {
  type?: string[];
  session?: string;
  count?: number;
  json?: boolean;
}

function requireTypes(names: readonly string[]): EventName[] {
  return names.map((name) => {
    const known = EVENT_NAMES.find((candidate) => candidate === name);
    if (known !== undefined) return known;
    throw new CliFailure(EXIT_CODES.usage, `"${toSafeText(name)}" is no event. Events are: ${EVENT_NAMES.join(', ')}`);
  });
}

/** `key=value` in the order of the event; the session goes by the name a person knows. */
function describe({ data }: AppEvent, names: ReadonlyMap<string, string>): string {
  return Object.entries(data)
    .map(([key, value]) => {
      if (key === 'session_id') return names.get(String(value)) ?? String(value);
      if (value === null) return '';
      const text = toSafeText(String(value));
      return `${key}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`;
    })
    .filter((part) => part !== '')
    .join('  ');
}

/** Resolves after `count` events; without a count it goes on until the process is ended. */
export async function watchEvents(context: Context, words: readonly string[], options: EventOptions): Promise<void> {
  const types = requireTypes([...words, ...(options.type ?? [])]);
  const client = await context.connect();
  const sessions = await client.sessions.list({ all: true });
  const only = options.session === undefined ? undefined : await lookUpSession(client, options.session);
  const names = new Map(
    sessions.flatMap(({ session_id, alias }) => (alias === undefined ? [] : [[session_id, alias]])),
  );
  const { style } = context;
  const width = Math.max(...EVENT_NAMES.map((name) => name.length));
  let left = options.count ?? Number.POSITIVE_INFINITY;
  let isAway = false;

  await new Promise<void>((resolve, reject) => {
    const print = (event: AppEvent) => {
      if (event.name === 'term-alias-assigned') names.set(event.data.session_id, event.data.alias);
      if (types.length > 0 && !types.includes(event.name)) return;
      if (only !== undefined && !('session_id' in event.data && event.data.session_id === only.session_id)) return;
      if (left <= 0) return;
      left--;
      const time = context.now();
      if (options.json) context.printJsonLine({ time_ms: time, event: event.name, data: event.data });
      else {
        const name = style.bold(event.name.padEnd(width));
        context.print(`${style.dim(formatTime(time))}  ${name}  ${describe(event, names)}`.trimEnd());
      }
      if (left === 0) finish(resolve);
    };
    const stream = client.openEvents(
      {
        event: print,
        lagged: (missed) => context.warn(`[${missed === 0 ? 'some events' : formatCount(missed, 'event')} missed]\n`),
        connected: () => {
          if (isAway) context.warn('[connected again]\n');
          isAway = false;
        },
        disconnected: (_, cause) => {
          if (cause instanceof RequestRefused && cause.status < 500) return finish(() => reject(cause));
          if (!isAway) context.warn('[the server is away; waiting for it]\n');
          isAway = true;
        },
      },
      // Aliases make the lines readable, so their event is always asked for.
      {
        ...(types.length === 0 ? {} : { types: [...new Set<EventName>([...types, 'term-alias-assigned'])] }),
        longestWait: DEADLINES.retryMaximumWatched,
      },
    );
    const finish = (settle: () => void) => {
      stream.dispose();
      settle();
    };
  });
}
