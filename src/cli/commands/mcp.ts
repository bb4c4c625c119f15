/** `tuic mcp install|status|remove`: enters TUICommander into the configuration of other programs, and out of it. */
import { EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { type Launch, MCP_CLIENTS, type McpClient } from '../mcp-clients/clients.ts';
import { applyChange, type EntryState, planChange, readStatus } from '../mcp-clients/entries.ts';
import { formatTable, toSafeText } from '../text.ts';
import { describeFailure, diffOf, shorten, tellChange } from '../told-change.ts';

interface ChangeOptions {
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const CLIENT_NAMES = MCP_CLIENTS.map(({ id }) => id).join(', ');

export function bridgeLaunch(context: Context): Launch {
  const { TUIC_CONFIG_DIR, TUIC_INSTANCE } = context.env;
  return {
    command: context.nodePath,
    args: [context.bridgePath],
    env: TUIC_CONFIG_DIR ? { TUIC_CONFIG_DIR: context.configDirectory } : TUIC_INSTANCE ? { TUIC_INSTANCE } : {},
  };
}

async function chooseClients(context: Context, ids: readonly string[], all: boolean): Promise<McpClient[]> {
  if (all) {
    const launch = bridgeLaunch(context);
    const found = await Promise.all(
      MCP_CLIENTS.map(async (client) => ({ client, status: await readStatus(client, context, launch) })),
    );
    return found.filter(({ status }) => status.present).map(({ client }) => client);
  }
  if (ids.length === 0)
    throw new CliFailure(EXIT_CODES.usage, `Name a client (${CLIENT_NAMES}), or --all for those on this machine`);
  return ids.map((id) => {
    const client = MCP_CLIENTS.find((known) => known.id === id);
    if (client === undefined)
      throw new CliFailure(EXIT_CODES.notFound, `No such client: ${toSafeText(id)}. Known are ${CLIENT_NAMES}`);
    return client;
  });
}

export function installEntries(context: Context, ids: readonly string[], options: ChangeOptions): Promise<number> {
  return changeEntries(context, ids, options, bridgeLaunch(context));
}

export function removeEntries(context: Context, ids: readonly string[], options: ChangeOptions): Promise<number> {
  return changeEntries(context, ids, options, undefined);
}

async function changeEntries(
  context: Context,
  ids: readonly string[],
  options: ChangeOptions,
  launch: Launch | undefined,
): Promise<number> {
  const clients = await chooseClients(context, ids, options.all === true);
  const outcomes: Record<string, unknown>[] = [];
  let failed = 0;
  for (const client of clients) {
    try {
      const change = await planChange(client, context, launch);
      const diff = change.change === 'none' ? '' : diffOf(change);
      const isWritten = change.change !== 'none' && options.dryRun !== true;
      const copy = isWritten ? await applyChange(change) : undefined;
      outcomes.push({
        client: client.id,
        file: change.file,
        change: change.change,
        written: isWritten,
        ...(copy ? { copy } : {}),
        diff,
      });
      if (options.json !== true)
        tellChange(context, change, { isWritten, copy, diff, isInstall: launch !== undefined });
    } catch (error) {
      failed++;
      const reason = describeFailure(error);
      outcomes.push({ client: client.id, error: reason });
      context.warn(`${client.name}: ${reason}. Nothing was changed\n`);
    }
  }
  if (options.json === true) context.printJson(outcomes);
  return failed === 0 ? EXIT_CODES.ok : EXIT_CODES.failure;
}

const MEANINGS: Readonly<Record<EntryState, string>> = {
  installed: 'set up',
  stale: 'stale',
  different: 'different',
  absent: 'not set up',
  unreadable: 'unreadable',
};

export async function showEntries(
  context: Context,
  ids: readonly string[],
  options: { json?: boolean },
): Promise<number> {
  const clients = ids.length === 0 ? MCP_CLIENTS : await chooseClients(context, ids, false);
  const launch = bridgeLaunch(context);
  const found = await Promise.all(clients.map((client) => readStatus(client, context, launch)));
  if (options.json === true) context.printJson(found);
  else {
    const { style } = context;
    const rows = found.map(({ client, state, present, detail, file }) => [
      client,
      state === 'absent' && !present ? 'not on this machine' : MEANINGS[state],
      shorten(file, context.home),
      toSafeText(detail ?? ''),
    ]);
    const table = formatTable(['CLIENT', 'STATE', 'FILE', ''], rows, (cell, row, column) => {
      if (row === -1) return style.dim(cell);
      if (column !== 1) return cell;
      const state = found[row]?.state;
      if (state === 'installed') return style.green(cell);
      return state === 'absent' ? style.dim(cell) : style.yellow(cell);
    });
    context.print(table);
    const broken = found.filter(({ state }) => state === 'stale' || state === 'different').map(({ client }) => client);
    if (broken.length > 0) context.print(`\nRepair with: tuic mcp install ${broken.join(' ')}`);
  }
  const isAsked = ids.length > 0;
  return isAsked && found.some(({ state }) => state !== 'installed') ? EXIT_CODES.failure : EXIT_CODES.ok;
}
