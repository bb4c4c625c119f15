/** Bundles the pty host into one file that runs by itself, save for the prebuilt addons, which it finds from its own place. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function bundlePtyHost({ outFile = join(root, 'dist/pty-host/main.cjs') } = {}) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(root, 'src/pty-host/main.ts'),
      outDir: dirname(outFile),
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        // Only what is used: the contract's schemas would bring a validation library into every host.
        treeshake: { moduleSideEffects: false },
        output: { entryFileNames: 'main.cjs', codeSplitting: false, format: 'cjs' },
      },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePtyHost();
