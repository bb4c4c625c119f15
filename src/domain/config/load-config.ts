/**
 * Reads config.json at start. What cannot be used is never overwritten: a file that is no JSON object is set aside under another
 * name; a key that is not valid gets its default, is named in the log, and stays in the file. A file that the system does not let
 * us read stays as it is, and nothing is stored over it.
 */
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { AppError, INSTANCE_FILES } from '../../contract/index.ts';
import { DocumentBroken, readDocument } from './document.ts';
import { type Config, configSchema, DEFAULT_CONFIG } from './model.ts';
import { withoutKey } from './secrets-in-document.ts';

export interface ConfigLog {
  error(fields: object, message: string): void;
}

export interface LoadConfigOptions {
  configDirectory: string;
  log: ConfigLog;
  /** Epoch milliseconds; names a file that is set aside. */
  now: () => number;
  /** Told to the person as well as to the log. */
  onBroken?: (message: string) => void;
}

export interface LoadedConfig {
  config: Config;
  /** As in the file, without what is not valid. */
  document: JsonObject;
  /** Keys of the file that are not valid. */
  invalidKeys: string[];
}

function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A name that is free: `<path>.<why>-<time>`, numbered when several happen in one second. */
export async function findAsideName(path: string, why: string, now: number): Promise<string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  let name = `${path}.${why}-${time}`;
  for (let number = 2; await exists(name); number++) name = `${path}.${why}-${time}-${number}`;
  return name;
}

/** Settings of earlier versions lay flat; they are folded into `services` when that is absent. */
const FLAT_KEYS: readonly { flat: string; section: string; key: string }[] = [
  { flat: 'remote_access_enabled', section: 'server', key: 'enabled' },
  { flat: 'remote_access_port', section: 'server', key: 'port' },
  { flat: 'remote_access_username', section: 'auth', key: 'username' },
  { flat: 'remote_access_password_hash', section: 'auth', key: 'password_hash' },
];

export function foldFlatKeys(document: JsonObject): JsonObject {
  const flat = FLAT_KEYS.filter(({ flat }) => Object.hasOwn(document, flat));
  if (flat.length === 0) return document;
  let rest = document;
  const services: Record<string, JsonObject> = {};
  for (const { flat: name, section, key } of flat) {
    rest = withoutKey(rest, [name]);
    services[section] = { ...services[section], [key]: document[name] };
  }
  return Object.hasOwn(document, 'services') ? rest : { ...rest, services };
}

/** Drops what is not valid, key by key, so that everything else holds. */
export function dropInvalid(document: JsonObject): LoadedConfig & { issues: { key: string; detail: string }[] } {
  const issues: { key: string; detail: string }[] = [];
  let rest = document;
  for (let result = configSchema.safeParse(rest); ; result = configSchema.safeParse(rest)) {
    if (result.success) {
      return { config: result.data, document: rest, invalidKeys: issues.map(({ key }) => key), issues };
    }
    const [issue] = result.error.issues;
    if (issue === undefined) throw new Error('a refusal of the schema without a reason');
    let path = issue.path.map(String);
    issues.push({ key: path.join('.'), detail: issue.message });
    // An entry of a list goes with its list, a missing key with what it is missing from.
    const before = rest;
    while (path.length > 0 && rest === before) {
      const shorter = removeAt(before, path);
      if (shorter === undefined) path = path.slice(0, -1);
      else rest = shorter;
    }
    if (rest === before) return { config: DEFAULT_CONFIG, document: {}, invalidKeys: [''], issues };
  }
}

function removeAt(document: JsonObject, path: readonly string[]): JsonObject | undefined {
  let holder: unknown = document;
  for (const key of path) {
    if (!isJsonObject(holder) || !Object.hasOwn(holder, key)) return undefined;
    holder = holder[key];
  }
  return withoutKey(document, path);
}

export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { configDirectory, log } = options;
  const path = join(configDirectory, INSTANCE_FILES.config);
  const nothing: LoadedConfig = { config: DEFAULT_CONFIG, document: {}, invalidKeys: [] };
  let value: unknown;
  try {
    value = (await readDocument(path))?.value;
    if (value === undefined) return nothing;
    if (!isJsonObject(value)) throw new DocumentBroken('it must hold a JSON object');
  } catch (error) {
    if (error instanceof DocumentBroken && error.isEmpty) return nothing;
    const detail = error instanceof Error ? error.message : String(error);
    if (!(error instanceof DocumentBroken)) {
      const message = `${path} cannot be read (${detail}). The defaults apply, and settings cannot be changed until it can`;
      log.error({ path, detail }, 'config.json cannot be read; the defaults apply and the file stays as it is');
      options.onBroken?.(message);
      return nothing;
    }
    const aside = await findAsideName(path, 'broken', options.now());
    try {
      await rename(path, aside);
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      throw new AppError('storage_failed', { detail: why }, { cause: failure });
    }
    log.error({ path, aside, detail }, 'config.json cannot be used; it was set aside and the defaults apply');
    options.onBroken?.(`${path} cannot be used: ${detail}. It was set aside as ${aside}, and the defaults apply`);
    return nothing;
  }
  const loaded = dropInvalid(foldFlatKeys(value));
  for (const { key, detail } of loaded.issues) {
    log.error(
      { path, key, detail },
      'a key of config.json is not valid; its default applies and the file stays as it is',
    );
  }
  return loaded;
}

/** The port of local TCP: `TUIC_PORT` overrides the configuration for this process. 0 lets the system choose. */
export function resolveLocalPort(
  config: Pick<Config, 'mcp_port'>,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const text = env.TUIC_PORT;
  if (text === undefined || text === '') return config.mcp_port;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new AppError('invalid_input', { detail: `TUIC_PORT must be a port number from 0 to 65535, got "${text}"` });
  }
  return port;
}
