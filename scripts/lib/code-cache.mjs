/**
 * A program of ours that starts from what V8 made of it when it was built: most of a start is compiling, and a megabyte of
 * source costs a process more memory than its code. `dist/NAME/main.js` is the door, `main.cjs` the program, `main.cjs.cache`
 * the compiled code. V8 refuses a cache of another version and of other flags; then the program is compiled as any other.
 */
import { join } from 'node:path';
import { runQuietly } from './run.mjs';

/** What stands around the program, so that it has a module of its own. Door and cache must agree on it. */
const HEAD = '(function (exports, require, module, __filename, __dirname, importModule) {';
const TAIL = '\n})';

const DOOR = `#!/usr/bin/env node
/** Runs main.cjs from its code cache. Written by scripts/lib/code-cache.mjs. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('main.cjs', import.meta.url));

function readCache() {
  try {
    return readFileSync(filename + '.cache');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export const script = new Script(${JSON.stringify(HEAD)} + readFileSync(filename, 'latin1') + ${JSON.stringify(TAIL)}, {
  filename,
  cachedData: readCache(),
});
const module = { exports: {} };
const importModule = (specifier) => import(specifier);
script.runInThisContext()(
  module.exports, createRequire(filename), module, filename, dirname(filename), importModule,
);
`;

/** Code from a cache has lost whom to ask for a module: the door imports for it. */
function importByDoor(code) {
  return code.replaceAll('await import(', 'await importModule(');
}

/** Only ASCII: V8 keeps such a source in half the memory. In strings and patterns an escape is the same character. */
function toAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** For the bundler: leaves main.cjs in ASCII, with a door that gives out what the program exports. */
export function codeCacheDoor() {
  return {
    name: 'code-cache-door',
    generateBundle(_options, bundle) {
      const program = bundle['main.cjs'];
      program.code = importByDoor(toAscii(program.code.replace(/^#!.*/, '')));
      const names = program.exports.join(', ');
      const source = names === '' ? DOOR : `${DOOR}export const { ${names} } = module.exports;\n`;
      this.emitFile({ type: 'asset', fileName: 'main.js', source });
    },
  };
}

/** Runs the program of `directory` once with these arguments and keeps the code that this needed. */
export async function writeCodeCache(directory, args) {
  const door = join(directory, 'main.js');
  const maker = `
    process.argv = [process.execPath, ${JSON.stringify(door)}, ...${JSON.stringify(args)}];
    const { script } = await import(${JSON.stringify(door)});
    process.on('exit', () => writeFileSync(${JSON.stringify(join(directory, 'main.cjs.cache'))}, script.createCachedData()));
  `;
  const head = "import { writeFileSync } from 'node:fs';";
  await runQuietly('writing the code cache', process.execPath, ['--input-type=module', '--eval', head + maker]);
}
