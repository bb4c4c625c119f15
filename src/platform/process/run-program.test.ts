import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/kit/eventually.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { isAlive } from '../../../test/kit/processes.ts';
import { systemClock } from '../../base/index.ts';
import { type ProgramRun, runProgram } from './run-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function script(text: string, options: Partial<ProgramRun> = {}): Promise<ProgramRun> {
  const file = join(folder, 'program');
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  const env = { PATH: '/usr/bin:/bin' };
  return { file, args: [], cwd: folder, env, clock: systemClock, deadline: 60_000, outputLimit: 1_000, ...options };
}

/** Of a pid that the program wrote into a file of this name. */
const pidIn = (name: string) =>
  eventually(`a pid in ${name}`, async () => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    return /^\d+\n$/.test(text) ? Number(text) : undefined;
  });

it('gives what it wrote, standard output first, its code, and nothing of ours in its environment', async () => {
  const run = await script('echo wrong >&2; echo "$1:$HOME"; exit 3', { args: ['a b; $x'] });
  expect(await runProgram(run)).toEqual({ outcome: 'ended', code: 3, output: 'a b; $x:\nwrong\n' });
});

it('says so when it cannot be started', async () => {
  expect(await runProgram({ ...(await script('')), file: join(folder, 'absent') })).toMatchObject({
    outcome: 'failed',
  });
});

it('ends it at its deadline, with what it started, and keeps what came before', async () => {
  const clock = new ManualClock();
  const run = await script('trap "" TERM HUP; echo early; sleep 1000 & echo $! > child; wait', {
    clock,
    deadline: 5_000,
  });
  const ended = runProgram(run);
  const child = await pidIn('child');
  clock.advance(5_000);
  expect(await ended).toMatchObject({ outcome: 'stopped', code: undefined });
  await eventually('its child to end', () => !isAlive(child));
  expect(clock.pendingTimers).toBe(0);
});

it('does not wait for a helper that keeps its pipes, and leaves none of its group', async () => {
  const run = await script('sleep 1000 & echo $! > child; echo done');
  expect(await runProgram(run)).toEqual({ outcome: 'ended', code: 0, output: 'done\n' });
  const child = await pidIn('child');
  await eventually('the helper to end', () => !isAlive(child));
});

it('is not flooded, and can be ended early', async () => {
  const flood = await runProgram(await script('while :; do echo xxxxxxxxxxxxxxxx; done'));
  expect(flood.outcome).toBe('stopped');
  expect(flood.output).toHaveLength(1_000);
  const stop = new AbortController();
  const ended = runProgram(await script('echo $$ > own; sleep 1000', { signal: stop.signal }));
  const own = await pidIn('own');
  stop.abort();
  expect((await ended).outcome).toBe('stopped');
  await eventually('it to end', () => !isAlive(own));
  expect((await runProgram(await script('echo x', { signal: stop.signal }))).output).toBe('');
});
