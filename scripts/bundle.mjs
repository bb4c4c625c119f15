/**
 * Bundles a program of ours into one file: it starts several times quicker than from a hundred files, and it stays whole while
 * an upgrade replaces dist under it. `node scripts/bundle.mjs cli|bridge|daemon`
 */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { codeCacheDoor, writeCodeCache } from './lib/code-cache.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PROGRAMS = {
  cli: {
    entry: 'src/cli/main.ts',
    // Only what is used: no schema is checked by the command, so the validation library stays away.
    treeshake: { moduleSideEffects: (id) => id.endsWith('src/cli/main.ts') },
    external: [],
    cacheOf: ['--version'],
  },
  bridge: {
    entry: 'src/bridge/main.ts',
    treeshake: { moduleSideEffects: (id) => id.endsWith('src/bridge/main.ts') },
    external: [],
  },
  daemon: {
    entry: 'src/daemon/main.ts',
    treeshake: true,
    // Each finds its prebuilt addon from its own place.
    external: ['libsql', '@node-rs/bcrypt', '@napi-rs/keyring'],
    cacheOf: [],
  },
};

const name = process.argv[2];
const program = PROGRAMS[name];
if (program === undefined) {
  console.error(`usage: node scripts/bundle.mjs ${Object.keys(PROGRAMS).join('|')}`);
  process.exit(2);
}

const directory = join(root, 'dist', name);
const hasCache = program.cacheOf !== undefined;

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: hasCache ? [codeCacheDoor()] : [],
  ssr: { noExternal: true, external: program.external, target: 'node' },
  build: {
    ssr: join(root, program.entry),
    outDir: directory,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      treeshake: program.treeshake,
      output: {
        entryFileNames: hasCache ? 'main.cjs' : 'main.js',
        codeSplitting: false,
        format: hasCache ? 'cjs' : 'esm',
        // A process keeps its whole source in memory: it goes without comments and indentation. Names stay, for stacks of errors.
        minify: { compress: false, mangle: false, codegen: true },
      },
    },
  },
});

// A bin that a clone runs by its name; the bundler writes it as data.
await chmod(join(directory, 'main.js'), 0o755);
if (hasCache) await writeCodeCache(directory, program.cacheOf);
