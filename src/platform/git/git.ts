/**
 * Git behind a small port. It is only ever asked, and never lets a question change anything: no lock is taken, no program that the
 * repository names for the watch of its files is started, nothing is fetched, nobody is asked for a password. Variables of the
 * server's own environment that would lead git to another repository are taken away.
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

const STATUS = ['status', '--porcelain=v2', '--branch', '--ahead-behind', '--no-renames', '-z'];

function environmentOf(env: GitOptions['env'], path: string): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
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
        ['-C', path, '-c', 'core.fsmonitor=false', ...args],
        { cwd: '/', env: environmentOf(env, path), signal, maxBuffer: LIMITS.gitOutput, windowsHide: true },
        (error, stdout, stderr) => {
          // So many changes that nobody counts them; what came first holds the branch and the first of them.
          if (error === null || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve(stdout);
          else reject(new GitFailed(describe(error, stderr), error));
        },
      );
    });
  }
  return {
    head: readHead,
    status: async (path, signal) => parseStatus(await run(path, STATUS, signal)),
  };
}
