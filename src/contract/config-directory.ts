/**
 * Which instance is meant and where it keeps its files (http.md 1.1, 2). Pure, so that server, client and tools agree on it.
 */
import { AppError } from './errors.ts';

const APPLICATION = 'tuicommander';

export interface ConfigDirectoryInput {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  /** Home directory of the user; absolute. */
  home: string;
}

const INSTANCE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Name of the instance: `TUIC_INSTANCE`; undefined for the default one. Throws invalid_input for what is no name. */
export function resolveInstance(env: ConfigDirectoryInput['env']): string | undefined {
  const name = env.TUIC_INSTANCE;
  if (name === undefined || name === '') return undefined;
  if (INSTANCE_NAME.test(name)) return name;
  throw new AppError('invalid_input', {
    detail: `the instance name (--instance or TUIC_INSTANCE) must be 1 to 32 characters of a-z 0-9 -, and not begin with -; got ${JSON.stringify(name.slice(0, 64))}`,
  });
}

/**
 * `TUIC_CONFIG_DIR`, else the platform's usual place, with a directory for each named instance. May be relative when the variable
 * is: the caller makes it absolute.
 */
export function resolveConfigDirectory({ env, platform, home }: ConfigDirectoryInput): string {
  const instance = resolveInstance(env);
  const own = env.TUIC_CONFIG_DIR;
  if (own !== undefined && own !== '') return own;
  const folder = instance === undefined ? APPLICATION : `${APPLICATION}-${instance}`;
  if (platform === 'darwin') return `${home}/Library/Application Support/${folder}`;
  if (platform === 'win32') return `${env.APPDATA ?? `${home}\\AppData\\Roaming`}\\${folder}`;
  // The XDG rules call a relative path invalid; it is then ignored.
  const xdg = env.XDG_CONFIG_HOME;
  return xdg?.startsWith('/') ? `${xdg}/${folder}` : `${home}/.config/${folder}`;
}
