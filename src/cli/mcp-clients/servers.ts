/** Reads the MCP servers that another program has in its settings, in the forms that are in use. Pure. */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { UpstreamTransport } from '../../contract/index.ts';
import { ENTRY_NAME, type McpClient } from './clients.ts';

export interface FoundServer {
  /** As it can be used here. */
  name: string;
  transport: UpstreamTransport;
  token?: string;
  enabled: boolean;
  /** What cannot be taken over; the person is told. */
  notes: string[];
}

export interface ReadServers {
  servers: FoundServer[];
  /** Entries that are no server we could use. */
  skipped: { name: string; reason: string }[];
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];

function textValues(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  const known = Object.entries(value).filter(([, text]) => ['string', 'number', 'boolean'].includes(typeof text));
  return Object.fromEntries(known.map(([key, text]) => [key, String(text)]));
}

/** The letters that a name may have here. */
export function toServerName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function bearerOf(headers: Record<string, string>, notes: string[]): string | undefined {
  let token: string | undefined;
  for (const [key, value] of Object.entries(headers)) {
    const found = /^authorization$/i.test(key) ? /^Bearer\s+(\S+)$/i.exec(value)?.[1] : undefined;
    if (found === undefined) notes.push(`the header ${key} is not taken over`);
    else token = found;
  }
  return token;
}

function readServer(entry: JsonObject): Omit<FoundServer, 'name'> | string {
  const notes: string[] = [];
  const enabled = entry.enabled !== false && entry.disabled !== true;
  const url = [entry.url, entry.httpUrl, entry.serverUrl].find((each): each is string => typeof each === 'string');
  if (url !== undefined) {
    const headers = { ...textValues(entry.headers), ...textValues(entry.http_headers) };
    const token = bearerOf(headers, notes);
    if (typeof entry.bearer_token_env_var === 'string') notes.push(`its token is in $${entry.bearer_token_env_var}`);
    const transport = { type: 'http' as const, url };
    return { transport, enabled, notes, ...(token === undefined ? {} : { token }) };
  }
  const words = Array.isArray(entry.command) ? texts(entry.command) : texts([entry.command]);
  const [command, ...more] = words;
  if (command === undefined) return 'it has neither a command nor a URL';
  const env = { ...textValues(entry.env), ...textValues(entry.environment) };
  const args = [...more, ...texts(entry.args)];
  if ([command, ...args, ...Object.values(env)].some((text) => /\$\{[^}]+\}/.test(text))) {
    notes.push('it has places for variables, which are taken as they stand');
  }
  const cwd = typeof entry.cwd === 'string' ? { cwd: entry.cwd } : {};
  return { transport: { type: 'stdio', command, args, env, ...cwd }, enabled, notes };
}

export function readServers(client: McpClient, document: JsonObject): ReadServers {
  let place: unknown = document;
  for (const key of client.path(document).slice(0, -1)) place = isJsonObject(place) ? place[key] : undefined;
  const found: ReadServers = { servers: [], skipped: [] };
  for (const [key, entry] of Object.entries(isJsonObject(place) ? place : {})) {
    if (key === ENTRY_NAME) continue;
    const name = toServerName(key);
    const read = isJsonObject(entry) ? readServer(entry) : 'it is no object';
    if (typeof read === 'string' || name === '') {
      found.skipped.push({ name: key, reason: typeof read === 'string' ? read : 'nothing of its name can be used' });
    } else found.servers.push({ name, ...read });
  }
  return found;
}
