/**
 * Where programs of the person are: PATH as their login shell sets it, then the server's own, then folders into which installers of
 * agents put them. A server that a desktop or a service manager started has not read the person's profile.
 */
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { DEADLINES, LIMITS } from '../../contract/index.ts';
import type { ProgramEnd, ProgramRun } from '../../platform/process/index.ts';

export interface SearchPathOptions {
  /** The login shell, absolute. */
  shell: () => string;
  home: string;
  /** Of the server, stripped as for a session. */
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  run: (run: ProgramRun) => Promise<ProgramEnd>;
  signal: AbortSignal;
}

const MARK = '__tuicommander_path__';

/** How each shell is made to read the person's profile and the file of interactive shells; many set PATH only there. */
const FLAGS: Readonly<Record<string, string>> = {
  bash: '-ilc',
  zsh: '-ilc',
  fish: '-ilc',
  ksh: '-ilc',
  mksh: '-ilc',
  sh: '-lc',
  dash: '-lc',
  ash: '-lc',
  csh: '-c',
  tcsh: '-c',
};

function knownFolders(home: string): string[] {
  const own = [
    '.local/bin',
    'bin',
    '.claude/local',
    '.opencode/bin',
    '.npm-global/bin',
    '.bun/bin',
    '.volta/bin',
    '.deno/bin',
    '.cargo/bin',
    '.asdf/shims',
    '.local/share/mise/shims',
    '.local/share/pnpm',
    'Library/pnpm',
    '.yarn/bin',
    '.nix-profile/bin',
  ].map((folder) => join(home, folder));
  return [...own, '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin', '/usr/bin', '/bin'];
}

const foldersOf = (path: string | undefined) => (path ?? '').split(':').filter((folder) => isAbsolute(folder));

export class SearchPath {
  readonly #options: SearchPathOptions;
  #asked: { at: number; shell: string; path: Promise<string | undefined> } | undefined;

  constructor(options: SearchPathOptions) {
    this.#options = options;
  }

  /** Absolute folders, each once. Never rejects: a shell that does not answer leaves its part out. */
  async folders(): Promise<string[]> {
    const { environment, home } = this.#options;
    const shellPath = foldersOf(await this.shellPath());
    return [...new Set([...shellPath, ...foldersOf(environment.PATH), ...knownFolders(home)])];
  }

  /** PATH of the login shell as it is, undefined when the shell does not tell it. Asked again after a while only. */
  shellPath(): Promise<string | undefined> {
    const now = this.#options.clock.monotonic();
    const shell = this.#options.shell();
    const asked = this.#asked;
    if (asked !== undefined && asked.shell === shell && now - asked.at < DEADLINES.shellPathMemory) return asked.path;
    const path = this.#askShell(shell);
    this.#asked = { at: now, shell, path };
    return path;
  }

  async #askShell(shell: string): Promise<string | undefined> {
    const { environment, home, clock, run, signal } = this.#options;
    const flags = FLAGS[shell.split('/').at(-1) ?? ''];
    if (flags === undefined || !isAbsolute(shell)) return undefined;
    const { output } = await run({
      file: shell,
      args: [flags, `printf '%s%s%s' ${MARK} "$PATH" ${MARK}`],
      cwd: home,
      // A prompt has nobody to read it.
      env: { ...environment, TERM: 'dumb' },
      clock,
      deadline: DEADLINES.shellPath,
      outputLimit: LIMITS.shellOutput,
      signal,
    });
    // Profiles print what they like around it.
    return new RegExp(`${MARK}([^\\0\\n]*?)${MARK}`).exec(output)?.[1];
  }
}
