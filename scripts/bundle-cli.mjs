/**
 * Bundles `tuic` into one file: a command that is typed all day should not load a hundred of them. The server is not part of
 * it; `tuic start` loads dist/daemon/run.js.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: join(root, 'src/cli/main.ts'),
    outDir: join(root, 'dist/cli'),
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      // Only what is used: no schema is checked here, so the validation library stays away.
      treeshake: { moduleSideEffects: (id) => id.endsWith('src/cli/main.ts') },
      output: { entryFileNames: 'main.js', codeSplitting: false, format: 'esm' },
    },
  },
});
