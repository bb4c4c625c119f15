/**
 * A program of ours that starts from what V8 made of it when it was built: most of a start is compiling, and a megabyte of
 * source costs a process more memory than its code. `dist/NAME/main.js` is the door, `main.cjs` the program, `main.cjs.cache`
 * the compiled code. V8 refuses a cache of another version and of other flags; then the program is compiled as any other.
 */
import { join } from 'node:path';
import { runQuietly } from './run.mjs';

/** What stands around the program, so that it has a module of its own. */
const HEAD = '(function (exports, require, module, __filename, __dirname, importModule) {';
const TAIL = '\n})';

/** CommonJS, as the program: a process that loads no ES module needs 1.5 MB less. */
const DOOR = `#!/usr/bin/env node
/** Runs main.cjs from its code cache. Written by scripts/lib/code-cache.mjs. */
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { Script } = require('node:vm');

const filename = join(__dirname, 'main.cjs');

function readCache() {
  try {
    return readFileSync(filename + '.cache');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What lies beside this program is one with such a door; packages may be of either kind. */
async function importModule(specifier) {
  return specifier.startsWith('file:') ? require(fileURLToPath(specifier)) : import(specifier);
}

const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: readCache() });
script.runInThisContext()(module.exports, require, module, filename, __dirname, importModule);
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
      // Whole in the file: what the door reads is what V8 keeps, not a copy of it with something in front.
      program.code = HEAD + importByDoor(toAscii(program.code.replace(/^#!.*/, ''))) + TAIL;
      this.emitFile({ type: 'asset', fileName: 'main.js', source: DOOR });
      this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
    },
  };
}

/** Runs the program of `directory` once with these arguments and keeps the code that this needed. */
export async function writeCodeCache(directory, args) {
  const door = join(directory, 'main.js');
  // The door makes its own script, which is the one that is kept.
  const maker = `
    const { writeFileSync } = require('node:fs');
    const vm = require('node:vm');
    let program;
    vm.Script = class extends vm.Script {
      constructor(...given) {
        super(...given);
        program ??= this;
      }
    };
    process.argv = [process.execPath, ${JSON.stringify(door)}, ...${JSON.stringify(args)}];
    process.on('exit', () => writeFileSync(${JSON.stringify(join(directory, 'main.cjs.cache'))}, program.createCachedData()));
    require(${JSON.stringify(door)});
  `;
  await runQuietly('writing the code cache', process.execPath, ['--eval', maker]);
}
