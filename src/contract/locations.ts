/** Where an instance keeps its files; shared by the server, the CLI and whatever else looks for a server. */
import { AppError } from './errors.ts';

const APPLICATION = 'tuicommander';
const INSTANCE = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Files of the configuration directory that more than one program knows. */
export const INSTANCE_FILES = {
  config: 'config.json',
  token: 'token',
  database: 'state.db',
  socket: 'mcp.sock',
  socketPointer: 'mcp.sock.path',
  /** Who serves here: `ServerRecord`. A hint for messages; the socket decides whether anybody lives. */
  server: 'server.json',
  logs: 'logs',
} as const;

export interface ServerRecord {
  pid: number;
  /** Epoch milliseconds. */
  started: number;
  version: string;
  configDirectory: string;
  socketPath: string;
  /** Local TCP port; absent when the local server is switched off. */
  port?: number;
}

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
}

/**
 * The configuration directory as configured (maybe relative to the working directory): TUIC_CONFIG_DIR, else the platform's
 * usual place with the name of the instance. Throws AppError invalid_input for a malformed TUIC_INSTANCE.
 */
export function resolveConfigDirectory({ env, platform, home }: Surroundings): string {
  const chosen = env.TUIC_CONFIG_DIR;
  if (chosen !== undefined && chosen !== '') return chosen;
  const instance = env.TUIC_INSTANCE;
  if (instance !== undefined && instance !== '' && !INSTANCE.test(instance)) {
    throw new AppError('invalid_input', {
      detail: 'TUIC_INSTANCE must be 1 to 32 characters of a-z 0-9 -, starting with a letter or digit',
    });
  }
  const name = instance === undefined || instance === '' ? APPLICATION : `${APPLICATION}-${instance}`;
  if (platform === 'darwin') return `${home}/Library/Application Support/${name}`;
  if (platform === 'win32') return `${env.APPDATA ?? `${home}/AppData/Roaming`}/${name}`;
  const xdg = env.XDG_CONFIG_HOME;
  // A relative XDG_CONFIG_HOME is to be ignored, says its specification.
  return `${xdg?.startsWith('/') ? xdg : `${home}/.config`}/${name}`;
}
