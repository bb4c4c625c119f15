/** Makes the connection that a configured server asks for: finds its program or its credential, and builds its environment. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { UpstreamServer } from '../../contract/index.ts';
import { fileKind, findProgram, isProgramFile } from '../../platform/fs/index.ts';
import { HttpLink, type LinkEvents, LinkFailure, type McpLink, StdioLink } from '../../platform/mcp-links/index.ts';

export interface OpenLinkOptions {
  clock: Clock;
  home: string;
  /** Of the server, stripped as for a session. */
  environment: Readonly<Record<string, string>>;
  /** PATH as the person's login shell has it, with the folders of usual installers (M32). */
  searchPath: () => Promise<string>;
}

/** What is behind the masks of one server. */
export interface LinkSecrets {
  env: Readonly<Record<string, string>>;
  token: () => Promise<string | undefined>;
}

/** STD-4: what a server may see of our environment. Keys of model APIs and the like stay here. */
const INHERITED = ['HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SHELL', 'TERM'] as const;

/** STD-3. */
export function expandHome(text: string, home: string): string {
  if (text === '~') return home;
  return text.startsWith('~/') ? join(home, text.slice(2)) : text;
}

export function childEnvironment(
  { environment, home }: Pick<OpenLinkOptions, 'environment' | 'home'>,
  path: string,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { HOME: home };
  for (const name of INHERITED) if (environment[name] !== undefined) env[name] = environment[name];
  return { ...env, PATH: path, ...added };
}

function refuse(message: string): LinkFailure {
  return new LinkFailure('unreachable', 'never', message);
}

async function requireFolder(path: string): Promise<void> {
  try {
    if ((await fileKind(path)) === 'folder') return;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  throw refuse(`there is no folder ${path}`);
}

async function resolveProgram(command: string, cwd: string, path: string): Promise<string> {
  if (command.includes('/')) {
    const file = isAbsolute(command) ? command : join(cwd, command);
    if (await isProgramFile(file)) return file;
    throw refuse(`there is no program ${file}`);
  }
  const found = await findProgram(command, path.split(':'));
  if (found === undefined) throw refuse(`there is no program ${command} on the PATH ${path}`);
  return found;
}

export function createOpenLink(options: OpenLinkOptions) {
  const home = options.home || homedir();
  return async (
    { transport }: Pick<UpstreamServer, 'transport'>,
    secrets: LinkSecrets,
    events: LinkEvents,
  ): Promise<McpLink> => {
    if (transport.type === 'http') {
      return new HttpLink({ url: transport.url, token: secrets.token, clock: options.clock, events });
    }
    const added = secrets.env;
    const path = added.PATH ?? (await options.searchPath());
    const cwd = transport.cwd === undefined || transport.cwd === '' ? home : expandHome(transport.cwd, home);
    await requireFolder(cwd);
    const file = await resolveProgram(expandHome(transport.command, home), cwd, path);
    const args = transport.args.map((argument) => expandHome(argument, home));
    return new StdioLink({ file, args, cwd, env: childEnvironment(options, path, added) }, options.clock, events);
  };
}
