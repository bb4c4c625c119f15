/** tuic ls, new, kill. */
import { RequestRefused } from '../../client/index.ts';
import { type CreateSession, EXIT_CODES, type SessionInfo } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure, serverNotRunning } from '../failure.ts';
import { describeChoices } from '../session-ref.ts';
import { formatAge, formatCount, formatTable, shortenHome, toSafeText } from '../text.ts';

interface JsonOption {
  json?: boolean;
}

function describeState(session: SessionInfo): string {
  return session.exit_code === undefined ? session.lifecycle : `${session.lifecycle} ${session.exit_code}`;
}

export async function listSessions(context: Context, options: JsonOption & { all?: boolean }): Promise<void> {
  const client = await context.connect();
  const sessions = await client.sessions.list({ all: options.all === true });
  if (options.json) return context.printJson(sessions);
  if (sessions.length === 0) return context.print('No sessions. Open one with "tuic new"');
  const rows = sessions.map((session) => [
    session.alias ?? session.session_id,
    describeState(session),
    formatAge(context.now() - session.created_at),
    `${session.cols}x${session.rows}`,
    toSafeText(session.display_name ?? session.title ?? '-'),
    toSafeText(shortenHome(session.cwd ?? '-', context.home)),
  ]);
  const { style } = context;
  const colour = (cell: string, row: number, column: number) => {
    if (row < 0) return style.dim(cell);
    if (column === 0) return style.bold(cell);
    if (column !== 1) return cell;
    return cell === 'live' ? style.green(cell) : cell === 'lost' ? style.red(cell) : style.yellow(cell);
  };
  context.print(formatTable(['ALIAS', 'STATE', 'AGE', 'SIZE', 'NAME', 'FOLDER'], rows, colour));
}

export interface NewOptions extends JsonOption {
  cwd?: string;
  name?: string;
  rows?: number;
  cols?: number;
}

export async function newSession(context: Context, command: readonly string[], options: NewOptions): Promise<void> {
  const [program, ...args] = command;
  const input: CreateSession = { cwd: options.cwd ?? context.workingDirectory };
  if (program !== undefined) Object.assign(input, { shell: program, args });
  if (options.name !== undefined) Object.assign(input, { display_name: options.name, display_name_is_custom: true });
  if (options.rows !== undefined) input.rows = options.rows;
  if (options.cols !== undefined) input.cols = options.cols;
  const created = await (await context.connect()).sessions.create(input);
  if (options.json) return context.printJson(created);
  context.print(`${context.style.bold(created.alias)}  ${context.style.dim(created.session_id)}`);
}

interface Ended {
  ref: string;
  ended: boolean;
  error?: string;
  status?: number;
}

export interface KillOptions extends JsonOption {
  all?: boolean;
  force?: boolean;
}

/** Ends all that were named, also when one of them fails; the exit code tells the worst outcome. */
export async function killSessions(context: Context, refs: readonly string[], options: KillOptions): Promise<void> {
  if (options.all === true && refs.length > 0) {
    throw new CliFailure(EXIT_CODES.usage, 'Name sessions or give --all, not both');
  }
  if (options.all !== true && refs.length === 0) {
    throw new CliFailure(EXIT_CODES.usage, 'Name a session (alias, id or identity), or give --all');
  }
  const client = await context.tryConnect();
  if (client === undefined) {
    const next = 'Start it with "tuic start"; "tuic host stop" ends all terminals without it';
    throw serverNotRunning(context.configDirectory, next);
  }
  const wanted = options.all === true ? (await client.sessions.list()).map((session) => session.session_id) : refs;
  const results = await Promise.all(
    wanted.map(async (ref): Promise<Ended> => {
      try {
        await client.sessions.close(ref, options.force === true ? 'kill' : 'close');
        return { ref, ended: true };
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
        return { ref, ended: false, error: error.message, status: error.status };
      }
    }),
  );
  const failed = results.filter((result) => !result.ended);
  if (options.json) context.printJson(results.map(({ status: _, ...result }) => result));
  else context.print(`${formatCount(results.length - failed.length, 'session')} ended`);
  if (failed.length === 0) return;
  const isMissing = failed.every((result) => result.status === 404);
  const lines = failed.map((result) => `${toSafeText(result.ref)}: ${result.error}`);
  if (failed.some((result) => result.status === 404)) lines.push(describeChoices(await client.sessions.list()));
  throw new CliFailure(isMissing ? EXIT_CODES.notFound : EXIT_CODES.failure, lines.join('\n'));
}
