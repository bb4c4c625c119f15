/** Repositories from one end to the other: a person registers them by the command, an agent asks through the bridge, real git answers. */
import { execFile } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { baseEnvironment, SERVER_PROGRAM, type ServerUnderTest, startServer } from '../kit/server.ts';
import { startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterAll();
const run = promisify(execFile);
let server: ServerUnderTest;
let folder: string;

beforeAll(async () => {
  server = await startServer(cleanup);
  folder = await cleanup.temporaryDirectory('tuic-repositories-');
});

async function git(path: string, ...args: string[]): Promise<void> {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  await run('git', ['-C', path, ...identity, ...args], { env: { PATH: process.env.PATH, HOME: folder } });
}

async function tuic(...args: string[]): Promise<string> {
  const env = baseEnvironment({ configDirectory: server.configDirectory, port: server.port });
  return (await run(process.execPath, [SERVER_PROGRAM, ...args], { env, cwd: folder })).stdout;
}

it('REP-1, P2: what is registered is listed to an agent as git sees it at that moment, also by the next server', async () => {
  const [origin, clone, linked] = ['origin', 'clone', 'linked'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await git(folder, 'init', '-q', '-b', 'main', origin);
  await writeFile(join(origin, 'file'), 'one\n');
  await git(origin, 'add', '.');
  await git(origin, 'commit', '-q', '-m', 'first');
  await git(folder, 'clone', '-q', origin, clone);
  await git(clone, 'worktree', 'add', '-q', '-b', 'side', linked);
  for (const path of ['clone', 'linked']) expect(await tuic('repo', 'add', path)).toBe(`Added ${join(folder, path)}\n`);

  const bridge = startBridge(cleanup, server.configDirectory);
  const { result } = await bridge.initialize('agent');
  expect(result?.instructions).toContain(`Repositories:\n- ${clone}\n- ${linked}`);
  const list = async () =>
    toolValue(await bridge.request('tools/call', { name: 'repo', arguments: { action: 'list' } }));
  const main = { path: clone, name: 'clone', branch: 'main', status: 'clean', is_git_repo: true, ahead: 0, behind: 0 };
  const side = { path: linked, name: 'linked', branch: 'side', status: 'clean', is_git_repo: true };
  expect(await list()).toEqual([main, side]);

  // Nothing tells the server of these; the next answer has them all the same.
  await appendFile(join(clone, 'file'), 'two\n');
  await writeFile(join(linked, 'new\nu UU file'), '');
  expect(await list()).toEqual([
    { ...main, status: 'dirty' },
    { ...side, status: 'dirty' },
  ]);
  await git(clone, 'commit', '-q', '-a', '-m', 'second');
  await git(linked, 'checkout', '-q', '--detach');
  const [ahead, detached] = (await list()) as [{ ahead: number }, { branch: string }];
  expect([ahead.ahead, detached.branch]).toEqual([1, expect.stringMatching(/^[0-9a-f]{8}$/)]);

  await server.kill9();
  await server.start();
  expect(JSON.parse(await tuic('repo', 'ls', '--json'))).toEqual(await list());
  await tuic('repo', 'rm', 'linked');
  expect(await list()).toEqual([{ ...main, ahead: 1 }]);
});
