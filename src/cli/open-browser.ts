/** Opens a link in the person's browser, as far as there is one. */
import { spawn } from 'node:child_process';

export interface Desktop {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
}

/** Why no browser is opened; undefined when one may be. */
export function whyNotOpen({ env, platform }: Desktop): string | undefined {
  if (env.TUIC_NO_OPEN === '1') return 'TUIC_NO_OPEN=1';
  if (platform === 'darwin' || platform === 'win32') return undefined;
  const hasDisplay = [env.DISPLAY, env.WAYLAND_DISPLAY].some((value) => value !== undefined && value !== '');
  return hasDisplay ? undefined : 'no display';
}

function commandFor(platform: string, url: string): [string, string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/** Starts the opener and lets it go. Resolves to false when it could not be started. */
export function openInBrowser(desktop: Desktop, url: string): Promise<boolean> {
  if (whyNotOpen(desktop) !== undefined) return Promise.resolve(false);
  const [file, args] = commandFor(desktop.platform, url);
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
