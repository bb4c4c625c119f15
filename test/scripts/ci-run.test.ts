import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tuic-ci-'));
  mkdirSync(join(folder, '.ci'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(import.meta.dirname, '../../.ci/run'), join(folder, '.ci/run'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs .ci/run with an npm that prints and ends as told, for `npm test` and for `npm run test:long`. */
function runCi(test: string, long: string): Promise<{ code: number | null; lastLine: string | undefined }> {
  const npm = `#!/bin/sh\n[ "$CI" = true ] || exit 9\ncase "$*" in test) ${test};; 'run test:long') ${long};; esac\n`;
  writeFileSync(join(folder, 'bin/npm'), npm);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const child = spawn('bash', [join(folder, '.ci/run')], {
    cwd: '/',
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, lastLine: output.trimEnd().split('\n').at(-1) }));
  });
}

describe('.ci/run', () => {
  it('adds up both runs in one closing line', async () => {
    const good = await runCi('echo 10 passed, 0 failed, 1 skipped', 'echo 5 passed, 0 failed, 0 skipped');
    expect(good).toEqual({ code: 0, lastLine: '15 passed, 0 failed, 1 skipped' });
    const binary = await runCi(
      "printf 'a\\0b\\n10 passed, 0 failed, 0 skipped\\n'",
      'echo 5 passed, 0 failed, 0 skipped',
    );
    expect(binary).toEqual({ code: 0, lastLine: '15 passed, 0 failed, 0 skipped' });
  });

  it('fails when either run failed, and runs the second one all the same', async () => {
    const first = await runCi('echo 9 passed, 1 failed, 0 skipped; exit 1', 'echo 5 passed, 0 failed, 0 skipped');
    expect(first).toEqual({ code: 1, lastLine: '14 passed, 1 failed, 0 skipped' });
    const second = await runCi('echo 9 passed, 0 failed, 0 skipped', 'echo 4 passed, 1 failed, 0 skipped; exit 1');
    expect(second).toEqual({ code: 1, lastLine: '13 passed, 1 failed, 0 skipped' });
  });

  it('a run that ended before it could count is a failure', async () => {
    expect(await runCi('exit 1', 'echo 5 passed, 0 failed, 0 skipped')).toEqual({
      code: 1,
      lastLine: '5 passed, 1 failed, 0 skipped',
    });
    expect(await runCi('echo 5 passed, 0 failed, 0 skipped; exit 1', 'echo 5 passed, 0 failed, 0 skipped')).toEqual({
      code: 1,
      lastLine: '10 passed, 1 failed, 0 skipped',
    });
  });
});
