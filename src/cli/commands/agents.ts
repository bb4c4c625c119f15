/** `tuic agents ls`: which coding agents and editors the server's machine has. */
import type { Context } from '../context.ts';
import { formatTable, toSafeText } from '../text.ts';

export async function listAgents(context: Context, options: { json?: boolean }): Promise<void> {
  const client = await context.connect();
  const found = await client.agents.detect();
  if (options.json === true) return context.printJson(found);
  const { style } = context;
  const here = found.agents.filter(({ path }) => path !== null);
  if (here.length === 0) context.print('No known agent is on this machine');
  else {
    const rows = here.map(({ name, version, path }) => [name, toSafeText(version ?? '?'), toSafeText(path ?? '')]);
    context.print(
      formatTable(['AGENT', 'VERSION', 'PROGRAM'], rows, (cell, row) => (row === -1 ? style.dim(cell) : cell)),
    );
  }
  const others = found.agents.filter(({ path }) => path === null).map(({ name }) => name);
  if (others.length > 0) context.print(style.dim(`not here: ${others.join(', ')}`));
  if (found.ides.length > 0) context.print(style.dim(`editors: ${found.ides.join(', ')}`));
}
