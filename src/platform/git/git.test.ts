import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { createGit, GitFailed } from './index.ts';

const cleanup = cleanupAfterEach();
const run = promisify(execFile);
/** As on a machine where nobody has set anything. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
/** Nobody's settings. */
const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
const git = createGit({ env });
const patient = new AbortController().signal;

let folder: string;
let repository: string;

async function type(path: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', path, ...args], { env: ENVIRONMENT });
  return stdout.trim();
}

async function create(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await type(path, 'init', '-q', '-b', 'main');
  await writeFile(join(path, 'file'), 'one\n');
  await type(path, 'add', '.');
  await type(path, 'commit', '-q', '-m', 'first');
}

beforeEach(async () => {
  folder = await cleanup.temporaryDirectory('tuic-git-');
  repository = join(folder, 'repository');
  await create(repository);
});

describe('head', () => {
  it('names the branch, also of a linked worktree and before the first commit', async () => {
    await type(repository, 'checkout', '-q', '-b', 'feature/ünï');
    await type(repository, 'worktree', 'add', '-q', '-b', 'other', '../linked');
    await mkdir(join(folder, 'empty'));
    await type(join(folder, 'empty'), 'init', '-q', '-b', 'begin');
    expect((await git.head(repository))?.branch).toBe('feature/ünï');
    expect(await git.head(join(folder, 'linked'))).toEqual({ branch: 'other', commit: undefined, isBare: false });
    expect((await git.head(join(folder, 'empty')))?.branch).toBe('begin');
  });

  it('names the commit of a detached HEAD', async () => {
    const commit = await type(repository, 'rev-parse', 'HEAD');
    await type(repository, 'checkout', '-q', '--detach');
    expect(await git.head(repository)).toEqual({ branch: undefined, commit, isBare: false });
  });

  it('knows a repository without files', async () => {
    await type(folder, 'clone', '-q', '--bare', repository, 'bare.git');
    expect(await git.head(join(folder, 'bare.git'))).toMatchObject({ branch: 'main', isBare: true });
  });

  it('is undefined for what is no repository', async () => {
    await mkdir(join(repository, 'inner'));
    await mkdir(join(folder, 'broken', '.git'), { recursive: true });
    const places = [
      folder,
      join(repository, 'inner'),
      join(repository, 'file'),
      join(folder, 'no'),
      join(folder, 'broken'),
    ];
    for (const place of places) expect(await git.head(place), place).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('reads no file without an end to its end', async () => {
    await rm(join(repository, '.git', 'HEAD'));
    // A plain file to whoever asks, of no size, and of hundreds of gigabytes to whoever reads.
    await symlink('/proc/self/pagemap', join(repository, '.git', 'HEAD'));
    expect(await git.head(repository)).toBeUndefined();
  });
  it('reads neither a pipe nor a large file in the place of one of git', async () => {
    await rm(join(repository, '.git', 'HEAD'));
    await run('mkfifo', [join(repository, '.git', 'HEAD')]);
    expect(await git.head(repository)).toBeUndefined();
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(other, '.git'), `gitdir: ${repository}/${'x'.repeat(20_000)}`);
    expect(await git.head(other)).toBeUndefined();
  });
});

describe('status', () => {
  const status = (path = repository) => git.status(path, patient);

  it('tells clean, changed, new and in conflict', async () => {
    expect(await status()).toEqual({ branch: 'main', ahead: undefined, behind: undefined, changes: 0, conflicts: 0 });
    await writeFile(join(repository, 'new'), '');
    await writeFile(join(repository, 'file'), 'two\n');
    expect(await status()).toMatchObject({ changes: 2, conflicts: 0 });
    await rm(join(repository, 'new'));
    await type(repository, 'commit', '-q', '-a', '-m', 'second');
    await type(repository, 'checkout', '-q', '-b', 'side', 'HEAD~1');
    await writeFile(join(repository, 'file'), 'three\n');
    await type(repository, 'commit', '-q', '-a', '-m', 'third');
    await expect(type(repository, 'merge', '-q', 'main')).rejects.toThrow();
    expect(await status()).toMatchObject({ branch: 'side', conflicts: 1 });
  });

  it('counts against the branch of the remote, when there is one', async () => {
    const clone = join(folder, 'clone');
    await type(folder, 'clone', '-q', repository, 'clone');
    for (const text of ['a', 'b']) await type(clone, 'commit', '-q', '--allow-empty', '-m', text);
    await type(repository, 'commit', '-q', '--allow-empty', '-m', 'c');
    await type(clone, 'fetch', '-q');
    // Whoever has switched it off in general still gets it here.
    await type(clone, 'config', 'status.aheadBehind', 'false');
    expect(await status(clone)).toMatchObject({ ahead: 2, behind: 1 });
    await type(clone, 'branch', '--unset-upstream');
    expect(await status(clone)).toMatchObject({ ahead: undefined, behind: undefined });
  });

  it('takes hostile names as they come', async () => {
    const names = ['-rf', '$(touch ran)', 'a\nu UU b', '"; touch ran; "', ' ', 'ünï', '# branch.ab +1 -1'];
    for (const name of names) await writeFile(join(repository, name), '');
    const hostile = join(folder, '-C $(touch ran)\n;');
    await rename(repository, hostile);
    expect(await status(hostile)).toMatchObject({ changes: names.length, conflicts: 0, ahead: undefined });
    await expect(stat(join(hostile, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('changes nothing, and starts no program that the repository names', async () => {
    const ran = join(folder, 'ran');
    const program = join(folder, 'program.sh');
    await writeFile(program, `#!/bin/sh\ntouch '${ran}'\n`);
    await chmod(program, 0o755);
    await type(repository, 'config', 'core.fsmonitor', program);
    const index = join(repository, '.git', 'index');
    const before = await readFile(index);
    // The same content at another time: git would like to note that.
    await writeFile(join(repository, 'file'), 'one\n');
    expect(await status()).toMatchObject({ changes: 0 });
    expect(await readFile(index)).toEqual(before);
    await expect(stat(ran)).rejects.toThrow('ENOENT');
  });

  it('runs no filter of the repository, wherever it is named', async () => {
    const ran = join(folder, 'ran');
    const other = join(folder, 'more');
    await writeFile(other, `[filter "included"]\n\tprocess = touch '${ran}'\n\trequired\n`);
    await writeFile(join(repository, '.gitattributes'), 'file filter=A.b\nmore filter=included\nlast filter=tree\n');
    for (const name of ['more', 'last']) await writeFile(join(repository, name), 'one\n');
    await type(repository, 'add', '.');
    await type(repository, 'commit', '-q', '-m', 'attributes');
    await type(repository, 'config', 'extensions.worktreeConfig', 'true');
    await type(repository, 'config', '--worktree', 'filter.tree.clean', `touch '${ran}'; cat`);
    await type(repository, 'config', 'filter.A.b.clean', `touch '${ran}'; cat`);
    await type(repository, 'config', 'filter.A.b.required', 'true');
    await type(repository, 'config', 'include.path', other);
    // The same content at another time: git has to read it, through the filter if there is one.
    for (const name of ['file', 'more', 'last']) await utimes(join(repository, name), 1, 1);
    expect(await status()).toMatchObject({ changes: 0 });
    await expect(stat(ran)).rejects.toThrow('ENOENT');
    // What makes it a test: without this room git runs them.
    await type(repository, 'config', '--unset', 'include.path');
    await type(repository, 'status');
    await stat(ran);
  });
  it('looks not at all where a filter cannot be switched off', async () => {
    await type(repository, 'config', 'filter.a=b.clean', 'cat');
    await expect(status()).rejects.toThrow(/filters/);
  });
  it('keeps the filters of the person', async () => {
    const home = join(folder, 'home');
    await mkdir(home);
    await writeFile(join(home, '.gitconfig'), '[filter "upper"]\n\tclean = tr a-z A-Z\n');
    await writeFile(join(repository, '.gitattributes'), 'loud filter=upper\n');
    await writeFile(join(repository, 'loud'), 'ONE\n');
    await type(repository, 'add', '.');
    await type(repository, 'commit', '-q', '-m', 'attributes');
    await writeFile(join(repository, 'loud'), 'one\n');
    expect(await createGit({ env: { ...env, HOME: home } }).status(repository, patient)).toMatchObject({ changes: 0 });
  });
  it('runs nothing of a submodule, and sees that it stands at another commit', async () => {
    const ran = join(folder, 'ran');
    const source = join(folder, 'source');
    await create(source);
    await type(repository, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', source, 'module');
    await type(repository, 'commit', '-q', '-m', 'module');
    const inner = join(repository, 'module');
    await writeFile(join(inner, '.gitattributes'), '* filter=x\n');
    await type(inner, 'config', 'filter.x.clean', `touch '${ran}'; cat`);
    await utimes(join(inner, 'file'), 1, 1);
    expect(await status()).toMatchObject({ changes: 0 });
    await expect(stat(ran)).rejects.toThrow('ENOENT');
    await type(inner, 'commit', '-q', '--allow-empty', '-m', 'further');
    expect(await status()).toMatchObject({ changes: 1 });
  });
  it('is not led to another repository by the environment, nor by one around it', async () => {
    const inner = join(repository, 'inner');
    await mkdir(join(inner, '.git'), { recursive: true });
    await expect(status(inner)).rejects.toThrow(GitFailed);
    const elsewhere = join(folder, 'elsewhere');
    await create(elsewhere);
    await type(elsewhere, 'checkout', '-q', '-b', 'there');
    const led = createGit({ env: { ...env, GIT_DIR: join(elsewhere, '.git'), GIT_WORK_TREE: elsewhere } });
    expect(await led.status(repository, patient)).toMatchObject({ branch: 'main' });
  });

  it('says what git said, that there is none, and that it was ended', async () => {
    await expect(status(folder)).rejects.toThrow(/not a git repository/);
    const missing = createGit({ env, program: join(folder, 'no-git') });
    await expect(missing.status(repository, patient)).rejects.toThrow(/ENOENT/);
    const slow = join(folder, 'slow.sh');
    await writeFile(slow, '#!/bin/sh\nexec sleep 60\n');
    await chmod(slow, 0o755);
    const ending = new AbortController();
    const asked = createGit({ env, program: slow }).status(repository, ending.signal);
    ending.abort();
    await expect(asked).rejects.toThrow(GitFailed);
  });

  it('still tells that there are changes when they are too many to read', async () => {
    const flood = join(folder, 'flood.sh');
    await writeFile(
      flood,
      "#!/bin/sh\ncase $* in *get-regexp*) exit 1 ;; esac\nprintf '# branch.head main\\0'\nexec yes '? file' | tr '\\n' '\\000'\n",
    );
    await chmod(flood, 0o755);
    const { branch, changes } = await createGit({ env, program: flood }).status(repository, patient);
    expect([branch, changes > 1_000]).toEqual(['main', true]);
  });
});
