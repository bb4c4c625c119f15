/**
 * Git behind a small port. It is only ever asked, and never lets a question change anything: no lock is taken, nothing is fetched, nobody is
 * asked for a password. No program that the repository names is started (watch of files, hooks, filters, also those of its submodules): a
 * folder that came with an archive may name any. Variables of the server's own environment that would lead git to another repository
 * are taken away.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { LIMITS } from '../../contract/index.ts';
import { type GitHead, readHead } from './head.ts';
import { parseStatus, type WorkTreeStatus } from './status.ts';

export interface Git {
  /** Undefined for a folder that is no repository; a folder inside one is none. */
  head(path: string): Promise<GitHead | undefined>;
  /** Of a work tree. Rejects with GitFailed, also when `signal` aborts; git is ended then. */
  status(path: string, signal: AbortSignal): Promise<WorkTreeStatus>;
}

export class GitFailed extends Error {
  constructor(detail: string, cause: unknown) {
    super(detail, { cause });
    this.name = 'GitFailed';
  }
}

export interface GitOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The program. */
  program?: string;
}

const STATUS = [
  'status',
  '--porcelain=v2',
  '--branch',
  '--ahead-behind',
  '--no-renames',
  // Looking into one would run what its own configuration names; another commit of it still counts.
  '--ignore-submodules=dirty',
  '-z',
];
const ALWAYS_OFF = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
/** Says the key of each filter and where it stands; nothing and exit code 1 when there is none. */
const FILTERS = ['config', '--null', '--show-scope', '--name-only', '--get-regexp', '^filter\\.'];
const NO_MATCH = 1;
/** Scopes that belong to the repository. Those of the person and of the machine are trusted. */
const SCOPES = new Set(['local', 'worktree']);
const MOST_FILTERS = 64;

/** Switches off what `FILTERS` found in the repository's own settings. */
function filtersOff(text: string): string[] {
  const names = new Set<string>();
  const parts = text.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = /^filter\.(.+)\.[^.]+$/s.exec(parts[at + 1] ?? '')?.[1];
    if (SCOPES.has(parts[at] ?? '') && name !== undefined) names.add(name);
  }
  // A name with this sign cannot be said to every git.
  if (names.size > MOST_FILTERS || [...names].some((name) => name.includes('='))) {
    throw new GitFailed('the filters that the repository names cannot be switched off', undefined);
  }
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((value) => ['-c', `filter.${name}.${value}`]),
  );
}

function environmentOf(env: GitOptions['env'], path: string): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An older git does not know the line above: it may use no protocol, whatever the repository allows.
    GIT_ALLOW_PROTOCOL: 'none',
    // A damaged repository is not taken for the one around it.
    GIT_CEILING_DIRECTORIES: dirname(path),
  };
}

/** What git said about it, in one line. */
function describe(error: ExecFileException, stderr: string): string {
  const said = stderr.trim().split('\n')[0] ?? '';
  return said === '' ? error.message.split('\n')[0] || 'git failed' : said;
}

export function createGit({ env, program = 'git' }: GitOptions): Git {
  function run(path: string, args: readonly string[], signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(
        program,
        ['-C', path, ...ALWAYS_OFF, ...args],
        { cwd: '/', env: environmentOf(env, path), signal, maxBuffer: LIMITS.gitOutput, windowsHide: true },
        (error, stdout, stderr) => {
          // So many changes that nobody counts them; what came first holds the branch and the first of them.
          if (error === null || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve(stdout);
          else reject(new GitFailed(describe(error, stderr), error));
        },
      );
    });
  }

  async function findFilters(path: string, signal: AbortSignal): Promise<string> {
    try {
      return await run(path, FILTERS, signal);
    } catch (error) {
      const cause = error instanceof GitFailed ? error.cause : undefined;
      if (cause instanceof Error && 'code' in cause && cause.code === NO_MATCH) return '';
      throw error;
    }
  }

  return {
    head: readHead,
    async status(path, signal) {
      const off = filtersOff(await findFilters(path, signal));
      return parseStatus(await run(path, [...off, ...STATUS], signal));
    },
  };
}
