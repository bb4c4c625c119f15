/** Facts about shells: which family a program belongs to, and how one is started as a person's own terminal would. */
import type { ShellFamily } from '../../contract/index.ts';

const POSIX = new Set(['sh', 'bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'tcsh', 'csh', 'mksh', 'wsl']);
const WINDOWS = new Set(['cmd', 'powershell', 'pwsh']);
/** Shells that read a person's profile with `-l`. */
const LOGIN = new Set(['bash', 'zsh', 'fish', 'ksh', 'mksh']);

function programName(file: string): string {
  const last = file.split(/[/\\]/).at(-1) ?? '';
  return last.toLowerCase().replace(/\.exe$/, '');
}

export function shellFamilyOf(file: string): ShellFamily {
  const name = programName(file);
  if (POSIX.has(name)) return 'posix';
  if (WINDOWS.has(name)) return 'windows-native';
  return 'unknown';
}

export function isShell(file: string): boolean {
  return shellFamilyOf(file) !== 'unknown';
}

/**
 * Arguments when neither program nor arguments were asked for. As terminal programs do: a login shell on macOS, where
 * nobody read the profile before; elsewhere a plain interactive one, since the desktop session read it.
 */
export function interactiveArguments(file: string, platform: string): string[] {
  return platform === 'darwin' && LOGIN.has(programName(file)) ? ['-l'] : [];
}
