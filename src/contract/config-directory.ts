/** Where an instance keeps its files. Pure, so that server, client and tools agree on it. */

const APPLICATION = 'tuicommander';

export interface ConfigDirectoryInput {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  /** Home directory of the user; absolute. */
  home: string;
}

/** `TUIC_CONFIG_DIR`, else the platform's usual place. May be relative when the variable is: the caller makes it absolute. */
export function resolveConfigDirectory({ env, platform, home }: ConfigDirectoryInput): string {
  const own = env.TUIC_CONFIG_DIR;
  if (own !== undefined && own !== '') return own;
  if (platform === 'darwin') return `${home}/Library/Application Support/${APPLICATION}`;
  if (platform === 'win32') return `${env.APPDATA ?? `${home}\\AppData\\Roaming`}\\${APPLICATION}`;
  // The XDG rules call a relative path invalid; it is then ignored.
  const xdg = env.XDG_CONFIG_HOME;
  return xdg?.startsWith('/') ? `${xdg}/${APPLICATION}` : `${home}/.config/${APPLICATION}`;
}
