/**
 * The MCP clients that `tuic mcp` knows: where each keeps its own configuration and in which form an entry stands there.
 * Facts about other programs, one place.
 */
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/index.ts';

/** How the bridge is started. */
export interface Launch {
  /** Absolute path of Node; a client that a desktop starts has no PATH of the shell (M32). */
  command: string;
  args: readonly string[];
  /** Which instance; empty for the default one. */
  env: Readonly<Record<string, string>>;
}

export interface Place {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: string;
}

export interface McpClient {
  id: string;
  name: string;
  format: 'json' | 'toml';
  /** Possible files, the one to create first; the first that exists is used. */
  files(place: Place): readonly string[];
  /** A folder that is there when the client is. */
  folder(place: Place): string;
  /** Keys that lead to the entry. */
  path(document: JsonObject): readonly string[];
  /** The entry, merged into what stands there already. */
  entry(launch: Launch, existing: JsonObject): JsonObject;
  /** Program and script that an entry starts. */
  launched(entry: JsonObject): readonly string[];
}

export const ENTRY_NAME = 'tuicommander';

function withEnvironment(entry: JsonObject, launch: Launch, key: 'env' | 'environment'): JsonObject {
  const existing = isJsonObject(entry[key]) ? entry[key] : {};
  const kept = Object.fromEntries(
    Object.entries(existing).filter(([name]) => !/^TUIC_(INSTANCE|CONFIG_DIR)$/.test(name)),
  );
  const merged = { ...kept, ...launch.env };
  if (Object.keys(merged).length > 0) return { ...entry, [key]: merged };
  const { [key]: _, ...rest } = entry;
  return isJsonObject(entry[key]) && Object.keys(entry[key]).length === 0 ? entry : rest;
}

const commandAndArgs = (launch: Launch, existing: JsonObject): JsonObject =>
  withEnvironment({ ...existing, command: launch.command, args: [...launch.args] }, launch, 'env');

const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];

const launchedByCommand = (entry: JsonObject) =>
  typeof entry.command === 'string' ? [entry.command, ...words(entry.args)] : [];

function userFolder({ env, home, platform }: Place, name: string): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support', name);
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData/Roaming'), name);
  return join(xdg(env, home), name);
}

const xdg = (env: Place['env'], home: string) =>
  env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');

const usual = {
  format: 'json',
  path: () => ['mcpServers', ENTRY_NAME],
  entry: commandAndArgs,
  launched: launchedByCommand,
} as const;

function zedFolder(place: Place): string {
  return place.platform === 'win32' ? userFolder(place, 'Zed') : join(xdg(place.env, place.home), 'zed');
}

const claudeFolder = ({ env, home }: Place) => env.CLAUDE_CONFIG_DIR || home;
const codexFolder = ({ env, home }: Place) => env.CODEX_HOME || join(home, '.codex');
const openCodeFolder = ({ env, home }: Place) => join(xdg(env, home), 'opencode');

/** The form with `mcp.servers` and the one with the names directly below `mcp` are both in use. */
const isNestedOpenCode = (document: JsonObject) => isJsonObject(document.mcp) && isJsonObject(document.mcp.servers);

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    ...usual,
    id: 'claude',
    name: 'Claude Code',
    files: (place) => [join(claudeFolder(place), '.claude.json')],
    folder: ({ env, home }) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    entry: (launch, existing) => commandAndArgs(launch, { type: 'stdio', ...existing }),
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    files: (place) => [join(codexFolder(place), 'config.toml')],
    folder: codexFolder,
    path: () => ['mcp_servers', ENTRY_NAME],
    // Codex hands on only the variables that are listed (MSG-6).
    entry: (launch, existing) => ({ ...commandAndArgs(launch, existing), env_vars: withIdentity(existing.env_vars) }),
    launched: launchedByCommand,
  },
  {
    ...usual,
    id: 'gemini',
    name: 'Gemini CLI',
    files: ({ home }) => [join(home, '.gemini/settings.json')],
    folder: ({ home }) => join(home, '.gemini'),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    format: 'json',
    files: (place) => ['opencode.json', 'opencode.jsonc'].map((name) => join(openCodeFolder(place), name)),
    folder: openCodeFolder,
    path: (document) => (isNestedOpenCode(document) ? ['mcp', 'servers', ENTRY_NAME] : ['mcp', ENTRY_NAME]),
    entry: (launch, existing) =>
      withEnvironment({ type: 'local', ...existing, command: [launch.command, ...launch.args] }, launch, 'environment'),
    launched: (entry) => words(entry.command),
  },
  {
    ...usual,
    id: 'cursor',
    name: 'Cursor',
    files: ({ home }) => [join(home, '.cursor/mcp.json')],
    folder: ({ home }) => join(home, '.cursor'),
  },
  {
    ...usual,
    id: 'vscode',
    name: 'VS Code',
    files: (place) => [join(userFolder(place, 'Code'), 'User/mcp.json')],
    folder: (place) => userFolder(place, 'Code'),
    path: () => ['servers', ENTRY_NAME],
    entry: (launch, existing) => commandAndArgs(launch, { type: 'stdio', ...existing }),
  },
  {
    ...usual,
    id: 'windsurf',
    name: 'Windsurf',
    files: ({ home }) => [join(home, '.codeium/windsurf/mcp_config.json')],
    folder: ({ home }) => join(home, '.codeium/windsurf'),
  },
  {
    ...usual,
    id: 'zed',
    name: 'Zed',
    files: (place) => [join(zedFolder(place), 'settings.json')],
    folder: zedFolder,
    path: () => ['context_servers', ENTRY_NAME],
    entry: (launch, existing) => commandAndArgs(launch, { source: 'custom', ...existing }),
  },
  {
    ...usual,
    id: 'amp',
    name: 'Amp',
    files: ({ env, home }) => [join(xdg(env, home), 'amp/settings.json')],
    folder: ({ env, home }) => join(xdg(env, home), 'amp'),
    path: () => ['amp.mcpServers', ENTRY_NAME],
  },
];

function withIdentity(existing: unknown): unknown[] {
  const list: unknown[] = Array.isArray(existing) ? existing : [];
  const isListed = list.some((item) => item === 'TUIC_SESSION' || (isJsonObject(item) && item.name === 'TUIC_SESSION'));
  return isListed ? list : [...list, 'TUIC_SESSION'];
}
