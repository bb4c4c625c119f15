import { expect, it } from 'vitest';
import { ManualClock, settle } from '../../../test/kit/manual-clock.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';
import { type Git, GitFailed, type GitHead, type WorkTreeStatus } from '../../platform/git/index.ts';
import { createRepositoryService } from './index.ts';

const MAIN: GitHead = { branch: 'main', commit: undefined, isBare: false };
const CLEAN: WorkTreeStatus = { branch: 'main', ahead: undefined, behind: undefined, changes: 0, conflicts: 0 };

/** Answers what was put there; every question is kept until it is answered by hand when `holds`. */
class ScriptedGit implements Git {
  heads: Record<string, GitHead | Error> = {};
  statuses: Record<string, WorkTreeStatus | Error> = {};
  holds = false;
  /** Paths on a disk that does not answer, until it does. */
  readonly silent = new Map<string, Promise<void>>();
  readonly reads: string[] = [];
  readonly asked: { path: string; signal: AbortSignal; answer: (value: WorkTreeStatus) => void }[] = [];

  async head(path: string): Promise<GitHead | undefined> {
    this.reads.push(path);
    await this.silent.get(path);
    const head = this.heads[path];
    if (head instanceof Error) throw head;
    return head;
  }

  status(path: string, signal: AbortSignal): Promise<WorkTreeStatus> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new GitFailed('ended', undefined)));
      this.asked.push({ path, signal, answer: resolve });
      const status = this.statuses[path] ?? CLEAN;
      if (this.holds) return;
      if (status instanceof Error) reject(status);
      else resolve(status);
    });
  }
}

function prepare(document: unknown) {
  const git = new ScriptedGit();
  const clock = new ManualClock();
  const warnings: string[] = [];
  const file = { value: document };
  const service = createRepositoryService({
    read: async () => {
      if (file.value instanceof Error) throw file.value;
      return file.value;
    },
    git,
    clock,
    home: '/home/me',
    log: { warn: (_fields, message) => warnings.push(message) },
  });
  return { git, clock, warnings, file, service };
}

it('REP-1: each repository with branch and state, the distance only with a remote, the group only in one', async () => {
  const { git, service } = prepare({
    repos: {
      '/a': { displayName: 'Aye' },
      '/b': {},
      '/c': {},
      '/d': {},
      '/far': { connectionId: 'x', activeBranch: 'y' },
    },
    groups: { g: { name: 'Work', repoOrder: ['/a'] } },
    repoOrder: ['/a', '/b', '/c', '/d', '/far'],
  });
  git.heads = {
    '/a': MAIN,
    '/b': { ...MAIN, branch: undefined, commit: '0123456789abcdef' },
    '/d': { ...MAIN, branch: undefined },
  };
  git.statuses = {
    '/a': { ...CLEAN, ahead: 1, behind: 0, changes: 3 },
    '/b': { ...CLEAN, changes: 2, conflicts: 1 },
    '/d': { ...CLEAN, branch: 'in-a-reftable' },
  };
  expect(await service.list()).toEqual([
    { path: '/a', name: 'Aye', branch: 'main', status: 'dirty', is_git_repo: true, ahead: 1, behind: 0, group: 'Work' },
    { path: '/b', name: 'b', branch: '01234567', status: 'conflict', is_git_repo: true },
    { path: '/c', name: 'c', branch: '', status: 'not-git', is_git_repo: false },
    { path: '/d', name: 'd', branch: 'in-a-reftable', status: 'clean', is_git_repo: true },
    { path: '/far', name: 'far', branch: 'y', status: 'unknown', is_git_repo: true },
  ]);
});

it('REP-2: the active one, or none', async () => {
  const { git, file, service } = prepare({ repos: { '/a': {} }, activeRepoPath: '/a' });
  git.heads = { '/a': MAIN };
  git.statuses = { '/a': { ...CLEAN, ahead: 4, behind: 4 } };
  expect(await service.active()).toEqual({ path: '/a', name: 'a', branch: 'main', status: 'clean' });
  for (const value of [{}, { repos: { '/a': {} }, activeRepoPath: null }, { repos: {}, activeRepoPath: '/a' }]) {
    file.value = value;
    expect(await service.active()).toEqual({ active: null });
  }
});

it('info is of any folder, by the rule of paths', async () => {
  const { git, service, file, warnings } = prepare({ repos: { '/srv/a': { displayName: 'Aye Bee' } } });
  git.heads = { '/srv/a': MAIN, '/home/me/x': { ...MAIN, isBare: true } };
  const about = { path: '/srv/a', name: 'Aye Bee', initials: 'AB', branch: 'main', status: 'clean', is_git_repo: true };
  expect(await service.info('/srv/a/')).toEqual(about);
  // Nothing is checked out there, so there is no state.
  expect(await service.info('~/x')).toMatchObject({ name: 'x', branch: 'main', status: 'unknown', is_git_repo: true });
  expect(await service.info('/no')).toEqual({
    path: '/no',
    name: 'no',
    initials: 'NO',
    branch: '',
    status: 'not-git',
    is_git_repo: false,
  });
  for (const path of ['', 'x', '/a/../b', '~other/x']) {
    await expect(service.info(path), path).rejects.toMatchObject({ status: 400 });
  }
  file.value = new AppError('config_unreadable', { path: '/f', detail: 'broken' });
  expect(await service.info('/srv/a')).toMatchObject({ name: 'a', branch: 'main' });
  expect(warnings).toEqual(['the list of repositories cannot be read']);
});

it('a list that cannot be read is a refusal where it is asked for, and nothing where it stands beside something', async () => {
  const { service, warnings } = prepare(new AppError('config_unreadable', { path: '/f', detail: 'broken' }));
  await expect(service.list()).rejects.toMatchObject({ code: 'config_unreadable' });
  await expect(service.active()).rejects.toMatchObject({ code: 'config_unreadable' });
  expect(await service.roots()).toEqual([]);
  expect(await service.rootOf('/a/b')).toBe('/a/b');
  expect(warnings).toHaveLength(2);
});

it('TRN-8: rootOf maps to a repository of this machine, else gives the path', async () => {
  const { service } = prepare({ repos: { '/a': {}, '/a/b': {}, '/a/b/c': { connectionId: 'x' } } });
  expect(await service.rootOf('/a/b/c/d')).toBe('/a/b');
  expect(await service.rootOf('/a/b-other')).toBe('/a');
  expect(await service.rootOf('/z')).toBe('/z');
  expect(await service.roots()).toEqual(['/a', '/a/b']);
});

it('a repository that git refuses is unknown, said once in the log, and the others are told', async () => {
  const { git, service, warnings } = prepare({ repos: { '/a': {}, '/b': {}, '/c': {} } });
  git.heads = { '/a': MAIN, '/b': MAIN, '/c': new Error('EACCES') };
  git.statuses = { '/a': new GitFailed('dubious ownership', undefined) };
  for (let time = 0; time < 3; time++) {
    expect((await service.list()).map(({ branch, status, is_git_repo }) => [branch, status, is_git_repo])).toEqual([
      ['main', 'unknown', true],
      ['main', 'clean', true],
      ['', 'unknown', false],
    ]);
  }
  expect(warnings).toHaveLength(2);
  git.statuses = {};
  await service.list();
  git.statuses = { '/a': new GitFailed('dubious ownership', undefined) };
  await service.list();
  expect(warnings).toHaveLength(3);
});

it('one that does not answer in time is unknown, its git is ended, and what waited for its turn never begins', async () => {
  const count = LIMITS.repositoryLooks + 1;
  const repos = Object.fromEntries(Array.from({ length: count }, (_, at) => [`/r${at}`, {}]));
  const { git, clock, service } = prepare({ repos });
  git.heads = Object.fromEntries(Object.keys(repos).map((path) => [path, MAIN]));
  git.holds = true;
  const list = service.list();
  await settle();
  expect(git.asked).toHaveLength(LIMITS.repositoryLooks);
  clock.advance(DEADLINES.repositoryLook);
  const states = (await list).map(({ branch, status }) => `${branch} ${status}`);
  expect(new Set(states)).toEqual(new Set(['main unknown']));
  await settle();
  expect(git.asked.map(({ signal }) => signal.aborted)).toEqual(git.asked.map(() => true));
  expect(git.asked).toHaveLength(LIMITS.repositoryLooks);
  // The turns are free again.
  git.holds = false;
  expect((await service.info('/r4')).status).toBe('clean');
  expect(clock.pendingTimers).toBe(0);
});

it('a turn that only one of two gave up still comes', async () => {
  const { git, clock, service } = prepare({});
  const others = Array.from({ length: LIMITS.repositoryLooks }, (_, at) => `/o${at}`);
  git.heads = Object.fromEntries([...others, '/a'].map((path) => [path, MAIN]));
  git.holds = true;
  const early = [...others, '/a'].map((path) => service.info(path));
  await settle();
  clock.advance(DEADLINES.repositoryLook / 2);
  const second = service.info('/a');
  await settle();
  clock.advance(DEADLINES.repositoryLook / 2);
  await settle();
  git.asked.find(({ path }) => path === '/a')?.answer(CLEAN);
  expect((await Promise.all(early)).map(({ status }) => status)).toEqual(early.map(() => 'unknown'));
  expect((await second).status).toBe('clean');
});

it('a disk that does not answer holds few reads, is asked once, and is told again when it answers', async () => {
  const paths = Array.from({ length: LIMITS.repositoryReads + 2 }, (_, at) => `/r${at}`);
  const { git, clock, service, warnings } = prepare({ repos: Object.fromEntries(paths.map((path) => [path, {}])) });
  git.heads = Object.fromEntries(paths.map((path) => [path, MAIN]));
  let wake = () => {};
  const silence = new Promise<void>((resolve) => {
    wake = resolve;
  });
  for (const path of paths) git.silent.set(path, silence);
  const states = async () => {
    const list = service.list();
    await settle();
    clock.advance(DEADLINES.repositoryLook);
    return (await list).map(({ status }) => status);
  };
  const unknown = paths.map(() => 'unknown');
  expect(await states()).toEqual(unknown);
  expect(await states()).toEqual(unknown);
  expect(git.reads).toEqual(paths.slice(0, LIMITS.repositoryReads));
  expect(warnings).toHaveLength(paths.length);
  expect(clock.pendingTimers).toBe(0);
  wake();
  await settle();
  expect(git.reads).toHaveLength(LIMITS.repositoryReads);
  expect((await service.list()).map(({ status }) => status)).toEqual(paths.map(() => 'clean'));
});

it('who asks while a look waits for its turn shares it; who asks after it began has one of its own', async () => {
  const { git, service } = prepare({});
  const others = Array.from({ length: LIMITS.repositoryLooks }, (_, at) => `/o${at}`);
  git.heads = Object.fromEntries([...others, '/a'].map((path) => [path, MAIN]));
  git.holds = true;
  const busy = others.map((path) => service.info(path));
  await settle();
  const shared = [service.info('/a'), service.info('/a')];
  await settle();
  expect(git.asked.map(({ path }) => path)).toEqual(others);
  git.asked[0]?.answer(CLEAN);
  await settle();
  expect(git.asked.filter(({ path }) => path === '/a')).toHaveLength(1);
  const later = service.info('/a');
  git.asked[1]?.answer(CLEAN);
  await settle();
  const [first, second] = git.asked.filter(({ path }) => path === '/a');
  first?.answer(CLEAN);
  second?.answer({ ...CLEAN, changes: 1 });
  expect((await Promise.all(shared)).map(({ status }) => status)).toEqual(['clean', 'clean']);
  expect((await later).status).toBe('dirty');
  for (const { answer } of git.asked) answer(CLEAN);
  await Promise.all(busy);
});
