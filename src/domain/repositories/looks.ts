/**
 * Looks at repositories on the disk. Owns how many git programs run for it at a time. Nothing is remembered: without a watch of the
 * files only git knows whether what it said is still so. Questions that come while a look waits for its turn share it, since it has
 * not begun.
 */
import type { Clock } from '../../base/index.ts';
import { DEADLINES, LIMITS, type RepositoryState } from '../../contract/index.ts';
import type { Git, GitHead, WorkTreeStatus } from '../../platform/git/index.ts';

export interface Look {
  branch: string;
  status: RepositoryState;
  is_git_repo: boolean;
  ahead?: number;
  behind?: number;
}

export interface LooksOptions {
  git: Git;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
}

const SHORT_COMMIT = 8;
const MOST_TOLD = 1_000;
const NO_REPOSITORY: Look = { branch: '', status: 'not-git', is_git_repo: false };

function branchOf({ branch, commit }: GitHead): string {
  return branch ?? commit?.slice(0, SHORT_COMMIT) ?? '';
}

function stateOf({ conflicts, changes }: WorkTreeStatus): RepositoryState {
  if (conflicts > 0) return 'conflict';
  return changes > 0 ? 'dirty' : 'clean';
}

export class RepositoryLooks {
  readonly #options: LooksOptions;
  /** Not begun yet. */
  readonly #waiting = new Map<string, Promise<WorkTreeStatus>>();
  readonly #turns: (() => void)[] = [];
  /** What was said of a repository that could not be looked at: windows ask again and again, and the log says it once. */
  readonly #told = new Map<string, string>();
  #running = 0;

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  /** Answers at the latest after DEADLINES.repositoryLook; what could not be found out by then, or was refused, is `unknown`. */
  async look(path: string): Promise<Look> {
    const { clock, git } = this.#options;
    let giveUp = () => {};
    const late = new Promise<'late'>((resolve) => {
      giveUp = () => resolve('late');
    });
    const patience = clock.after(DEADLINES.repositoryLook, giveUp);
    let known: Look = { branch: '', status: 'unknown', is_git_repo: false };
    try {
      const head = await Promise.race([git.head(path), late]);
      if (head === undefined) return NO_REPOSITORY;
      if (head === 'late') return known;
      known = { branch: branchOf(head), status: 'unknown', is_git_repo: true };
      if (head.isBare) return known;
      const status = await Promise.race([this.#status(path), late]);
      if (status === 'late') return known;
      this.#told.delete(path);
      return {
        branch: known.branch || (status.branch ?? ''),
        status: stateOf(status),
        is_git_repo: true,
        ...(status.ahead === undefined ? {} : { ahead: status.ahead }),
        ...(status.behind === undefined ? {} : { behind: status.behind }),
      };
    } catch (error) {
      this.#tell(path, error);
      return known;
    } finally {
      patience.dispose();
    }
  }

  #tell(path: string, error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (this.#told.get(path) === detail) return;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.set(path, detail);
    this.#options.log.warn({ err: error, path }, 'a repository cannot be looked at');
  }

  #status(path: string): Promise<WorkTreeStatus> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return waiting;
    const turn = new Promise<void>((begin) => {
      this.#turns.push(() => {
        this.#waiting.delete(path);
        begin();
      });
    });
    const status = turn.then(() => this.#ask(path));
    this.#waiting.set(path, status);
    this.#next();
    return status;
  }

  #next(): void {
    while (this.#running < LIMITS.repositoryLooks) {
      const begin = this.#turns.shift();
      if (begin === undefined) return;
      this.#running++;
      begin();
    }
  }

  async #ask(path: string): Promise<WorkTreeStatus> {
    const { clock, git } = this.#options;
    const ending = new AbortController();
    const deadline = clock.after(DEADLINES.repositoryLook, () => ending.abort());
    try {
      return await git.status(path, ending.signal);
    } finally {
      deadline.dispose();
      this.#running--;
      this.#next();
    }
  }
}
