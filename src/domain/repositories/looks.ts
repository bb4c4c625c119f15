/**
 * Looks at repositories on the disk. Owns how many git programs run for it at a time. Nothing is remembered: without a watch of the
 * files only git knows whether what it said is still so. Questions that come while a look waits for its turn share it, since it has
 * not begun. What nobody waits for any more never begins: a long list of slow repositories must not keep git busy for hours.
 */
import { type Clock, Slots } from '../../base/index.ts';
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
  readonly #programs = new Slots(LIMITS.repositoryLooks);
  /** Questions to git that have not begun; who came last waits longest. */
  readonly #waiting = new Map<string, { status: Promise<WorkTreeStatus>; late: AbortSignal }>();
  /** A disk that does not answer holds as many threads of the process, and not all. */
  readonly #reads = new Slots(LIMITS.repositoryReads);
  /** Since when (monotonic) the HEAD of a path is being read. */
  readonly #reading = new Map<string, number>();
  /** What was said of a repository that could not be looked at: windows ask again and again, and the log says it once. */
  readonly #told = new Map<string, string>();

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  /** Answers at the latest after DEADLINES.repositoryLook; what could not be found out by then, or was refused, is `unknown`. */
  async look(path: string): Promise<Look> {
    let known: Look = { branch: '', status: 'unknown', is_git_repo: false };
    // An earlier look has given it up, and still waits for the disk.
    if (this.#readsFor(path) >= DEADLINES.repositoryLook) return known;
    const lateness = new AbortController();
    const late = new Promise<never>((_, reject) => {
      lateness.signal.addEventListener('abort', () => reject(new Error('it does not answer in time')), { once: true });
    });
    const patience = this.#options.clock.after(DEADLINES.repositoryLook, () => lateness.abort());
    try {
      const head = await Promise.race([this.#head(path, lateness.signal), late]);
      if (head === undefined) return NO_REPOSITORY;
      known = { branch: branchOf(head), status: 'unknown', is_git_repo: true };
      if (head.isBare) return known;
      const status = await Promise.race([this.#status(path, lateness.signal), late]);
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

  #readsFor(path: string): number {
    const since = this.#reading.get(path);
    return since === undefined ? 0 : this.#options.clock.monotonic() - since;
  }

  #tell(path: string, error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (this.#told.get(path) === detail) return;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.set(path, detail);
    this.#options.log.warn({ err: error, path }, 'a repository cannot be looked at');
  }

  #head(path: string, late: AbortSignal): Promise<GitHead | undefined> {
    return this.#reads.use(async () => {
      // Nobody waits any more: the disk is not asked once more.
      late.throwIfAborted();
      this.#reading.set(path, this.#options.clock.monotonic());
      try {
        return await this.#options.git.head(path);
      } finally {
        this.#reading.delete(path);
      }
    });
  }

  #status(path: string, late: AbortSignal): Promise<WorkTreeStatus> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) {
      waiting.late = late;
      return waiting.status;
    }
    let hasBegun = false;
    const status = this.#programs.use(async () => {
      hasBegun = true;
      const last = this.#waiting.get(path)?.late ?? late;
      this.#waiting.delete(path);
      last.throwIfAborted();
      return this.#ask(path);
    });
    // With a free slot it has begun by now.
    if (!hasBegun) this.#waiting.set(path, { status, late });
    return status;
  }

  async #ask(path: string): Promise<WorkTreeStatus> {
    const { clock, git } = this.#options;
    const ending = new AbortController();
    const deadline = clock.after(DEADLINES.repositoryLook, () => ending.abort());
    try {
      return await git.status(path, ending.signal);
    } finally {
      deadline.dispose();
    }
  }
}
