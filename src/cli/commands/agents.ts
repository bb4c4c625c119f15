/** `tuic agents ls`, `start` and `resume`: the coding agents of the server's machine. */
import type { CreateAgentSession } from '../../contract/index.ts';
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

export interface StartAgentOptions {
  cwd?: string;
  name?: string;
  model?: string;
  json?: boolean;
}

/** Words are joined by blanks, as by `send`. */
export async function startAgent(
  context: Context,
  agent: string,
  words: readonly string[],
  options: StartAgentOptions,
): Promise<void> {
  const input: CreateAgentSession = {
    agent_type: agent,
    prompt: words.join(' '),
    cwd: options.cwd ?? context.workingDirectory,
  };
  if (options.name !== undefined) Object.assign(input, { display_name: options.name, display_name_is_custom: true });
  if (options.model !== undefined) input.model = options.model;
  const started = await (await context.connect()).agents.start(input);
  if (options.json === true) return context.printJson(started);
  context.print(`${context.style.bold(started.alias)}  ${context.style.dim(started.session_id)}`);
  if (started.launch_warning !== undefined) context.warn(`${toSafeText(started.launch_warning)}\n`);
}

export async function resumeAgent(
  context: Context,
  session: string,
  options: { conversation?: string; json?: boolean },
): Promise<void> {
  const resumed = await (await context.connect()).agents.resume(session, options.conversation);
  if (options.json === true) return context.printJson(resumed);
  context.print(`${context.style.bold(resumed.alias)}  ${context.style.dim(resumed.session_id)}`);
}
