import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache']);

/** All files below `path` (or the file itself), sorted, without what is installed or built. */
export function listFiles(path) {
  const found = [];
  const walk = (at) => {
    const status = statSync(at, { throwIfNoEntry: false });
    if (status === undefined) return;
    if (status.isFile()) found.push(at);
    else if (status.isDirectory()) for (const name of readdirSync(at)) if (!SKIPPED.has(name)) walk(join(at, name));
  };
  walk(path);
  return found.sort();
}

/**
 * One hash over names and contents of all inputs that `keep` accepts.
 * @param {string} root
 * @param {string[]} paths
 * @param {(name: string) => boolean} keep
 */
export function hashInputs(root, paths, keep = () => true) {
  const hash = createHash('sha256');
  // With the engine: a code cache is of no use to another one.
  hash.update(`${process.versions.v8} ${process.platform} ${process.arch}\n`);
  for (const path of paths) {
    for (const file of listFiles(join(root, path))) {
      const name = relative(root, file).split(sep).join('/');
      if (!keep(name)) continue;
      hash.update(`${name}\n`).update(readFileSync(file)).update('\n');
    }
  }
  return hash.digest('hex');
}
