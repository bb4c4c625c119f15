/** `tuic agents hooks install|remove|status`: lets agents tell what they do to the terminal they run in. */
import { EXIT_CODES } from '../../contract/index.ts';
import { HOOKED_AGENTS, type HookedAgent } from '../agent-hooks/agents.ts';
import { applyHooks, type HookStatus, planHooks, readHooks } from '../agent-hooks/entries.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { formatTable, toSafeText } from '../text.ts';
import { describeFailure, diffOf, shorten, tellChange } from '../told-change.ts';

interface ChangeOptions {
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const HOOKED_NAMES = HOOKED_AGENTS.map(({ id }) => id).join(', ');

async function chooseAgents(context: Context, ids: readonly string[], all: boolean): Promise<HookedAgent[]> {
  if (all) {
    const found = await Promise.all(HOOKED_AGENTS.map((agent) => readHooks(agent, context)));
    return HOOKED_AGENTS.filter((_, at) => found[at]?.present === true);
  }
  if (ids.length === 0) {
    throw new CliFailure(EXIT_CODES.usage, `Name an agent (${HOOKED_NAMES}), or --all for those on this machine`);
  }
  return ids.map((id) => {
    const agent = HOOKED_AGENTS.find((known) => known.id === id);
    if (agent !== undefined) return agent;
    const reason =
      id === 'codex' ? 'codex needs no hooks: it says itself what it does' : `No hooks for ${toSafeText(id)}`;
    throw new CliFailure(EXIT_CODES.notFound, `${reason}. There are hooks for ${HOOKED_NAMES}`);
  });
}

export const installHooks = (context: Context, ids: readonly string[], options: ChangeOptions) =>
  changeHooks(context, ids, options, true);
export const removeHooks = (context: Context, ids: readonly string[], options: ChangeOptions) =>
  changeHooks(context, ids, options, false);

async function changeHooks(
  context: Context,
  ids: readonly string[],
  options: ChangeOptions,
  isInstall: boolean,
): Promise<number> {
  const outcomes: object[] = [];
  let failed = 0;
  for (const agent of await chooseAgents(context, ids, options.all === true)) {
    try {
      const change = await planHooks(agent, context, isInstall);
      const diff = change.change === 'none' ? '' : diffOf(change);
      const isWritten = change.change !== 'none' && options.dryRun !== true;
      const copy = isWritten ? await applyHooks(agent, change) : undefined;
      const { file, change: what } = change;
      outcomes.push({ agent: agent.id, file, change: what, written: isWritten, ...(copy ? { copy } : {}), diff });
      if (options.json !== true) tellChange(context, change, { isWritten, copy, diff, isInstall });
    } catch (error) {
      failed++;
      const reason = describeFailure(error);
      outcomes.push({ agent: agent.id, error: reason });
      context.warn(`${agent.name}: ${reason}. Nothing was changed\n`);
    }
  }
  if (options.json === true) context.printJson(outcomes);
  return failed === 0 ? EXIT_CODES.ok : EXIT_CODES.failure;
}

const MEANINGS: Readonly<Record<HookStatus['state'], string>> = {
  installed: 'set up',
  different: 'of another version',
  absent: 'not set up',
  unreadable: 'unreadable',
};

export async function showHooks(
  context: Context,
  ids: readonly string[],
  options: { json?: boolean },
): Promise<number> {
  const agents = ids.length === 0 ? HOOKED_AGENTS : await chooseAgents(context, ids, false);
  const found = await Promise.all(agents.map((agent) => readHooks(agent, context)));
  if (options.json === true) context.printJson(found);
  else {
    const { style } = context;
    const rows = found.map(({ agent, state, present, file, detail }) => [
      agent,
      state === 'absent' && !present ? 'not on this machine' : MEANINGS[state],
      shorten(file, context.home),
      toSafeText(detail ?? ''),
    ]);
    context.print(
      formatTable(['AGENT', 'HOOKS', 'FILE', ''], rows, (cell, row, column) => {
        if (row === -1) return style.dim(cell);
        if (column !== 1) return cell;
        const state = found[row]?.state;
        return state === 'installed' ? style.green(cell) : state === 'absent' ? style.dim(cell) : style.yellow(cell);
      }),
    );
    const old = found.filter(({ state }) => state === 'different').map(({ agent }) => agent);
    if (old.length > 0) context.print(`\nRepair with: tuic agents hooks install ${old.join(' ')}`);
  }
  const isMissing = ids.length > 0 && found.some(({ state }) => state !== 'installed');
  return isMissing ? EXIT_CODES.failure : EXIT_CODES.ok;
}
