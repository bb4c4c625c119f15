/**
 * Reads config.json once at start. A file that cannot be used is never overwritten: what is wrong is logged with its key, that
 * key gets its default, and everything else holds.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/index.ts';
import { type Config, configSchema, DEFAULT_CONFIG } from './model.ts';

export interface ConfigLog {
  error(fields: object, message: string): void;
}

export interface LoadConfigOptions {
  configDirectory: string;
  log: ConfigLog;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Takes the value at `path` out of a copy, so that its default applies. An array is replaced as a whole. */
function without(document: Record<string, unknown>, path: readonly PropertyKey[]): Record<string, unknown> {
  const [first, ...rest] = path;
  if (typeof first !== 'string') return document;
  const copy = { ...document };
  const inner = copy[first];
  if (rest.length > 0 && isRecord(inner)) copy[first] = without(inner, rest);
  else delete copy[first];
  return copy;
}

export async function loadConfig({ configDirectory, log }: LoadConfigOptions): Promise<Config> {
  const path = join(configDirectory, 'config.json');
  let document: unknown;
  try {
    const text = await readText(path);
    if (text === undefined || text.trim() === '') return DEFAULT_CONFIG;
    document = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    log.error({ path, detail }, 'config.json cannot be read; the defaults apply and the file stays as it is');
    return DEFAULT_CONFIG;
  }
  if (!isRecord(document)) {
    log.error({ path }, 'config.json must hold an object; the defaults apply and the file stays as it is');
    return DEFAULT_CONFIG;
  }
  let result = configSchema.safeParse(document);
  while (!result.success) {
    const [issue] = result.error.issues;
    if (issue === undefined || issue.path.length === 0) return DEFAULT_CONFIG;
    log.error(
      { path, key: issue.path.join('.'), detail: issue.message },
      'a key of config.json is not valid; its default applies and the file stays as it is',
    );
    document = without(document as Record<string, unknown>, issue.path);
    result = configSchema.safeParse(document);
  }
  return result.data;
}

/** The port of local TCP: `TUIC_PORT` overrides the configuration for this process. 0 lets the system choose. */
export function resolveLocalPort(config: Config, env: Readonly<Record<string, string | undefined>>): number {
  const text = env.TUIC_PORT;
  if (text === undefined || text === '') return config.mcp_port;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new AppError('invalid_input', { detail: `TUIC_PORT must be a port number from 0 to 65535, got "${text}"` });
  }
  return port;
}
