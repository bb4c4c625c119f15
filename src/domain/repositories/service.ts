/**
 * The person's repositories: which there are (repositories.json, which the person's windows and `tuic repo` write), and what state
 * each is in. Owns nothing but the looks.
 */
import { posix } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { ActiveRepository, RepositoryEntry, RepositoryInfo } from '../../contract/index.ts';
import type { Git } from '../../platform/git/index.ts';
import { type Look, RepositoryLooks } from './looks.ts';
import { findRoot, initialsOf, nameOf, type RegisteredRepository, readRegistry, toRepositoryPath } from './registry.ts';

export interface RepositoryService {
  /** In the person's order. Throws config_unreadable. */
  list(): Promise<RepositoryEntry[]>;
  /** The one that the person looks at. Throws config_unreadable. */
  active(): Promise<ActiveRepository>;
  /** Of any folder, registered or not. Throws what a bad path is. */
  info(path: string): Promise<RepositoryInfo>;
  /** Of the repositories on this machine. None, and a line in the log, when the file cannot be read. */
  roots(): Promise<string[]>;
  /**
   * The repository that holds the path: the registered one, else the nearest folder that is one. Undefined when none does. Throws what
   * a bad path is.
   */
  repositoryOf(path: string): Promise<string | undefined>;
  /** One spelling of a path. Throws what a bad path is. */
  normalize(path: string): string;
  /** TRN-8: the repository that holds an absolute path, else the path itself. */
  rootOf(path: string): Promise<string>;
}

export interface RepositoryServiceOptions {
  /** The content of repositories.json. */
  read: () => Promise<unknown>;
  git: Git;
  clock: Clock;
  home: string;
  log: { warn(fields: object, message: string): void };
}

export function createRepositoryService(options: RepositoryServiceOptions): RepositoryService {
  const { read, home, log } = options;
  const looks = new RepositoryLooks(options);
  const registry = async () => readRegistry(await read(), home);

  /** Of what stands beside the answer; a file that cannot be read is told where the list itself is asked for. */
  async function known(): Promise<readonly RegisteredRepository[]> {
    try {
      return (await registry()).repositories;
    } catch (error) {
      log.warn({ err: error }, 'the list of repositories cannot be read');
      return [];
    }
  }

  /** On another machine nothing is looked at from here. */
  async function lookAt({ path, elsewhere }: RegisteredRepository): Promise<Look> {
    if (elsewhere === undefined) return looks.look(path);
    return { branch: elsewhere.branch, status: 'unknown', is_git_repo: elsewhere.isGitRepo };
  }

  const groupOf = ({ group }: RegisteredRepository) => (group === undefined ? {} : { group });

  async function roots(): Promise<string[]> {
    return (await known()).filter(({ elsewhere }) => elsewhere === undefined).map(({ path }) => path);
  }

  return {
    async list() {
      const { repositories } = await registry();
      return Promise.all(
        repositories.map(async (repository): Promise<RepositoryEntry> => {
          const { path, name } = repository;
          return { path, name, ...(await lookAt(repository)), ...groupOf(repository) };
        }),
      );
    },
    async active() {
      const { active } = await registry();
      if (active === undefined) return { active: null };
      const { branch, status } = await lookAt(active);
      return { path: active.path, name: active.name, branch, status, ...groupOf(active) };
    },
    async info(asked) {
      const path = toRepositoryPath(asked, home);
      const registered = (await known()).find((each) => each.path === path);
      const name = registered?.name ?? nameOf(path);
      const { branch, status, is_git_repo } = await (registered === undefined ? looks.look(path) : lookAt(registered));
      return { path, name, initials: registered?.initials ?? initialsOf(name), branch, status, is_git_repo };
    },
    roots,
    normalize: (path) => toRepositoryPath(path, home),
    async repositoryOf(asked) {
      const path = toRepositoryPath(asked, home);
      const registered = findRoot(path, await roots());
      if (registered !== undefined) return registered;
      for (let folder = path; ; folder = posix.dirname(folder)) {
        if ((await options.git.head(folder)) !== undefined) return folder;
        if (folder === '/') return undefined;
      }
    },
    rootOf: async (path) => findRoot(path, await roots()) ?? path,
  };
}
