/** Installs dependencies when what is installed differs from the lock file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run } from './run.mjs';

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Names the first difference between the lock file and what npm says it installed; undefined when there is none. */
export function findInstallDifference(root) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (wanted === undefined) return 'package-lock.json is missing or broken';
  const present = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (present === undefined) return 'nothing is installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = present[path];
    if (found === undefined) {
      // An optional package for another platform is rightly absent.
      if (entry.optional === true || entry.devOptional === true || entry.peer === true) continue;
      return `${path} is missing`;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${path} has another version`;
  }
  for (const path of Object.keys(present)) if (wanted[path] === undefined) return `${path} is not in the lock file`;
  return undefined;
}

export async function install(root, log) {
  const difference = findInstallDifference(root);
  if (difference === undefined) return false;
  log(`installing dependencies (${difference})`);
  const command = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { code, status, output } = await run(npm, command, { cwd: root, capture: true });
  if (code !== 0) throw new CommandFailed(`npm ${command.join(' ')}`, status, output);
  const left = findInstallDifference(root);
  if (left !== undefined) throw new CommandFailed('npm ci', `afterwards ${left}`, output);
  return true;
}
