/** Bundles programs/host-client.ts into one file that plain Node runs. */
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const source = join(dirname(fileURLToPath(import.meta.url)), 'programs/host-client.ts');

export async function bundleClient(outFile: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: source,
      outDir: dirname(outFile),
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        treeshake: { moduleSideEffects: false },
        output: { entryFileNames: basename(outFile), codeSplitting: false, format: 'esm' },
      },
    },
  });
}
