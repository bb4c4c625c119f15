/** Installs dependencies when what is installed differs from the lock file. */
import { existsSync, readFileSync } from 'node:fs';
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

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund'];

async function runNpm(root, args) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { code, status, output } = await run(npm, args, { cwd: root, capture: true });
  if (code !== 0) throw new CommandFailed(`npm ${args.join(' ')}`, status, output);
  return output;
}

/**
 * What is there is changed in place first: `npm ci` deletes everything before it begins, which takes the ground from whatever
 * runs in the folder, and leaves nothing when it is interrupted.
 */
export async function install(root, log) {
  const difference = findInstallDifference(root);
  if (difference === undefined) return false;
  log(`installing dependencies (${difference})`);
  if (existsSync(join(root, 'node_modules/.package-lock.json'))) {
    await runNpm(root, ['install', '--no-save', ...QUIET]);
    if (findInstallDifference(root) === undefined) return true;
  }
  const output = await runNpm(root, ['ci', ...QUIET]);
  const left = findInstallDifference(root);
  if (left !== undefined) throw new CommandFailed('npm ci', `afterwards ${left}`, output);
  return true;
}
