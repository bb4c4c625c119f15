/** Programs that tests run beside Node and git. Nothing is skipped for want of one: it is installed or named. */
import { existsSync } from 'node:fs';
import { findBrowser, findProgram } from './find-program.mjs';
import { run } from './run.mjs';

/** Debian package for each program; setpriv and mount come with every Debian. */
const PROGRAMS = { tmux: 'tmux', vim: 'vim', htop: 'htop', less: 'less', ps: 'procps' };

export function findMissingTools(env = process.env) {
  const missing = Object.entries(PROGRAMS)
    .filter(([program]) => findProgram([program], env.PATH) === undefined)
    .map(([program, debian]) => ({ program, debian }));
  if (findBrowser(env) === undefined) missing.push({ program: 'Chrome, Chromium or Edge', debian: 'chromium' });
  return missing;
}

export function describeMissingTools(missing) {
  const names = missing.map((tool) => tool.program).join(', ');
  const packages = missing.map((tool) => tool.debian).join(' ');
  return [
    `not found: ${names}`,
    `Debian or Ubuntu: sudo apt-get install --no-install-recommends ${packages}`,
    'macOS: brew install tmux vim htop less, and install Chrome. A browser elsewhere: TUIC_BROWSER=/path/to/it npm test',
    'As root on Debian, TUIC_TEST_INSTALL=1 npm test installs them.',
  ].join('\n');
}

function mayInstall(env) {
  const asked = env.CI === 'true' || env.TUIC_TEST_INSTALL === '1';
  return asked && process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** Resolves to undefined when everything is there (after installing it where that is allowed), else to a message. */
export async function ensureTestTools(log, env = process.env) {
  const missing = findMissingTools(env);
  if (missing.length === 0) return undefined;
  if (!mayInstall(env)) return describeMissingTools(missing);
  const packages = [...new Set(missing.map((tool) => tool.debian))];
  log(`installing ${packages.join(', ')}`);
  const aptEnv = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...packages],
  ]) {
    const { code, status, output } = await run('apt-get', args, { env: aptEnv, capture: true });
    if (code !== 0) return `${output.trimEnd()}\napt-get ${args[0]} failed (${status})`;
  }
  const left = findMissingTools(env);
  return left.length === 0 ? undefined : describeMissingTools(left);
}
