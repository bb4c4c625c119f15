/**
 * Bundles the benchmarks into .cache/bench: what is measured against our own parts runs as plain Node programs, as the
 * product does. The folder is as deep as test/kit, so that what looks for the project from its own place finds it.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot as root } from '../build.mjs';

/** Resolves to the folder with main.mjs, soak.mjs, report.mjs and one file for each program. */
export async function bundleBench() {
  const { build } = await import('vite');
  const outDir = join(root, '.cache/bench');
  mkdirSync(outDir, { recursive: true });
  for (const name of readdirSync(outDir)) if (name.endsWith('.mjs')) rmSync(join(outDir, name));
  const programs = readdirSync(join(root, 'bench/programs')).filter((name) => name.endsWith('.ts'));
  const entries = {
    main: join(root, 'bench/main.ts'),
    soak: join(root, 'bench/soak/main.ts'),
    report: join(root, 'bench/report/main.ts'),
    ...Object.fromEntries(programs.map((name) => [name.slice(0, -3), join(root, 'bench/programs', name)])),
  };
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: entries,
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'part-[name]-[hash].mjs', format: 'esm' },
      },
    },
  });
  return outDir;
}
