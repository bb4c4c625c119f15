/**
 * npm run test:agents: real coding agents, in pinned releases, against a model API on loopback. They are installed once into a
 * cache outside the project (about 1.3 GB). Arguments go to the test runner: `npm run test:agents -- headless`.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { build, describeFailure, projectRoot as root } from './build.mjs';
import { run } from './lib/run.mjs';

const versions = JSON.parse(readFileSync(join(root, 'test/agents/versions.json'), 'utf8'));

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME?.startsWith('/') ? process.env.XDG_CACHE_HOME : join(homedir(), '.cache');
  const key = createHash('sha256').update(JSON.stringify(versions)).digest('hex').slice(0, 8);
  return join(base, 'tuicommander', `agents-${key}`);
}

async function install() {
  const folder = cacheFolder();
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  console.log(`installing the agents into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Two of them put their program in place by a script.
  const allowScripts = Object.fromEntries(Object.keys(versions).map((name) => [name, true]));
  const manifest = { private: true, dependencies: versions, allowScripts };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { code, output } = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, capture: true });
  if (code !== 0) throw new Error(`the agents could not be installed:\n${output}`);
  writeFileSync(done, '');
  return folder;
}

try {
  await build({ log: console.log });
  const folder = await install();
  const env = { ...process.env, NODE_ENV: 'test', TUIC_AGENTS: join(folder, 'node_modules/.bin'), TUIC_NO_OPEN: '1' };
  for (const name of ['TUIC_CONFIG_DIR', 'TUIC_PORT', 'TUIC_INSTANCE', 'TUIC_SESSION']) delete env[name];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'agents', ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { cwd: root, env });
  process.exitCode = code;
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
