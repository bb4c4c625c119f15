/** tuic upstream add, ls, test, auth, rm, logs, import: MCP servers behind TUICommander. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Client } from '../../client/index.ts';
import {
  EXIT_CODES,
  type TestUpstream,
  type UpstreamConfig,
  type UpstreamReport,
  type UpstreamServer,
  upstreamServerSchema,
} from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { MCP_CLIENTS, type McpClient } from '../mcp-clients/clients.ts';
import { readClientDocument } from '../mcp-clients/entries.ts';
import { readServers } from '../mcp-clients/servers.ts';
import { UnreadableFile } from '../mcp-clients/unreadable-file.ts';
import { readAllInput } from '../standard-input.ts';
import { formatCount, formatTable, type Style, toSafeText } from '../text.ts';

interface JsonOption {
  json?: boolean;
}

interface AddOptions extends JsonOption {
  url?: string;
  env?: readonly string[];
  cwd?: string;
  token?: boolean;
  timeout?: number;
  bare?: boolean;
  test: boolean;
}

const STATES: Readonly<Record<UpstreamReport['status'], string>> = {
  connecting: 'connecting',
  ready: 'ready',
  circuit_open: 'away',
  disabled: 'disabled',
  failed: 'failed',
  needs_auth: 'needs a login',
  authenticating: 'logging in',
};

function colour(status: UpstreamReport['status'], style: Style): (text: string) => string {
  if (status === 'ready') return style.green;
  return status === 'disabled' ? style.dim : style.yellow;
}

function place({ transport }: UpstreamReport): string {
  return toSafeText(transport.type === 'http' ? transport.url : [transport.command, ...transport.args].join(' '));
}

export async function listUpstreams(context: Context, options: JsonOption & { tools?: boolean }): Promise<void> {
  const client = await context.connect();
  const upstreams = await client.upstreams.status();
  if (options.json === true) return context.printJson(upstreams);
  if (upstreams.length === 0) {
    return context.print(
      'There are none. "tuic upstream add" enters one, "tuic upstream import" takes over those of an agent',
    );
  }
  const { style } = context;
  const rows = upstreams.map((each) => [
    each.name,
    STATES[each.status],
    String(each.tool_count),
    String(each.metrics.call_count),
    place(each),
  ]);
  context.print(
    formatTable(['NAME', 'STATE', 'TOOLS', 'CALLS', 'SERVER'], rows, (cell, row, column) => {
      const upstream = upstreams[row];
      if (upstream === undefined) return style.dim(cell);
      return column === 1 ? colour(upstream.status, style)(cell) : cell;
    }),
  );
  for (const { name, last_error, status, set_aside = [], tools } of upstreams) {
    if (last_error !== null && status !== 'ready') context.print(`\n${name}: ${toSafeText(last_error)}`);
    for (const { tool, reason } of set_aside) {
      context.print(`\n${name}: ${toSafeText(tool)} is not shown, ${toSafeText(reason)}`);
    }
    if (options.tools === true && tools.length > 0) context.print(`\n${name}:\n  ${tools.join('\n  ')}`);
  }
}

function parseEnv(pairs: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new CliFailure(EXIT_CODES.usage, `--env takes NAME=VALUE, not ${toSafeText(pair)}`);
    env[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return env;
}

async function readToken(context: Context): Promise<string> {
  let token: string;
  if (context.input?.isTerminal === true && context.askSecret !== undefined) token = await context.askSecret('Token: ');
  else token = (await readAllInput(context)).trim();
  if (token === '') throw new CliFailure(EXIT_CODES.failure, 'There was no token. Nothing was done');
  return token;
}

function buildTransport(context: Context, words: readonly string[], options: AddOptions): UpstreamServer['transport'] {
  const [command, ...args] = words;
  if ((options.url === undefined) === (command === undefined)) {
    throw new CliFailure(EXIT_CODES.usage, 'Give either --url, or the command of the server after --');
  }
  if (options.url !== undefined) return { type: 'http', url: options.url };
  const cwd = options.cwd === undefined ? {} : { cwd: options.cwd };
  // The server has another folder than the person.
  const file = command?.startsWith('.') === true ? resolve(context.workingDirectory, command) : (command ?? '');
  return { type: 'stdio', command: file, args, env: parseEnv(options.env ?? []), ...cwd };
}

/** Adds servers to what is stored now. */
async function addServers(client: Client, servers: readonly UpstreamServer[]): Promise<void> {
  const base = await client.upstreams.read();
  await client.upstreams.save(base, { ...base, servers: [...base.servers, ...servers] });
}

export async function addUpstream(
  context: Context,
  name: string,
  words: readonly string[],
  options: AddOptions,
): Promise<void> {
  const transport = buildTransport(context, words, options);
  const token = options.token === true ? await readToken(context) : undefined;
  const client = await context.connect();
  const timeout = options.timeout === undefined ? {} : { timeout_secs: options.timeout };
  const more = { ...timeout, ...(token === undefined ? {} : { token }) };
  const tested = options.test
    ? await client.upstreams.test({ transport, ...more } satisfies Partial<TestUpstream>)
    : undefined;
  if (tested?.ok === false) {
    const written = tested.diagnostics === undefined ? '' : `\n${context.style.dim(toLines(tested.diagnostics))}`;
    throw new CliFailure(
      EXIT_CODES.failure,
      `It cannot be used: ${toSafeText(tested.error ?? '')}. Nothing was saved (--no-test saves it all the same)${written}`,
    );
  }
  const server = upstreamServerSchema.parse({
    id: randomUUID(),
    name,
    transport,
    ...timeout,
    ...(options.bare === true ? { bare: true } : {}),
    ...(token === undefined ? {} : { auth: { type: 'bearer', token } }),
  });
  await addServers(client, [server]);
  if (options.json === true)
    return context.printJson({ name, added: true, tools: tested?.tools?.map((tool) => tool.name) });
  const tools = tested?.tools === undefined ? '' : `: ${formatCount(tested.tools.length, 'tool')}`;
  context.print(`Added ${name}${tools}`);
}

function toLines(text: string): string {
  return text.split('\n').map(toSafeText).join('\n');
}

async function findUpstream(client: Client, name: string): Promise<UpstreamReport> {
  const found = (await client.upstreams.status()).find((each) => each.name === name);
  if (found === undefined) throw new CliFailure(EXIT_CODES.notFound, `There is no MCP server ${toSafeText(name)}`);
  return found;
}

export async function testUpstream(context: Context, name: string, options: JsonOption): Promise<number> {
  const client = await context.connect();
  await client.upstreams.reconnect(name);
  const found = await findUpstream(client, name);
  if (options.json === true) context.printJson(found);
  else if (found.status === 'ready') context.print(`${name} is ready: ${formatCount(found.tool_count, 'tool')}`);
  else {
    context.print(`${name}: ${STATES[found.status]}. ${toSafeText(found.last_error ?? '')}`);
    if (found.diagnostics !== undefined) context.print(context.style.dim(toLines(found.diagnostics)));
  }
  return found.status === 'ready' ? EXIT_CODES.ok : EXIT_CODES.failure;
}

export async function authUpstream(
  context: Context,
  name: string,
  options: JsonOption & { forget?: boolean },
): Promise<void> {
  const token = options.forget === true ? undefined : await readToken(context);
  const client = await context.connect();
  if (token === undefined) await client.upstreams.forgetToken(name);
  else await client.upstreams.setToken(name, token);
  if (options.json === true) context.printJson({ name, token_exists: token !== undefined });
  else context.print(token === undefined ? `The token of ${name} is gone` : `The token of ${name} is stored`);
}

export async function removeUpstream(context: Context, name: string, options: JsonOption): Promise<void> {
  const client = await context.connect();
  const base = await client.upstreams.read();
  const servers = base.servers.filter((server) => server.name !== name);
  if (servers.length === base.servers.length) {
    throw new CliFailure(EXIT_CODES.notFound, `There is no MCP server ${toSafeText(name)}`);
  }
  await client.upstreams.save(base, { ...base, servers });
  if (options.json === true) context.printJson({ name, removed: true });
  else context.print(`Removed ${name}, with its secrets`);
}

export async function showUpstreamLogs(context: Context, name: string, options: JsonOption): Promise<void> {
  const { diagnostics, last_error, status } = await findUpstream(await context.connect(), name);
  if (options.json === true) return context.printJson({ name, status, last_error, diagnostics: diagnostics ?? '' });
  if (diagnostics !== undefined) context.print(toLines(diagnostics.replace(/\n$/, '')));
  if (last_error !== null && status !== 'ready') context.warn(`${toSafeText(last_error)}\n`);
  if (diagnostics === undefined && last_error === null) context.warn('It has written nothing\n');
}

async function readSettings(context: Context, program: McpClient): ReturnType<typeof readClientDocument> {
  try {
    return await readClientDocument(program, context);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new CliFailure(
      EXIT_CODES.failure,
      `The settings of ${program.name} cannot be read (line ${error.line}): ${error.message}`,
    );
  }
}

export async function importUpstreams(
  context: Context,
  id: string,
  options: JsonOption & { dryRun?: boolean },
): Promise<void> {
  const program = MCP_CLIENTS.find((each) => each.id === id);
  if (program === undefined) {
    const known = MCP_CLIENTS.map((each) => each.id).join(', ');
    throw new CliFailure(EXIT_CODES.notFound, `No such client: ${toSafeText(id)}. Known are ${known}`);
  }
  const { file, document } = await readSettings(context, program);
  const { servers, skipped } = readServers(program, document);
  const client = await context.connect();
  const base: UpstreamConfig = await client.upstreams.read();
  const isTaken = (name: string) => base.servers.some((server) => server.name === name);
  const added = servers.filter(({ name }, index) => {
    return !isTaken(name) && servers.findIndex((other) => other.name === name) === index;
  });
  const entries = added.map(({ name, transport, token, enabled }) =>
    upstreamServerSchema.parse({
      id: randomUUID(),
      name,
      transport,
      enabled,
      ...(token === undefined ? {} : { auth: { type: 'bearer', token } }),
    }),
  );
  const isWritten = options.dryRun !== true && entries.length > 0;
  if (isWritten) await client.upstreams.save(base, { ...base, servers: [...base.servers, ...entries] });
  const kept = servers.filter((server) => !added.includes(server)).map(({ name }) => name);
  if (options.json === true) {
    const told = added.map(({ name, notes }) => ({ name, notes }));
    return context.printJson({ file, added: told, there_already: kept, skipped, written: isWritten });
  }
  const verb = isWritten ? 'Added' : 'Would add';
  for (const { name, transport, notes } of added) {
    context.print(
      `${verb} ${name} (${transport.type === 'http' ? toSafeText(transport.url) : toSafeText(transport.command)})`,
    );
    for (const note of notes) context.print(context.style.yellow(`  ${toSafeText(note)}`));
  }
  for (const name of kept) context.print(context.style.dim(`${name} is there already`));
  for (const { name, reason } of skipped) context.print(context.style.yellow(`${toSafeText(name)}: ${reason}`));
  if (servers.length + skipped.length === 0) context.print(`${program.name} has no MCP servers in ${file}`);
  if (isWritten)
    context.print(`\nThey stay in ${program.name} as well; take them out there so that it does not have them twice.`);
}
