/** Programs that some tests need and nobody else: installed once, in pinned versions, into a cache outside the project. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

/** @param {string} name of the folder; it carries the versions, so that another one is another folder */
export function toolFolder(name) {
  const base = process.env.XDG_CACHE_HOME?.startsWith('/') ? process.env.XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'tuicommander', name);
}

/** Gives the folder with its `node_modules`. @param {Record<string, string>} packages names and exact versions */
export async function installTools(name, packages, say) {
  const folder = toolFolder(name);
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  say(`installing ${Object.keys(packages).join(' and ')} into ${folder}`);
  // What an installation that was stopped has left.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Some fetch their program for this machine while they are installed.
  const allowScripts = Object.fromEntries(Object.keys(packages).map((each) => [each, true]));
  const manifest = { private: true, dependencies: packages, allowScripts };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { code, output } = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, capture: true });
  if (code !== 0) throw new Error(`${name} could not be installed:\n${output}`);
  writeFileSync(done, '');
  return folder;
}
