import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser, findProgram } from '../../scripts/lib/find-program.mjs';
import { hashInputs } from '../../scripts/lib/inputs.mjs';
import { findInstallDifference } from '../../scripts/lib/install.mjs';
import { withLock } from '../../scripts/lib/lock.mjs';
import { checkNodeVersion } from '../../scripts/lib/node-version.mjs';
import { describeMissingTools, findMissingTools } from '../../scripts/lib/test-tools.mjs';

const lockModule = pathToFileURL(join(import.meta.dirname, '../../scripts/lib/lock.mjs')).href;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tuic-scripts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text, { mode });
}

function runNode(source: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: 'inherit' });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
}

describe('node version', () => {
  it('accepts the floor and what is newer, and names what is needed otherwise', () => {
    for (const good of ['20.19.0', '20.20.2', '22.0.0', '26.1.0']) expect(checkNodeVersion(good)).toBeUndefined();
    for (const bad of ['18.20.0', '20.18.3', '9.0.0']) expect(checkNodeVersion(bad)).toContain('20.19');
  });
});

describe('what is stale', () => {
  it('the hash changes with a name, a content and the set of files, and with nothing else', () => {
    write('src/a.ts', 'one');
    write('src/b.test.ts', 'two');
    const keep = (name: string) => !name.endsWith('.test.ts');
    const first = hashInputs(folder, ['src'], keep);
    write('src/b.test.ts', 'changed');
    write('src/node_modules/c.ts', 'changed');
    expect(hashInputs(folder, ['src'], keep)).toBe(first);
    write('src/a.ts', 'three');
    const second = hashInputs(folder, ['src'], keep);
    write('src/d.ts', '');
    expect(new Set([first, second, hashInputs(folder, ['src'], keep)]).size).toBe(3);
  });

  it('an installation is judged against the lock file, package by package', () => {
    const lock = (packages: object) => write('package-lock.json', JSON.stringify({ packages }));
    const present = (packages: object) => write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    expect(findInstallDifference(folder)).toContain('package-lock.json');
    const a = { version: '1.0.0', integrity: 'x' };
    lock({ '': {}, 'node_modules/a': a, 'node_modules/other-platform': { ...a, optional: true } });
    expect(findInstallDifference(folder)).toContain('nothing is installed');
    present({ 'node_modules/a': a });
    expect(findInstallDifference(folder)).toBeUndefined();
    present({ 'node_modules/a': { ...a, version: '1.0.1' } });
    expect(findInstallDifference(folder)).toContain('another version');
    present({});
    expect(findInstallDifference(folder)).toContain('node_modules/a is missing');
    present({ 'node_modules/a': a, 'node_modules/b': a });
    expect(findInstallDifference(folder)).toContain('not in the lock file');
  });
});

describe('build lock', () => {
  it('lets one process in at a time', async () => {
    const lock = JSON.stringify(join(folder, 'lock'));
    const inside = JSON.stringify(join(folder, 'inside'));
    const source = `
      import { appendFileSync, mkdirSync, rmdirSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(lockModule)};
      for (let i = 0; i < 3; i++) await withLock(${lock}, async () => {
        mkdirSync(${inside}); // fails when another process is inside
        appendFileSync(${JSON.stringify(join(folder, 'log'))}, 'x');
        await new Promise((resolve) => setImmediate(resolve));
        rmdirSync(${inside});
      });`;
    expect(await Promise.all([1, 2, 3].map(() => runNode(source)))).toEqual([0, 0, 0]);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('x'.repeat(9));
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('takes over from a holder that was killed', async () => {
    const source = `
      import { withLock } from ${JSON.stringify(lockModule)};
      await withLock(${JSON.stringify(join(folder, 'lock'))}, () => process.kill(process.pid, 'SIGKILL'));`;
    await runNode(source);
    expect(existsSync(join(folder, 'lock'))).toBe(true);
    expect(await withLock(join(folder, 'lock'), async () => 'inside')).toBe('inside');
  });

  it('is free again after a failure', async () => {
    const lock = join(folder, 'lock');
    await expect(withLock(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await withLock(lock, async () => 'inside')).toBe('inside');
  });
});

describe('programs for the tests', () => {
  it('looks on PATH and takes only what can be run', () => {
    write('bin/tool', '', 0o755);
    write('bin/text', '', 0o644);
    expect(findProgram(['text', 'tool'], join(folder, 'bin'))).toBe(join(folder, 'bin/tool'));
    expect(findProgram(['text'], join(folder, 'bin'))).toBeUndefined();
  });

  it('TUIC_BROWSER decides alone, and a wrong one is not replaced silently', () => {
    write('bin/chromium', '', 0o755);
    expect(findBrowser({ PATH: join(folder, 'bin') })).toBe(join(folder, 'bin/chromium'));
    expect(findBrowser({ PATH: join(folder, 'bin'), TUIC_BROWSER: join(folder, 'none') })).toBeUndefined();
  });

  it('names every missing program and the command that installs it', () => {
    const missing = findMissingTools({ PATH: join(folder, 'nothing'), TUIC_BROWSER: join(folder, 'none') });
    const text = describeMissingTools(missing);
    for (const word of ['tmux', 'vim', 'htop', 'less', 'chromium', 'apt-get install', 'TUIC_BROWSER']) {
      expect(text).toContain(word);
    }
  });
});
